/** A paginated list: the next page is fetched when the user scrolls near the end. */
import { type UseQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { type Answer, type Asked, call, type PathsOf } from './client.ts';

export type Rows<T> = { readonly items: readonly T[]; readonly next: string | null };

export type Listed<T> = {
  readonly rows: readonly T[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly onMore: () => void;
  readonly refetch: () => unknown;
};

type ListOptions = { readonly refreshMs?: number | undefined; readonly enabled?: boolean };

const PAGE = '100';

/** False after a page that failed: a table near its end would ask for it again and again. `refetch` makes it true. */
export const hasMoreOf = (query: { readonly hasNextPage: boolean; readonly isFetchNextPageError: boolean }): boolean =>
  query.hasNextPage && !query.isFetchNextPageError;

/** `key` begins with the path of the list, so that `invalidate` finds it. */
export function useList<T>(
  key: readonly unknown[],
  read: (page: { readonly limit: string; readonly after: string | undefined }, signal: AbortSignal) => Promise<Rows<T>>,
  { refreshMs, enabled = true }: ListOptions = {},
): Listed<T> {
  const query = useInfiniteQuery({
    queryKey: [...key, 'pages'],
    queryFn: ({ pageParam, signal }) => read({ limit: PAGE, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    enabled,
    ...(refreshMs !== undefined && { refetchInterval: refreshMs }),
  });
  const { data, isLoading, isFetchingNextPage, error, fetchNextPage, refetch } = query;
  return {
    rows: useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]),
    isLoading,
    error,
    hasMore: hasMoreOf(query),
    onMore: useCallback(() => {
      if (!isFetchingNextPage) void fetchNextPage();
    }, [isFetchingNextPage, fetchNextPage]),
    refetch,
  };
}

type ListPaths = { [P in PathsOf<'get'>]: Answer<P, 'get'> extends Rows<unknown> ? P : never }[PathsOf<'get'>];
type ItemOf<P extends ListPaths> = Answer<P, 'get'> extends { readonly items: readonly (infer T)[] } ? T : never;

/** `useList` for a path of the API, with its types. */
export const useGetList = <P extends ListPaths>(path: P, asked: Asked<P, 'get'>): Listed<ItemOf<P>> =>
  useList([path, asked], (page, signal) => {
    const query = { ...asked.query, ...page };
    return call('get', path, { ...asked, query } as Asked<P, 'get'>, signal) as unknown as Promise<Rows<ItemOf<P>>>;
  });

/** What the API gives whole, as a list. */
export const wholeList = <T>(query: UseQueryResult<{ readonly items: readonly T[] }>): Listed<T> => ({
  rows: query.data?.items ?? [],
  isLoading: query.isLoading,
  error: query.error,
  hasMore: false,
  onMore: query.refetch,
  refetch: query.refetch,
});
