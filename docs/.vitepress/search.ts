/** How words are put into the search index and looked up in it. Sent to the browser as text: it may use nothing outside itself. */

/** Lower case, without the words that every question has, and without the plural; null leaves a word out. */
export const searchTerm = (term: string): string | null => {
  const filler =
    /^(?:a|an|the|of|to|in|is|it|its|do|does|did|i|my|me|how|what|which|who|whose|where|when|why|can|and|or|for|with|be|are|this|that|will|would|should|on|at|by|from|there)$/;
  const word = term.toLowerCase();
  if (filler.test(word)) return null;
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word;
};

/** Pages for those who use the gateway come before papers for those who change it. */
export const searchWeight = (id: string): number => {
  if (/\/decisions\/\d/.test(id) || /\/reference\/(?:conformance|changelog)/.test(id)) return 0.1;
  if (id.includes('/contribute/') || id.includes('/decisions/')) return 0.7;
  if (/\/reference\/(?:api|admin)\/objects/.test(id)) return 0.4;
  if (/\/reference\/(?:api|admin)/.test(id)) return 0.5;
  return id.includes('/reference/configuration') ? 0.8 : 1;
};

/** Pages whose headings and first sentences are searched, and nothing else: their text would crowd out, and outweigh, all others. */
const OUTLINED =
  /^(?:reference\/(?:api\/|admin\/|conformance|changelog|support-matrix|verbatim-lane)|decisions\/|contribute\/(?:resilience-tests|pitfalls|dependencies))/;

/** What of a rendered page goes into the index. */
export const searchText = (path: string, html: string): string =>
  OUTLINED.test(path)
    ? html.replaceAll(
        /<(table|pre|ul)\b[\s\S]*?<\/\1>|<div class="(?:vp-code-group|language-)[^>]*>|<h3\b[\s\S]*?<\/h3>/g,
        '',
      )
    : html;
