/** Two texts side by side, line by line; what differs is marked, by words where both sides have a line. Below each other where it is narrow. */
import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { aligned, type Pair } from '../../format/alignment.ts';
import type { Line } from '../../format/json-lines.ts';
import { t } from '../../i18n/t.ts';
import styles from './diff.module.css';

export type DiffSide<L extends Line> = { readonly title: string; readonly lines: readonly L[] };

export type DiffProps<L extends Line> = {
  readonly label: string;
  readonly before: DiffSide<L>;
  readonly after: DiffSide<L>;
  /** Beside a line: what is known about it. */
  readonly noteOf?: (line: L) => ReactNode;
};

/** Equal lines that stay visible around a difference; fewer than `MIN_FOLDED` are not folded. */
const CONTEXT = 3;
const MIN_FOLDED = 6;
const MAX_WORDS = 600;
/** A picture in base64 is one line. */
const MAX_SHOWN = 4000;

/** Ignores indentation and trailing commas: both depend on the neighbouring lines. */
const keyOf = ({ text }: Line): string => text.trim().replace(/,$/, '');

type Block = { readonly pairs: readonly Pair[]; readonly isFolded: boolean };

function blocksOf(pairs: readonly Pair[]): readonly Block[] {
  const isNear = pairs.map(() => false);
  for (const [at, { isSame }] of pairs.entries())
    if (!isSame) isNear.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  const blocks: { pairs: Pair[]; isFolded: boolean }[] = [];
  for (const [at, pair] of pairs.entries()) {
    const last = blocks.at(-1);
    if (last === undefined || last.isFolded === isNear[at]) blocks.push({ pairs: [pair], isFolded: !isNear[at] });
    else last.pairs.push(pair);
  }
  return blocks.map(({ pairs: some, isFolded }) => ({ pairs: some, isFolded: isFolded && some.length >= MIN_FOLDED }));
}

export function Diff<L extends Line>({ label, before, after, noteOf }: DiffProps<L>) {
  const blocks = useMemo(
    () => blocksOf(aligned(before.lines.map(keyOf), after.lines.map(keyOf))),
    [before.lines, after.lines],
  );
  const rowOf = ({ before: at, after: to, isSame }: Pair): ReactNode => {
    const [old, now] = [
      at === undefined ? undefined : before.lines[at],
      to === undefined ? undefined : after.lines[to],
    ];
    const [oldText, nowText] = isSame ? [old?.text, now?.text] : markedWords(old?.text, now?.text);
    return (
      <tr key={`${at}-${to}`} data-same={isSame}>
        <td data-side={old === undefined ? 'none' : 'before'}>
          {oldText} {old !== undefined && noteOf?.(old)}
        </td>
        <td data-side={now === undefined ? 'none' : 'after'}>
          {nowText} {now !== undefined && noteOf?.(now)}
        </td>
      </tr>
    );
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles['diff']} aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{before.title}</th>
            <th scope="col">{after.title}</th>
          </tr>
        </thead>
        <tbody>
          {blocks.map((block, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks keep their order
            <Rows key={index} block={block} rowOf={rowOf} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Rows({ block, rowOf }: { readonly block: Block; readonly rowOf: (pair: Pair) => ReactNode }) {
  const [isFolded, setFolded] = useState(block.isFolded);
  if (!isFolded) return block.pairs.map(rowOf);
  return (
    <tr className={styles['fold']}>
      <td colSpan={2}>
        <button type="button" onClick={() => setFolded(false)}>
          {t('{count, plural, one {# equal line} other {# equal lines}}', { count: block.pairs.length })}
        </button>
      </td>
    </tr>
  );
}

const shown = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

function markedWords(before: string | undefined, after: string | undefined): readonly [ReactNode, ReactNode] {
  if (before === undefined || after === undefined)
    return [before === undefined ? '' : shown(before), after === undefined ? '' : shown(after)];
  const [old, now] = [wordsOf(shown(before)), wordsOf(shown(after))];
  if (old.length > MAX_WORDS || now.length > MAX_WORDS) return [shown(before), shown(after)];
  const pairs = aligned(old, now);
  const side = (words: readonly string[], pick: (pair: Pair) => number | undefined): ReactNode =>
    pairs.map((pair, index) => {
      const word = words[pick(pair) ?? -1];
      if (word === undefined) return null;
      // biome-ignore lint/suspicious/noArrayIndexKey: words keep their order
      return pair.isSame ? <Fragment key={index}>{word}</Fragment> : <b key={index}>{word}</b>;
    });
  return [side(old, (pair) => pair.before), side(now, (pair) => pair.after)];
}

const wordsOf = (text: string): readonly string[] => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
