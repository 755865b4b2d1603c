import { expect, test, vi } from 'vitest';
import type { RequestRecord } from '../engine/settle.ts';
import type { UsageEvent } from './event.ts';
import { UsageQueue, type UsageSink } from './queue.ts';

const record = (requestId: string): RequestRecord => ({ requestId }) as RequestRecord;
const eventOf = ({ requestId }: RequestRecord): UsageEvent => ({ requestId }) as UsageEvent;
const ids = (events: readonly UsageEvent[]): string => events.map(({ requestId }) => requestId).join('');
const SETTINGS = { maxWaiting: 4, batchEvents: 2, batchMs: 1 };

const queueOn = (sink: UsageSink, lost: [number, string][] = []) =>
  new UsageQueue(
    sink,
    { eventOf, onTrouble: () => undefined, onLost: (events, why) => lost.push([events, why]) },
    SETTINGS,
  );

class Down extends Error {}
class Refused extends Error {}
const isRefusal = (error: unknown): boolean => error instanceof Refused;

test('stores in order and in batches, and is empty when closed', async () => {
  const stored: string[] = [];
  const queue = queueOn({ isRefusal, store: async (events) => void stored.push(ids(events)) });
  for (const id of 'abc') queue.push(record(id));
  await queue.close(1000);
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
  for (const id of 'ab') queue.push(record(id));
  await vi.waitFor(() => expect(stored).toEqual(['ab']), { timeout: 10_000 });
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
  for (const id of 'axb') queue.push(record(id));
  await queue.close(1000);
  expect(stored.join('')).toBe('ab');
  expect(lost).toEqual([[1, 'refused']]);
});

test('is bounded, counts what it could not take, and can be read before it is stored', async () => {
  const lost: [number, string][] = [];
  const queue = queueOn({ isRefusal, store: () => Promise.reject(new Down()) }, lost);
  for (const id of 'abcdefgh') queue.push(record(id));
  expect(queue.find('a')).toMatchObject({ requestId: 'a' });
  expect(queue.find('z')).toBeUndefined();
  expect(queue.waiting).toBeLessThanOrEqual(SETTINGS.maxWaiting + SETTINGS.batchEvents);
  expect(lost.length).toBeGreaterThan(0);
  await queue.close(1);
  const all = lost.reduce((sum, [events]) => sum + events, 0);
  expect(all).toBe(8);
});
