/** Names beside the ids of accounts, members and keys, in one query for each kind that is asked for. */
import type { SpendGroup } from '../../money/usage/spend-question.ts';
import type { Db } from '../../store/postgres/store.ts';
import type { SpendRow } from './sums-contract.ts';

const NAMED = { account: 'accounts', member: 'members', key: 'keys' } as const;
type Named = keyof typeof NAMED;

export const isNamed = (group: SpendGroup): group is Named => group in NAMED;

/** The transaction decides whose names are read. Keys of the configuration have none but their id. */
export async function withNames(db: Db, rows: readonly SpendRow[], groups: readonly Named[]): Promise<SpendRow[]> {
  let named = [...rows];
  for (const group of groups) {
    const ids = [...new Set(rows.map((row) => row[group] ?? ''))].filter((id) => id !== '');
    const found =
      ids.length === 0 ? [] : await db.selectFrom(NAMED[group]).select(['id', 'name']).where('id', 'in', ids).execute();
    const names = new Map(found.map(({ id, name }) => [id, name]));
    named = named.map((row) => ({ ...row, [`${group}Name`]: names.get(row[group] ?? '') ?? null }));
  }
  return named;
}
