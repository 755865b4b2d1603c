import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { hasMoreOf } from './use-list.ts';

test('a page that failed is not asked for again until the user retries', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const read = vi
    .fn<() => Promise<{ next: string | null }>>()
    .mockResolvedValueOnce({ next: '1' })
    .mockRejectedValueOnce(new Error('503'))
    .mockResolvedValue({ next: '1' });
  const list = new InfiniteQueryObserver(client, {
    queryKey: ['list'],
    queryFn: read,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: { next: string | null }) => next ?? undefined,
  });
  const unsubscribe = list.subscribe(() => undefined);
  await expect.poll(() => hasMoreOf(list.getCurrentResult())).toBe(true);
  await list.fetchNextPage();
  expect(list.getCurrentResult()).toMatchObject({ isError: true, hasNextPage: true });
  expect(hasMoreOf(list.getCurrentResult())).toBe(false);
  await list.refetch();
  expect(hasMoreOf(list.getCurrentResult())).toBe(true);
  unsubscribe();
  client.clear();
});
