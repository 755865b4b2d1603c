/** As much of Markdown as our documents use: headings, links, code spans and fenced blocks. */
const FENCE = /^```([^\n]*)\n([\s\S]*?)^```$/gm;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
const CODE_SPAN = /`([^`\n]+)`/g;
const HEADING = /^#{1,6} (.+)$/gm;

export type Fence = { readonly info: string; readonly id: string | undefined; readonly text: string };

export const fencesOf = (text: string): Fence[] =>
  [...text.matchAll(FENCE)].map(([, info = '', body = '']) => ({
    info,
    id: /\{#([\w-]+)\}/.exec(info)?.[1],
    text: body,
  }));

const proseOf = (text: string): string => text.replaceAll(FENCE, '');

export const linksOf = (text: string): string[] =>
  [...proseOf(text).replaceAll(CODE_SPAN, '').matchAll(LINK)].map(([, target = '']) => target);

export const codeSpansOf = (text: string): string[] =>
  [...proseOf(text).matchAll(CODE_SPAN)].map(([, span = '']) => span);

/** Anchors as forges make them: lower case, punctuation dropped, blanks to dashes. */
export const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...proseOf(text).matchAll(HEADING)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  );

/** Cells of every table row that is neither a heading nor a rule, by the heading the table stands under. */
export function tablesOf(text: string): ReadonlyMap<string, readonly (readonly string[])[]> {
  const tables = new Map<string, string[][]>();
  let heading = '';
  let rowsBefore = 0;
  for (const line of text.split('\n')) {
    const title = /^#{1,6} (.+)$/.exec(line)?.[1];
    if (title !== undefined) heading = title;
    if (!line.startsWith('|')) {
      rowsBefore = 0;
      continue;
    }
    rowsBefore++;
    if (rowsBefore <= 2) continue;
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    tables.set(heading, [...(tables.get(heading) ?? []), cells]);
  }
  return tables;
}
