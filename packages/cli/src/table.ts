// Answers of the admin API for people: tables and single things, with local times, dollars and durations. As JSON they stay as they came.

import type { Column, MemberOf } from '@trivium/gateway/commands';
import { type AdminOptions, isRow, type Row } from './admin-client.ts';
import type { Terminal } from './terminal.ts';

const NONE = '-';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const MS_PER_MINUTE = 60_000;

export const rowsIn = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

/** `$12.30`, `$0.0123`, `$0.0000123`: three digits that say something, at least two decimals. */
export const dollars = (value: unknown): string => {
  const amount = Number(value);
  if (value === '' || Number.isNaN(amount)) return String(value);
  const size = Math.abs(amount);
  const decimals = size === 0 || size >= 0.1 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(size)));
  return `${amount < 0 ? '-' : ''}$${size.toFixed(decimals).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
};

/** `475 ms`, `1.2 s`, `2 min 5 s`. */
export const duration = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < MS_PER_MINUTE) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / MS_PER_MINUTE)} min ${Math.floor((ms % MS_PER_MINUTE) / 1000)} s`;
};

/** In the time zone of this machine. Sweden writes times as 2026-11-18 08:30:00. */
export const localTime = (text: string): string => new Date(text).toLocaleString('sv-SE');

/** `last used` for `lastUsedAt`, `cost` for `costUsd`. */
const wordsOf = (name: string): string =>
  name
    .replace(/(.)(?:At|Usd|_usd|Ms|Id)$/, '$1')
    .replaceAll('_', ' ')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** By the name of the member: `…Usd` is money, `…Ms` a duration. Members of members are in brackets. */
function humanOf(name: string, value: unknown, isInner = false): string {
  if (value === null || value === undefined) return NONE;
  if (Array.isArray(value)) return value.map((item) => humanOf(name, item, true)).join(', ') || NONE;
  if (isRow(value)) {
    const members = Object.entries(value).map(([inner, part]) => `${wordsOf(inner)} ${humanOf(inner, part, true)}`);
    if (members.length === 0) return NONE;
    return isInner ? `(${members.join(', ')})` : members.join('; ');
  }
  if (/usd$/i.test(name)) return dollars(value);
  if (name.endsWith('Ms') && typeof value === 'number') return duration(value);
  return typeof value === 'string' && TIME.test(value) ? localTime(value) : String(value);
}

const at = (row: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        Array.isArray(value)
          ? value.map((item) => (isRow(item) ? item[name] : undefined))
          : isRow(value)
            ? value[name]
            : undefined,
      row,
    );

type Shown = { readonly title: string; readonly members: readonly string[] };

/** The columns for these options and arguments. */
function shownColumns(columns: readonly Column[], given: Row): readonly Shown[] {
  return columns.flatMap((column): readonly Shown[] => {
    if (typeof column === 'string') return [{ title: wordsOf(column), members: [column] }];
    if ('each' in column)
      return String(given[column.each] ?? '')
        .split(',')
        .filter(Boolean)
        .map((word) => word.replace(/^tag:.*/, 'tag'))
        .map((word) => ({ title: wordsOf(word), members: [word] }));
    const { of, title, if: only, unless } = column;
    if (only !== undefined && given[only] === undefined) return [];
    if (unless !== undefined && given[unless] !== undefined) return [];
    const members = typeof of === 'string' ? [of] : of;
    return [{ title: title ?? wordsOf(members[0] ?? ''), members }];
  });
}

/** Columns as wide as their widest cell, figures to the right; or the rows as they came, as JSON. */
export const printRows = <T extends Row>(
  terminal: Terminal,
  { json }: AdminOptions,
  rows: readonly T[],
  columns: readonly Column<MemberOf<T>>[],
  given: Row = {},
): void => {
  if (json) {
    terminal.print(JSON.stringify(rows, null, 2));
    return;
  }
  const shown = shownColumns(columns, given);
  const cells = rows.map((row) =>
    shown.map(({ members }) => {
      const name = members.find((member) => (at(row, member) ?? null) !== null) ?? members[0] ?? '';
      return humanOf(name, at(row, name));
    }),
  );
  const lines = [shown.map(({ title }) => title.toUpperCase()), ...cells];
  const widths = shown.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  const isFigure = shown.map(({ members: [name = ''] }) => {
    const values = rows.map((row) => at(row, name)).filter((value) => value !== null && value !== undefined);
    return /(?:usd|Ms)$/i.test(name) || (values.length > 0 && values.every((value) => typeof value === 'number'));
  });
  for (const [row, line] of lines.entries()) {
    const text = line
      .map((cell, index) => (isFigure[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd();
    terminal.print(row === 0 ? terminal.paint('bold', text) : text);
  }
};

/** One thing, member by member. */
export const printOne = (terminal: Terminal, { json }: AdminOptions, row: Row): void => {
  if (json) {
    terminal.print(JSON.stringify(row, null, 2));
    return;
  }
  const members = Object.entries(row).map(([name, value]) => [wordsOf(name), humanOf(name, value)] as const);
  const width = Math.max(...members.map(([words]) => words.length));
  for (const [words, value] of members) terminal.print(`${terminal.paint('bold', words.padEnd(width))}  ${value}`);
};
