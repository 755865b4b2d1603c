import { expect, test } from 'vitest';
import { FEED, RecordFeed } from './record-feed.ts';
import type { RecordRow } from './record-query.ts';

type Stored = RecordRow & { readonly storedAtMs: number };

/** A database in which rows appear when the test adds them, whatever their time. */
function opened() {
  const stored: Stored[] = [];
  const asked: (number | undefined)[] = [];
  const reader = {
    storedAfter: async (afterMs: number | undefined, _withinMs: number, limit: number) => {
      asked.push(afterMs);
      return stored
        .filter(({ storedAtMs }) => storedAtMs > (afterMs ?? 0))
        .toSorted((a, b) => a.storedAtMs - b.storedAtMs)
        .slice(0, limit);
    },
  };
  const feed = new RecordFeed({ reader, onTrouble: () => undefined });
  const seen: string[] = [];
  const follow = (account?: string) =>
    feed.follow({ row: ({ requestId }) => seen.push(requestId), gap: () => seen.push('gap') }, account);
  const put = (requestId: string, storedAtMs: number) => stored.push({ requestId, storedAtMs } as Stored);
  return { feed, seen, asked, put, follow };
}

test('existing rows are not shown, new ones are shown once, late commits included', async () => {
  const { feed, seen, put, follow } = opened();
  put('before', 10_000);
  const leave = follow();
  await feed.look();
  expect(seen).toEqual([]);
  put('first', 11_000);
  await feed.look();
  put('second', 12_000);
  // Stored by a transaction that began earlier and ended later.
  put('late', 10_900);
  await feed.look();
  await feed.look();
  expect(seen).toEqual(['first', 'late', 'second']);
  leave?.();
});

test('more rows than one poll can read cause a gap, after which the feed continues', async () => {
  const { feed, seen, put, follow } = opened();
  const leave = follow();
  await feed.look();
  for (let n = 0; n < FEED.maxRows + 10; n++) put(`flood-${n}`, 20_000 + n);
  await feed.look();
  expect(seen.at(-1)).toBe('gap');
  leave?.();
});

test('while more rows come than one poll can read, every poll shows some and tells of the gap', async () => {
  let polls = 0;
  const storedAfter = async (_afterMs: number | undefined, _withinMs: number, limit: number) => {
    polls++;
    return Array.from(
      { length: limit },
      (_, n) => ({ requestId: `${polls}-${n}`, storedAtMs: polls * 1000 }) as Stored,
    );
  };
  const feed = new RecordFeed({ reader: { storedAfter }, onTrouble: () => undefined });
  const seen: string[] = [];
  const leave = feed.follow({ row: ({ requestId }) => seen.push(requestId), gap: () => seen.push('gap') });
  for (let poll = 0; poll < 3; poll++) await feed.look();
  expect(seen.filter((shown) => shown === 'gap' || shown.endsWith('-0'))).toEqual(['2-0', 'gap', '3-0', 'gap']);
  leave?.();
});

test('a viewer beyond the limit is refused, and one that leaves makes room', () => {
  const { follow } = opened();
  const leaves = Array.from({ length: FEED.maxViewers }, () => follow());
  expect(follow()).toBeUndefined();
  leaves[0]?.();
  const again = follow();
  expect(again).toBeDefined();
  for (const leave of [...leaves.slice(1), again]) leave?.();
});

test('an account has a few places, and all accounts together leave some to operators', () => {
  const { follow } = opened();
  const leaves = Array.from({ length: FEED.perAccount }, () => follow('greedy'));
  expect(follow('greedy')).toBeUndefined();
  for (let at = leaves.length; at < FEED.maxViewers - FEED.forOperators; at++) leaves.push(follow(`account-${at}`));
  expect(follow('late')).toBeUndefined();
  for (let at = 0; at < FEED.forOperators; at++) leaves.push(follow());
  expect(follow()).toBeUndefined();
  expect(leaves.every((leave) => leave !== undefined)).toBe(true);
  for (const leave of leaves) leave?.();
});
