/** The request that arrived just before or just after another. Asked for when it is wanted, so that a page costs no more calls. */
import { call } from '../../api/client.ts';
import type { RequestDetail } from './source.ts';

export type Direction = 'newer' | 'older';

/** Enough to find one's own place among requests of the same millisecond. */
const LIMIT = '50';

/** `account`: null for operators, who see all. Undefined: it is the first or the last. */
export async function neighbourOf(
  { id, receivedAt }: Pick<RequestDetail, 'id' | 'receivedAt'>,
  direction: Direction,
  account: string | null,
): Promise<string | undefined> {
  const justAfter = new Date(Date.parse(receivedAt) + 1).toISOString();
  const query =
    direction === 'newer'
      ? { from: receivedAt, order: 'oldest', limit: LIMIT }
      : { until: justAfter, order: 'newest', limit: LIMIT };
  const { items } =
    account === null
      ? await call('get', '/admin/v1/requests', { query })
      : await call('get', '/admin/v1/accounts/{account}/requests', { path: { account }, query });
  const at = items.findIndex((row) => row.id === id);
  return items[at + 1]?.id;
}
