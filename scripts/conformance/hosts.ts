/** Rule by format of host: where a rule was seen to hold, and why it was not seen elsewhere. */
import { claimOf } from './claims.ts';
import { HOLES, type Hole } from './holes.ts';
import type { TestResult } from './results.ts';

const DIALECTS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-generate'] as const;
type Dialect = (typeof DIALECTS)[number];

/** One format of host in the row of a rule: seen, or a hole with its reason, or a hole without a reason. */
type Cell = 'seen' | { readonly why: string | undefined };
export type HostRow = { readonly id: string; readonly cells: Readonly<Record<Dialect, Cell>> };

/** Rules whose whole tests asked a host for text. The others hold before any host is asked, or at hosts of pictures and films. */
export function hostRows(tests: readonly TestResult[], holes: readonly Hole[] = HOLES): readonly HostRow[] {
  const seen = new Map<string, Set<string>>();
  for (const { name, status, dialects } of tests) {
    const { ruleIds, counts } = claimOf(name);
    if (!counts || status !== 'passed' || dialects.length === 0) continue;
    for (const id of ruleIds) seen.set(id, new Set([...(seen.get(id) ?? []), ...dialects]));
  }
  const cellOf = (id: string, own: ReadonlySet<string>, dialect: Dialect): Cell =>
    own.has(dialect) ? 'seen' : { why: holes.find((hole) => explains(hole, id, dialect))?.why };
  return [...seen]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([id, own]) => ({
      id,
      cells: Object.fromEntries(DIALECTS.map((dialect) => [dialect, cellOf(id, own, dialect)])) as HostRow['cells'],
    }));
}

const explains = ({ rules, dialects }: Hole, id: string, dialect: Dialect): boolean =>
  (dialects === undefined || dialects.includes(dialect)) &&
  rules.split(' ').some((one) => one === id || one === id.slice(0, id.indexOf('-')));

export type HostCount = {
  readonly rules: number;
  readonly seen: number;
  readonly reasoned: number;
  readonly bare: number;
};

export function countCells(rows: readonly HostRow[]): HostCount {
  const cells = rows.flatMap((row) => DIALECTS.map((dialect) => row.cells[dialect]));
  const seen = cells.filter((cell) => cell === 'seen').length;
  const bare = cells.filter((cell) => cell !== 'seen' && cell.why === undefined).length;
  return { rules: rows.length, seen, reasoned: cells.length - seen - bare, bare };
}

const COLUMN = 20;

/** One line for each rule; holes by the letter of their reason, and the reasons below. */
export function hostLines(rows: readonly HostRow[]): readonly string[] {
  const reasons: string[] = [];
  const mark = (cell: Cell): string => {
    if (cell === 'seen') return 'yes';
    if (cell.why === undefined) return 'NOT SEEN';
    if (!reasons.includes(cell.why)) reasons.push(cell.why);
    return `(${reasons.indexOf(cell.why) + 1})`;
  };
  const lines = rows.map(({ id, cells }) =>
    [id.padEnd(8), ...DIALECTS.map((dialect) => mark(cells[dialect]).padEnd(COLUMN))].join('').trimEnd(),
  );
  return [
    ['rule'.padEnd(8), ...DIALECTS.map((dialect) => dialect.padEnd(COLUMN))].join('').trimEnd(),
    ...lines,
    ...reasons.map((why, at) => `(${at + 1}) ${why}`),
  ];
}
