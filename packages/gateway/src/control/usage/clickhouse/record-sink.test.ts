import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SinkBatch, SinkDestination, SinkLease, SinkPosition, SinkRows, SinkTurn } from './ports.ts';
import { RecordSink } from './record-sink.ts';

const EVERY_MS = 1000;

/** Numbered lines, and a position among them. */
class Rows implements SinkRows {
  total = 0;
  at = 0n;
  version = 0n;
  lag = 0;

  async draw(): Promise<SinkTurn> {
    this.version++;
    return { isFilling: false, nextTx: this.at, afterDay: '', afterRequest: '', version: this.version };
  }

  async read({ nextTx }: SinkTurn, limit: number): Promise<SinkBatch> {
    const from = Number(nextTx);
    const until = Math.min(this.total, from + limit);
    const lines = Array.from({ length: until - from }, (_, index) => `${from + index}`);
    const next = { isFilling: false, nextTx: BigInt(until), afterDay: '', afterRequest: '' };
    return { lines, next, isLast: lines.length < limit };
  }

  async advance(_id: string, { version }: SinkTurn, { nextTx }: SinkPosition): Promise<boolean> {
    if (version !== this.version) return false;
    this.at = nextTx;
    return true;
  }

  async lagMs(): Promise<number> {
    return this.lag;
  }
}

class Destination implements SinkDestination {
  readonly batches: (readonly string[])[] = [];
  prepared = 0;
  isDown = false;
  onInsert: () => void = () => undefined;

  async prepare(): Promise<string> {
    if (this.isDown) throw new Error('connection refused');
    this.prepared++;
    return 'mark';
  }

  async insert(lines: readonly string[]): Promise<void> {
    if (this.isDown) throw new Error('connection refused');
    this.batches.push(lines);
    this.onInsert();
  }
}

let rows: Rows;
let destination: Destination;
let lease: { isLost: boolean; release: SinkLease['release'] } | undefined;
let sink: RecordSink;
const onTrouble = vi.fn();
const askForLease = vi.fn(async () => lease);
beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  rows = new Rows();
  destination = new Destination();
  lease = { isLost: false, release: vi.fn(async () => undefined) };
  sink = new RecordSink({ batchRows: 3, everyMs: EVERY_MS }, { rows, destination, lease: askForLease, onTrouble });
});
afterEach(async () => {
  await sink.stop();
  vi.useRealTimers();
});

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test('copies in batches until nothing is left, and polls again after the pause', async () => {
  rows.total = 7;
  sink.start();
  await pass(0);
  expect(destination.batches).toEqual([['0', '1', '2'], ['3', '4', '5'], ['6']]);
  rows.total = 8;
  await pass(EVERY_MS - 1);
  expect(destination.batches).toHaveLength(3);
  await pass(1);
  expect(destination.batches.at(-1)).toEqual(['7']);
  expect(sink.copied).toBe(8);
  expect(destination.prepared).toBe(1);
});

test('a batch that is not stored is retried with growing pauses, and nothing is left out', async () => {
  rows.total = 4;
  destination.isDown = true;
  sink.start();
  await pass(0);
  expect(onTrouble).toHaveBeenCalledTimes(1);
  await pass(2 * EVERY_MS);
  expect(onTrouble).toHaveBeenCalledTimes(2);
  await pass(4 * EVERY_MS - 1);
  expect(onTrouble).toHaveBeenCalledTimes(2);
  await pass(1);
  expect(onTrouble).toHaveBeenCalledTimes(3);
  expect(sink.failed).toBe(3);
  await pass(3_600_000);
  // At least once a minute, however long the outage lasts.
  expect(onTrouble.mock.calls.length).toBeGreaterThan(55);
  destination.isDown = false;
  await pass(60_000);
  expect(destination.batches).toEqual([['0', '1', '2'], ['3']]);
});

test('a stored batch is sent again if the position could not be advanced', async () => {
  rows.total = 3;
  const advance = vi.spyOn(rows, 'advance').mockRejectedValueOnce(new Error('connection lost'));
  sink.start();
  await pass(2 * EVERY_MS);
  expect(destination.batches.slice(0, 2)).toEqual([
    ['0', '1', '2'],
    ['0', '1', '2'],
  ]);
  expect(advance.mock.calls.length).toBeGreaterThan(1);
  expect(rows.at).toBe(3n);
});

test('does nothing while another node copies, and takes over when the lease is free', async () => {
  rows.total = 1;
  const mine = lease;
  lease = undefined;
  sink.start();
  await pass(3 * EVERY_MS);
  expect(destination.batches).toEqual([]);
  expect(sink.isFeeding).toBe(false);
  lease = mine;
  await pass(EVERY_MS);
  expect(destination.batches).toEqual([['0']]);
  expect(sink.isFeeding).toBe(true);
});

test('stops when another node has taken a turn meanwhile, or the lease is lost', async () => {
  rows.total = 1;
  destination.onInsert = () => {
    rows.version++;
    destination.onInsert = () => undefined;
  };
  sink.start();
  await pass(0);
  expect(rows.at).toBe(0n);
  expect(lease!.release).toHaveBeenCalledTimes(1);
  await pass(EVERY_MS);
  expect(rows.at).toBe(1n);
  lease!.isLost = true;
  const asked = askForLease.mock.calls.length;
  await pass(EVERY_MS);
  expect(askForLease.mock.calls.length).toBe(asked + 1);
});

test('a standby node, too, reports the lag of the copy', async () => {
  lease = undefined;
  rows.lag = 42_000;
  sink.start();
  await pass(0);
  expect(sink.lagMs).toBe(42_000);
});
