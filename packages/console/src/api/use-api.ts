/** Reading and changing over the admin API from components. */
import {
  keepPreviousData,
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type Answer, type Asked, call, type PathsOf } from './client.ts';

export type GetOptions = {
  /** Polling interval in ms while the tab is visible. */
  readonly refreshMs?: number;
  readonly enabled?: boolean;
};

/** Responses are cached by path and parameters: `invalidate` takes a path. */
export const useGet = <P extends PathsOf<'get'>>(
  path: P,
  asked: Asked<P, 'get'>,
  { refreshMs, enabled = true }: GetOptions = {},
): UseQueryResult<Answer<P, 'get'>> =>
  useQuery({
    queryKey: [path, asked],
    queryFn: ({ signal }) => call('get', path, asked, signal),
    placeholderData: keepPreviousData,
    enabled,
    ...(refreshMs !== undefined && { refetchInterval: refreshMs }),
  });

export const invalidate = (client: QueryClient, paths: readonly PathsOf<'get'>[]): void => {
  for (const path of paths) void client.invalidateQueries({ queryKey: [path] });
};

type Change = 'post' | 'patch' | 'delete';

/** A change; the paths in `touches` are fetched again after it. */
export function useChange<M extends Change, P extends PathsOf<M>>(
  method: M,
  path: P,
  touches: readonly PathsOf<'get'>[] = [],
): UseMutationResult<Answer<P, M>, Error, Asked<P, M>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: Asked<P, M>) => call(method, path, asked),
    onSuccess: () => invalidate(client, touches),
  });
}
