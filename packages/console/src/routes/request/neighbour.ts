/** The request that arrived just before or just after another. Asked for when it is wanted, so that a page costs no more calls. */

import type { AnyRouter } from '@tanstack/react-router';
import { callScoped } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { toast, toastProblem } from '../../parts/base/toast.tsx';
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
  const { items } = await callScoped('get', 'requests', account, { query });
  const at = items.findIndex((row) => row.id === id);
  return items[at + 1]?.id;
}

/** Does nothing if the user leaves the page before the neighbour is found. */
export async function openNeighbour(
  router: Pick<AnyRouter, 'history' | 'navigate'>,
  found: Promise<string | undefined>,
  direction: Direction,
): Promise<void> {
  const { pathname } = router.history.location;
  const hasLeft = (): boolean => router.history.location.pathname !== pathname;
  try {
    const next = await found;
    if (hasLeft()) return;
    if (next === undefined)
      toast(direction === 'newer' ? t('This is the newest request.') : t('This is the oldest request.'));
    else
      await router.navigate({
        to: '/requests/$id',
        params: { id: next },
        search: (before: object) => before,
        state: true,
      });
  } catch (error) {
    if (!hasLeft()) toastProblem(error);
  }
}
