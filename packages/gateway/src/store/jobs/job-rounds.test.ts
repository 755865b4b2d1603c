import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type JobQueue, JobRounds } from './job-rounds.ts';

const SETTINGS = { queue: 'any', everyMs: 100, signOfLifeMs: 4000, atOneLook: 2, mostAtOnce: 3 };

type Data = { readonly name: string };

/** Hands out what it has, and remembers what it is told. */
class Waiting {
  readonly names: string[] = [];
  readonly told: string[] = [];
  isAway = false;

  readonly queue: JobQueue = {
    fetch: async (_, { batchSize }) => {
      if (this.isAway) throw new Error('away');
      const jobs = this.names.splice(0, batchSize).map((name) => ({ id: name, retryCount: 0, data: { name } }));
      return jobs as never[];
    },
    complete: (_, jobs) => this.#hear('done', jobs),
    fail: (_, jobs) => this.#hear('failed', jobs),
    touch: (_, jobs) => this.#hear('at', jobs),
  };

  async #hear(what: string, jobs: readonly { readonly id: string }[]): Promise<void> {
    if (this.isAway) throw new Error('away');
    this.told.push(`${what} ${jobs.map(({ id }) => id)}`);
  }
}

let waiting: Waiting;
/** Ends the work on one, well or not. */
let ends: Map<string, (error?: Error) => void>;
let rounds: JobRounds<Data>;
const onTrouble = vi.fn();
beforeEach(() => {
  vi.useFakeTimers();
  waiting = new Waiting();
  ends = new Map();
  rounds = new JobRounds<Data>(
    waiting.queue,
    { ...SETTINGS, onTrouble },
    ({ name }) =>
      new Promise((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
      }),
  );
});
afterEach(async () => {
  const stopping = rounds.stop(10);
  await vi.advanceTimersByTimeAsync(20);
  await stopping;
  vi.useRealTimers();
});

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test('takes as many as there is room for, and the next when one is over', async () => {
  waiting.names.push('a', 'b', 'c', 'd');
  rounds.start();
  await pass(150);
  expect([...ends.keys()]).toEqual(['a', 'b', 'c']);
  ends.get('b')?.();
  await pass(100);
  expect([...ends.keys()]).toEqual(['a', 'b', 'c', 'd']);
  expect(waiting.told).toEqual(['done b']);
});

test('tells the queue of the long ones, again and again', async () => {
  waiting.names.push('long');
  rounds.start();
  await pass(13_000);
  expect(waiting.told.length).toBeGreaterThanOrEqual(3);
  expect(new Set(waiting.told)).toEqual(new Set(['at long']));
});

test('tells what has ended once the queue is back, and takes nothing twice', async () => {
  waiting.names.push('a', 'b');
  rounds.start();
  await pass(10);
  waiting.isAway = true;
  ends.get('a')?.();
  ends.get('b')?.(new Error('no'));
  await pass(1000);
  expect(waiting.told).toEqual([]);
  expect(onTrouble).toHaveBeenCalled();
  waiting.isAway = false;
  await pass(200);
  expect(waiting.told).toEqual(['done a', 'failed b']);
});

test('gives back what does not end in time', async () => {
  waiting.names.push('quick', 'slow');
  rounds.start();
  await pass(10);
  const stopping = rounds.stop(1000);
  ends.get('quick')?.();
  await pass(1000);
  await stopping;
  expect(waiting.told).toEqual(['done quick', 'failed slow']);
});
