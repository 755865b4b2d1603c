/** Rule by format of host: where a rule was seen to hold, and why it was not seen elsewhere. */
import { claimOf } from './claims.ts';
import { DIALECTS, type Dialect, HOLES, type Hole, idsOf } from './holes.ts';
import type { TestResult } from './results.ts';
import type { Rule } from './rules.ts';

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

const explains = (hole: Hole, id: string, dialect: Dialect): boolean =>
  hole.dialects.includes(dialect) && idsOf(hole).includes(id);

const RULE_ID = /^[A-Z]{1,2}-[0-9]{2,3}$/;

/** What is wrong with the list of holes, whatever the tests saw; any of these fails the command. */
export function holeErrors(rules: readonly Rule[], holes: readonly Hole[] = HOLES): readonly string[] {
  const errors: string[] = [];
  const known = new Map(rules.map((rule) => [rule.id, rule]));
  const cells = new Set<string>();
  for (const hole of holes) {
    if (hole.why.trim() === '') errors.push(`holes.ts gives no reason for ${idsOf(hole).join(' ')}`);
    for (const id of idsOf(hole)) {
      // The letters of an area would excuse rules that do not exist yet, and the command could not fail for them.
      if (!RULE_ID.test(id)) errors.push(`holes.ts names '${id}', which is no id of a single rule`);
      else if (known.get(id)?.isWithdrawn !== false) errors.push(`holes.ts names ${id}, which is no rule`);
      for (const dialect of hole.dialects) {
        const cell = `${id} at ${dialect}`;
        if (cells.has(cell)) errors.push(`holes.ts excuses ${cell} twice`);
        cells.add(cell);
      }
    }
  }
  return errors;
}

/**
 * Holes that this run did not need. They are reported and do not fail the command: which host a test asks may change from
 * run to run (strategies choose by latency, a repeated call goes elsewhere, a report may hold some of the tests only), and a
 * hole that is left out because of one lucky run would fail the next one.
 */
export function staleHoles(rows: readonly HostRow[], holes: readonly Hole[] = HOLES): readonly string[] {
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return holes.flatMap((hole) =>
    idsOf(hole).flatMap((id) => {
      const row = rowOf.get(id);
      if (row === undefined) return [`${id} (asks no host for text)`];
      return hole.dialects.filter((dialect) => row.cells[dialect] === 'seen').map((dialect) => `${id} at ${dialect}`);
    }),
  );
}

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
