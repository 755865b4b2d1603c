import { createMemoryHistory } from '@tanstack/react-router';
import { expect, test, vi } from 'vitest';
import { neighbourQuery, openNeighbour } from './neighbour.ts';

const AT = '2026-11-17T12:00:00.000Z';

test('the request before is found however long ago it was', () =>
  expect(neighbourQuery(AT, 'older')).toMatchObject({
    from: '2025-10-13T12:00:00.001Z',
    until: '2026-11-17T12:00:00.001Z',
    order: 'newest',
  }));

test('the request after is looked for from the same millisecond on', () =>
  expect(neighbourQuery(AT, 'newer')).toMatchObject({ from: AT, order: 'oldest' }));

const routerAt = (place: string) => ({
  history: createMemoryHistory({ initialEntries: [place] }),
  navigate: vi.fn(async () => undefined),
});

test('the neighbour of a request is opened', async () => {
  const router = routerAt('/requests/a');
  await openNeighbour(router, Promise.resolve('b'), 'older');
  expect(router.navigate).toHaveBeenCalledWith(expect.objectContaining({ to: '/requests/$id', params: { id: 'b' } }));
});

test('a late neighbour does not take the user back to a request', async () => {
  const router = routerAt('/requests/a');
  const found = Promise.withResolvers<string>();
  const opened = openNeighbour(router, found.promise, 'older');
  router.history.push('/keys');
  found.resolve('b');
  await opened;
  expect(router.navigate).not.toHaveBeenCalled();
});
