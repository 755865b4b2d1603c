/** The captured content of a request. */

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { callScoped, type Schemas } from '../../api/client.ts';
import { useMe } from '../../state/session.ts';

export type Captured = Schemas['Wire'];
export type Panes = NonNullable<Captured['panes']>;

/** For a request that has just ended: its content is stored a moment later. */
const SOON_MS = 1000;
const SOON_TRIES = 8;

export function useWire(
  id: string,
  attempt?: number,
  { isNew = false, enabled = true }: { readonly isNew?: boolean; readonly enabled?: boolean } = {},
): UseQueryResult<Captured> {
  const { accountId } = useMe();
  const query = attempt === undefined ? {} : { attempt: String(attempt) };
  return useQuery({
    queryKey: ['/admin/v1/requests/{id}/wire', accountId, id, attempt],
    queryFn: ({ signal }) => callScoped('get', 'requests/{id}/wire', accountId, { path: { id }, query }, signal),
    enabled,
    // Each access to content is written to the audit log, so it is fetched only once.
    staleTime: Number.POSITIVE_INFINITY,
    ...(isNew && {
      retry: SOON_TRIES,
      retryDelay: SOON_MS,
      refetchInterval: ({
        state,
      }: {
        readonly state: { readonly data?: Captured | undefined; readonly dataUpdateCount: number };
      }) => (state.data?.why === 'not-stored' && state.dataUpdateCount < SOON_TRIES ? SOON_MS : false),
    }),
  });
}
