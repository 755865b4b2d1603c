/** The steps of the pages that drills play: numbered points below a heading, rows of the table of what can be lost, lines of a block. */
import { codeSpansOf, fencesOf } from '../../tests/docs/markdown.ts';

const POINT = /^\d+\. /;
const INSIDE = /^ {3}/;
const LINK = /\[([^\]]*)\]\([^)]*\)/g;
const SHELL = /^sh\b/;
const COMMAND = /^trivium /;
const SIGNAL = /^SIG[A-Z]+$/;
const SETTING = /^[a-z]\w*(?:\.\w+)+$/;

export type Step = {
  /** Up to its first full stop or colon, or its first cell. */
  readonly title: string;
  /** All of it, as the page has it. */
  readonly text: string;
};

const plain = (text: string): string => text.replaceAll(LINK, '$1').replaceAll('**', '').replaceAll(/\s+/g, ' ').trim();

function below(markdown: string, heading: string): string {
  const start = markdown.indexOf(`\n## ${heading}\n`);
  if (start < 0) throw new Error(`there is no heading ${heading}`);
  const end = markdown.indexOf('\n## ', start + 1);
  return markdown.slice(start, end < 0 ? undefined : end);
}

function pointsBelow(markdown: string, heading: string): readonly Step[] {
  const texts: string[] = [];
  for (const line of below(markdown, heading).split('\n'))
    if (POINT.test(line)) texts.push(line.replace(POINT, ''));
    else if (texts.length > 0 && (INSIDE.test(line) || line === '')) texts.push(`${texts.pop()}\n${line.slice(3)}`);
  return texts.map((text) => ({ title: plain(text).split(/(?<=[.:]) /)[0] ?? '', text }));
}

const rowsBelow = (markdown: string, heading: string): readonly Step[] =>
  below(markdown, heading)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => ({ title: plain(line.split('|')[1] ?? ''), text: line }));

const linesBelow = (markdown: string, heading: string): readonly Step[] =>
  shellIn(below(markdown, heading)).map((line) => ({ title: line, text: `\`${line}\`` }));

export const STEPS_BELOW = { steps: pointsBelow, rows: rowsBelow, lines: linesBelow } as const;

const shellIn = (text: string): readonly string[] =>
  fencesOf(text)
    .filter(({ info }) => SHELL.test(info))
    .flatMap((fence) => fence.text.trim().split('\n'));

/** Below which something is to be done: points, or commands. */
export const headingsToPlay = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^## (.+)$/gm)]
    .map(([, heading = '']) => heading)
    .filter((heading) => pointsBelow(markdown, heading).length + linesBelow(markdown, heading).length > 0);

/** Every `trivium …` of a step, in its order in the text and then in its blocks. */
export const commandsIn = ({ text }: Step): readonly string[] =>
  [...codeSpansOf(text), ...shellIn(text)].filter((span) => COMMAND.test(span));

/** Only of the title: what comes after it may say what is not to be sent. */
export const signalsIn = ({ title }: Step): readonly string[] => codeSpansOf(title).filter((span) => SIGNAL.test(span));

/** Paths of settings, where these are the sections. */
export const settingsIn = ({ text }: Step, sections: readonly string[]): readonly string[] =>
  codeSpansOf(text).filter((span) => SETTING.test(span) && sections.includes(span.split('.')[0] ?? ''));

/** A command of a page as it is typed. `trivium.yaml` is the file; other names stand for values. */
export function wordsOf(command: string, file: string, values: Readonly<Record<string, string>>): readonly string[] {
  const filled = command.replaceAll(
    /"\$(\w+)"|<(\w+)>/g,
    (_, variable: string | undefined, name: string | undefined) => {
      const value = values[variable ?? name ?? ''];
      if (value === undefined) throw new Error(`${command}: nothing is known for ${variable ?? name}`);
      return value;
    },
  );
  const [, ...words] = filled.split(' ').map((word) => (word === 'trivium.yaml' ? file : word));
  return words;
}
