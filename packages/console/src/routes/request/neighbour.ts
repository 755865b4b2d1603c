/** The request that arrived just before or just after another. Asked for when it is wanted, so that a page costs no more calls. */
import { call } from '../../api/client.ts';
import type { RequestDetail } from './source.ts';

export type Direction = 'newer' | 'older';

/** Enough to find one's own place among requests of the same millisecond. */
const LIMIT = '50';

/** The longest span that the API reads. Without a start it is a day, and the request before may be older. */
const MAX_SPAN_MS = 400 * 86_400_000;

export function neighbourQuery(receivedAt: string, direction: Direction): Readonly<Record<string, string>> {
  if (direction === 'newer') return { from: receivedAt, order: 'oldest', limit: LIMIT };
  const untilMs = Date.parse(receivedAt) + 1;
  const [from, until] = [untilMs - MAX_SPAN_MS, untilMs].map((ms) => new Date(ms).toISOString()) as [string, string];
  return { from, until, order: 'newest', limit: LIMIT };
}

/** `account`: null for operators, who see all. Undefined: it is the first or the last. */
export async function neighbourOf(
  { id, receivedAt }: Pick<RequestDetail, 'id' | 'receivedAt'>,
  direction: Direction,
  account: string | null,
): Promise<string | undefined> {
  const query = neighbourQuery(receivedAt, direction);
  const { items } =
    account === null
      ? await call('get', '/admin/v1/requests', { query })
      : await call('get', '/admin/v1/accounts/{account}/requests', { path: { account }, query });
  const at = items.findIndex((row) => row.id === id);
  return items[at + 1]?.id;
}
