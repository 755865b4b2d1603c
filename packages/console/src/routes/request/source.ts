import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call, type Schemas } from '../../api/client.ts';
import { useMe } from '../../app/session.ts';

export type RequestDetail = Schemas['RequestDetail'];
export type Attempt = Schemas['RequestAttempt'];

/** A finished request does not change. */
export function useRequest(id: string): UseQueryResult<RequestDetail> {
  const { accountId } = useMe();
  return useQuery({
    queryKey: ['/admin/v1/requests/{id}', accountId, id],
    queryFn: ({ signal }) =>
      accountId === null
        ? call('get', '/admin/v1/requests/{id}', { path: { id } }, signal)
        : call('get', '/admin/v1/accounts/{account}/requests/{id}', { path: { account: accountId, id } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
