import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Backlog } from './backlog.ts';
import type { EncodedEvent } from './encoded-event.ts';
import { UsageQueue, type UsageSink } from './queue.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-usage-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const kept = (requestId: string): EncodedEvent => ({
  requestId,
  receivedAtMs: 0,
  json: JSON.stringify({ requestId, receivedAtMs: 0 }),
});
const ids = (events: readonly EncodedEvent[]): string => events.map(({ requestId }) => requestId).join('');
const MAX_IN_MEMORY = 4;

const queueOn = (sink: UsageSink, lost: [number, string][] = []) => {
  const onTrouble = (): void => undefined;
  const backlog = new Backlog(
    { folder, epoch: 'host.1.own', isOver: () => true, onTrouble },
    { maxBytes: 1e9, maxInMemory: MAX_IN_MEMORY },
  );
  const onLost = (events: number, why: string): unknown => lost.push([events, why]);
  return new UsageQueue(sink, backlog, { onTrouble, onLost }, { batchEvents: 2, batchMs: 1 });
};

class Down extends Error {}
class Refused extends Error {}
const isRefusal = (error: unknown): boolean => error instanceof Refused;

test('stores in order and in batches, and is empty when closed', async () => {
  const stored: string[] = [];
  const queue = queueOn({ isRefusal, store: async (events) => void stored.push(ids(events)) });
  for (const id of 'abc') queue.push(kept(id));
  expect(await queue.close(1000)).toBe(0);
  expect(stored.join('')).toBe('abc');
  expect(stored.every((batch) => batch.length <= 2)).toBe(true);
  expect(queue.waiting).toBe(0);
});

test('tries again what the store could not take, and loses nothing', async () => {
  let down = 2;
  const stored: string[] = [];
  const queue = queueOn({
    isRefusal,
    store: async (events) => {
      if (down-- > 0) throw new Down();
      stored.push(ids(events));
    },
  });
  for (const id of 'ab') queue.push(kept(id));
  await vi.waitFor(() => expect(stored).toEqual(['ab']), { timeout: 10_000 });
  await queue.close(1000);
});

test('an event the store refuses does not keep the others from it', async () => {
  const [stored, lost]: [string[], [number, string][]] = [[], []];
  const queue = queueOn(
    {
      isRefusal,
      store: async (events) => {
        if (ids(events).includes('x')) throw new Refused();
        stored.push(ids(events));
      },
    },
    lost,
  );
  for (const id of 'axb') queue.push(kept(id));
  await queue.close(1000);
  expect(stored.join('')).toBe('ab');
  expect(lost).toEqual([[1, 'refused']]);
});

test('what waits in memory is bounded, counted where it is lost, and can be read before it is stored', async () => {
  const lost: [number, string][] = [];
  const queue = queueOn({ isRefusal, store: () => Promise.reject(new Down()) }, lost);
  for (const id of 'abcdefgh') queue.push(kept(id));
  expect(queue.find('a')).toMatchObject({ requestId: 'a' });
  expect(queue.find('z')).toBeUndefined();
  const inMemory = queue.waiting;
  expect(inMemory).toBeLessThanOrEqual(MAX_IN_MEMORY + 2);
  expect(lost).toEqual(Array.from({ length: 8 - inMemory }, () => [1, 'full']));
  await queue.close(1);
});

test('what a closed queue could not store is stored by the next one', async () => {
  const first = queueOn({ isRefusal, store: () => Promise.reject(new Down()) });
  for (const id of 'abc') first.push(kept(id));
  expect(await first.close(1)).toBe(3);
  const stored: string[] = [];
  const backlog = new Backlog({ folder, epoch: 'host.1.next', isOver: () => true, onTrouble: () => undefined });
  expect(backlog.takeOver()).toBe(true);
  const sink = { isRefusal, store: async (events: readonly EncodedEvent[]) => void stored.push(ids(events)) };
  const next = new UsageQueue(sink, backlog, { onTrouble: () => undefined, onLost: () => undefined });
  expect(await next.close(1000)).toBe(0);
  expect(stored).toEqual(['abc']);
  expect(backlog.takeOver()).toBe(false);
});
