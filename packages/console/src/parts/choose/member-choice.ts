/** The members of an account, found by what is typed. */

import { call } from '../../api/client.ts';
import type { ChoiceItem } from './choice-list.tsx';

export const MEMBERS = '/admin/v1/accounts/{account}/members';

export async function findMembers(
  account: string,
  q: string | undefined,
  signal: AbortSignal,
): Promise<readonly ChoiceItem[]> {
  const { items } = await call('get', MEMBERS, { path: { account }, query: { q, limit: '50' } }, signal);
  return items.map(({ id, name, email }) => ({ value: id, text: name, note: email ?? id }));
}
