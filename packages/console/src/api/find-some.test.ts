import { expect, test, vi } from 'vitest';
import { findSome } from './find-some.ts';

/** `size` rows to a page. */
const pagesOf = (rows: readonly number[], size: number) =>
  vi.fn(async (after: string | undefined) => {
    const start = Number(after ?? 0);
    const end = start + size;
    return { items: rows.slice(start, end), next: end < rows.length ? String(end) : null };
  });

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

test('what fits is found behind pages where nothing does', async () => {
  const read = pagesOf(upTo(1000), 200);
  expect(await findSome(read, (row) => row === 999)).toEqual([999]);
  expect(read).toHaveBeenCalledTimes(5);
});

test('no more pages are read than are needed to choose from', async () => {
  const read = pagesOf(upTo(1000), 200);
  expect(await findSome(read, () => true)).toHaveLength(200);
  expect(read).toHaveBeenCalledTimes(1);
});
