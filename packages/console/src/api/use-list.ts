/** A paginated list: the next page is fetched when the user scrolls near the end. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

export type ListPage<T> = { readonly items: readonly T[]; readonly next: string | null };

export type List<T> = {
  readonly rows: readonly T[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly onMore: () => void;
  readonly retry: () => void;
};

/** False after a page that failed: a table near its end would ask for it again and again. `refetch` makes it true. */
export const hasMoreOf = (query: { readonly hasNextPage: boolean; readonly isFetchNextPageError: boolean }): boolean =>
  query.hasNextPage && !query.isFetchNextPageError;

/** `key` begins with the path of the list, so that `invalidate` finds it. */
export function useList<T>(
  key: readonly unknown[],
  read: (after: string | undefined, signal: AbortSignal) => Promise<ListPage<T>>,
  { refreshMs, enabled = true }: { readonly refreshMs?: number | undefined; readonly enabled?: boolean } = {},
): List<T> {
  const query = useInfiniteQuery({
    queryKey: [...key, 'pages'],
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
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
    retry: () => void refetch(),
  };
}
