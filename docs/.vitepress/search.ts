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
  if (/\/decisions\/\d/.test(id) || id.includes('/reference/conformance')) return 0.25;
  return id.includes('/contribute/') || id.includes('/reference/changelog') || id.includes('/reference/configuration')
    ? 0.9
    : 1;
};
