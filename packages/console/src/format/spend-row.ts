/** Rows of usage: what they are known by, and their one error rate. */
import type { components } from '../api/schema.ts';

export type SpendRow = components['schemas']['SpendRow'];

/** The one error rate of the console: of all recorded requests, those with an outcome other than `ok`. */
export const errorShareOf = ({ errors, recorded }: Pick<SpendRow, 'errors' | 'recorded'>): number =>
  recorded > 0 ? errors / recorded : 0;

/** Dimensions whose ids several accounts may have. */
const WITHIN_ACCOUNTS: ReadonlySet<string> = new Set(['key', 'member']);

/** `by` of the question about all accounts: ids of keys and members stand beside their account. */
export const askedBy = (by: string, account: string | undefined): string =>
  account === undefined && WITHIN_ACCOUNTS.has(by) ? `account,${by}` : by;

/** `tag:team` is a dimension, too. */
export const idOf = (row: SpendRow, by: string): string => (by.startsWith('tag:') ? row.tag : row[by as 'model']) ?? '';

/** What a row is known by. */
export const groupOf = (row: SpendRow, by: string): string =>
  WITHIN_ACCOUNTS.has(by) && row.account !== undefined ? `${row.account} ${idOf(row, by)}` : idOf(row, by);

/** For people: the name, and the account beside it where there are several. Empty: none. */
export function labelOf(row: SpendRow, by: string): string {
  const id = idOf(row, by);
  const name = id === '' ? '' : ((by === 'key' ? row.keyName : by === 'member' ? row.memberName : undefined) ?? id);
  if (by === 'account') return row.accountName ?? id;
  return name !== '' && WITHIN_ACCOUNTS.has(by) && row.account !== undefined ? `${name} · ${row.account}` : name;
}
