/** The steps of the pages that drills play: numbered points below a heading, and rows of the table of what can be lost. */
const POINT = /^\d+\. /;
const LINK = /\[([^\]]*)\]\([^)]*\)/g;

const plain = (text: string): string => text.replaceAll(LINK, '$1').replaceAll('**', '').replaceAll(/\s+/g, ' ').trim();

function below(markdown: string, heading: string): string {
  const start = markdown.indexOf(`\n## ${heading}\n`);
  if (start < 0) throw new Error(`there is no heading ${heading}`);
  const end = markdown.indexOf('\n## ', start + 1);
  return markdown.slice(start, end < 0 ? undefined : end);
}

/** Each as its text up to its first full stop or colon. */
export function stepsBelow(markdown: string, heading: string): readonly string[] {
  const steps: string[] = [];
  for (const line of below(markdown, heading).split('\n'))
    if (POINT.test(line)) steps.push(line.replace(POINT, ''));
    else if (line.startsWith('   ') && steps.length > 0) steps[steps.length - 1] += ` ${line.trim()}`;
  return steps.map((step) => plain(step).split(/(?<=[.:]) /)[0] ?? '');
}

/** The first cell of each row. */
export const rowsBelow = (markdown: string, heading: string): readonly string[] =>
  below(markdown, heading)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => plain(line.split('|')[1] ?? ''));
