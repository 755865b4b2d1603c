import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type JobQueue, JobRounds } from './job-rounds.ts';

const SETTINGS = {
  queue: 'any',
  everyMs: 100,
  restMs: 2000,
  retryMs: 1000,
  heartbeatMs: 4000,
  perPoll: 2,
  maxConcurrent: 3,
};

type Data = { readonly name: string };

/** A queue of named jobs that records every call. */
class Waiting {
  readonly names: string[] = [];
  readonly calls: string[] = [];
  isAway = false;
  polls = 0;

  readonly queue: JobQueue = {
    fetch: async (_, { batchSize }) => {
      this.polls++;
      if (this.isAway) throw new Error('away');
      const jobs = this.names.splice(0, batchSize).map((name) => ({ id: name, retryCount: 0, data: { name } }));
      return jobs as never[];
    },
    complete: (_, jobs) => this.#record('done', jobs),
    fail: (_, jobs) => this.#record('failed', jobs),
    touch: (_, jobs) => this.#record('at', jobs),
  };

  async #record(what: string, jobs: readonly { readonly id: string }[]): Promise<void> {
    if (this.isAway) throw new Error('away');
    this.calls.push(`${what} ${jobs.map(({ id }) => id)}`);
  }
}

let waiting: Waiting;
/** Ends the work on a job; with an error, it fails. */
let ends: Map<string, (error?: Error) => void>;
let rounds: JobRounds<Data>;
let isNotified: boolean;
const onTrouble = vi.fn();
beforeEach(() => {
  vi.useFakeTimers();
  waiting = new Waiting();
  ends = new Map();
  isNotified = true;
  rounds = new JobRounds<Data>(
    waiting.queue,
    { ...SETTINGS, isNotified: () => isNotified, onTrouble },
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

test('takes as many jobs as there is room for, and the next when one ends', async () => {
  waiting.names.push('a', 'b', 'c', 'd');
  rounds.start();
  await pass(150);
  expect([...ends.keys()]).toEqual(['a', 'b', 'c']);
  ends.get('b')?.();
  await pass(100);
  expect([...ends.keys()]).toEqual(['a', 'b', 'c', 'd']);
  expect(waiting.calls).toEqual(['done b']);
});

test('sends heartbeats for long jobs repeatedly', async () => {
  waiting.names.push('long');
  rounds.start();
  await pass(13_000);
  expect(waiting.calls.length).toBeGreaterThanOrEqual(3);
  expect(new Set(waiting.calls)).toEqual(new Set(['at long']));
});

test('reports ended jobs once the queue is back, and takes no job twice', async () => {
  waiting.names.push('a', 'b');
  rounds.start();
  await pass(10);
  waiting.isAway = true;
  ends.get('a')?.();
  ends.get('b')?.(new Error('no'));
  await pass(1000);
  expect(waiting.calls).toEqual([]);
  expect(onTrouble).toHaveBeenCalled();
  waiting.isAway = false;
  await pass(200);
  expect(waiting.calls).toEqual(['done a', 'failed b']);
});

test('polls seldom while there is nothing to do, and at once for a new job', async () => {
  rounds.start();
  await pass(10_000);
  expect(waiting.polls).toBe(6);
  await pass(1000);
  waiting.names.push('new');
  rounds.expect(0);
  await pass(0);
  expect([...ends.keys()]).toEqual(['new']);
});

test('polls when a job that was sent for later is due, however many others were', async () => {
  rounds.start();
  await pass(10);
  rounds.expect(500);
  rounds.expect(750);
  rounds.expect(700);
  await pass(590);
  const before = waiting.polls;
  waiting.names.push('later');
  await pass(200);
  expect([...ends.keys()]).toEqual(['later']);
  expect(waiting.polls - before).toBeLessThanOrEqual(2);
});

test('polls ten times a second while it would not be notified of a new job', async () => {
  isNotified = false;
  rounds.start();
  await pass(5000);
  expect(waiting.polls).toBe(51);
});

test('a due job that the queue could not give is asked for again', async () => {
  rounds.start();
  await pass(10);
  rounds.expect(500);
  waiting.isAway = true;
  waiting.names.push('due');
  await pass(1000);
  waiting.isAway = false;
  await pass(200);
  expect([...ends.keys()]).toEqual(['due']);
});

test('polls when the queue gives a failed job again', async () => {
  waiting.names.push('fails');
  rounds.start();
  await pass(10);
  ends.get('fails')?.(new Error('no'));
  await pass(100);
  expect(waiting.calls).toEqual(['failed fails']);
  await pass(800);
  const before = waiting.polls;
  await pass(300);
  expect(waiting.polls - before).toBe(1);
});

test('returns jobs that do not end in time', async () => {
  waiting.names.push('quick', 'slow');
  rounds.start();
  await pass(10);
  const stopping = rounds.stop(1000);
  ends.get('quick')?.();
  await pass(1000);
  await stopping;
  expect(waiting.calls).toEqual(['done quick', 'failed slow']);
});
