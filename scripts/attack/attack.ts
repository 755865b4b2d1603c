/** What attacks and reviews have found, as attack.yaml and house.yaml have it, and whether what it names is there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { nodesOf, problemOfName, ROOT } from '../claims/claims.ts';

export type Finding = {
  readonly id: string;
  readonly found: string;
  readonly by?: readonly string[];
  readonly nodes?: number;
  readonly why?: string;
};

export const readFindings = (): readonly Finding[] =>
  ['attack.yaml', 'house.yaml'].flatMap((file) =>
    Object.values(
      parse(readFileSync(join(ROOT, 'scripts/attack', file), 'utf8')) as Record<string, readonly Finding[]>,
    ).flat(),
  );

/** Rows with both or neither of evidence and reason, ids named twice, and evidence that is not there. */
export function problemsOf(findings: readonly Finding[], scripts: ReadonlySet<string>): readonly string[] {
  const ids = findings.map(({ id }) => id);
  return [
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} has two rows`),
    ...findings.flatMap(({ id, by, why, nodes }) => {
      if ((by === undefined) === (why === undefined)) return [`${id}: either what shows it, or why nothing does`];
      if (by !== undefined && nodes === undefined) return [`${id}: on how many nodes?`];
      const played = (by ?? []).flatMap((shown) => nodesOf(shown) ?? []);
      if (played.length > 0 && Math.max(...played) !== nodes) return [`${id}: its scenarios do not play on ${nodes}`];
      return (by ?? []).flatMap((shown) => problemOfName(shown, scripts) ?? []);
    }),
  ];
}

/** What the rows name, once each; of those with one of these ids, if any are given. */
export function evidenceOf(findings: readonly Finding[], ids: readonly string[]): readonly string[] {
  const chosen = ids.length === 0 ? findings : findings.filter(({ id }) => ids.includes(id));
  return [...new Set(chosen.flatMap(({ by = [] }) => by))];
}
