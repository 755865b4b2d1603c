/** A request as the API gives it. */

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { callScoped, type Schemas } from '../../api/client.ts';
import { useMe } from '../../state/session.ts';

export type RequestDetail = Schemas['RequestDetail'];
export type Replayed = Schemas['Replay'];
export type Attempt = Schemas['RequestAttempt'];

/** Records are written a moment after the answer. */
const SOON_TRIES = 10;
const SOON_MS = 500;

/** A finished request does not change. `isNew`: it has just ended. */
export function useRequest(
  id: string,
  { isNew = false }: { readonly isNew?: boolean } = {},
): UseQueryResult<RequestDetail> {
  const { accountId } = useMe();
  return useQuery({
    queryKey: ['/admin/v1/requests/{id}', accountId, id],
    queryFn: ({ signal }) => callScoped('get', 'requests/{id}', accountId, { path: { id } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    ...(isNew && { retry: SOON_TRIES, retryDelay: SOON_MS }),
  });
}
