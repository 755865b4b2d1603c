import { createLog } from '@trivium/gateway';
import { describe, expect, test, vi } from 'vitest';
import { backoffMs } from './backoff.ts';
import { Fleet, type Worker } from './fleet.ts';
import type { DrainOrder } from './messages.ts';

/** A fake worker: the test decides when it is ready and when it exits. */
class Puppet implements Worker {
  readonly id: number;
  readonly orders: DrainOrder[] = [];
  killed = false;
  readonly ready: Promise<boolean>;
  readonly ended: Promise<string>;
  serve: () => void = () => undefined;
  #settleReady: (isReady: boolean) => void = () => undefined;
  #settleEnded: (how: string) => void = () => undefined;

  constructor(id: number) {
    this.id = id;
    this.ready = new Promise((resolve) => {
      this.#settleReady = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#settleEnded = resolve;
    });
    this.serve = () => this.#settleReady(true);
  }

  drain(order: DrainOrder): void {
    this.orders.push(order);
  }
  kill(): void {
    this.killed = true;
    this.end('SIGKILL');
  }
  end(how = 'exit code 0'): void {
    this.#settleReady(false);
    this.#settleEnded(how);
  }
}

function open(size: number, drainLimitMs = 10_000) {
  const started: Puppet[] = [];
  const pauses: { readonly ms: number; readonly over: () => void }[] = [];
  let nowMs = 0;
  const fleet = new Fleet<Puppet>(size, {
    start: () => {
      const puppet = new Puppet(started.length + 1);
      started.push(puppet);
      return puppet;
    },
    log: createLog({ level: 'silent' }),
    pause: (ms) => new Promise((over) => void pauses.push({ ms, over })),
    nowMs: () => nowMs,
    drainLimitMs: () => drainLimitMs,
  });
  /** The nth worker started, once it has been. */
  const worker = async (nth: number): Promise<Puppet> => {
    await vi.waitFor(() => expect(started.length).toBeGreaterThanOrEqual(nth));
    return started[nth - 1] as Puppet;
  };
  const serving = async (nth: number): Promise<Puppet> => {
    const puppet = await worker(nth);
    puppet.serve();
    await vi.waitFor(() => expect(fleet.workers).toContain(puppet));
    return puppet;
  };
  return {
    fleet,
    started,
    pauses,
    worker,
    serving,
    passMs: (ms: number) => {
      nowMs += ms;
    },
  };
}
const HANDOVER = { handover: true, noticeMs: 0 };

async function openServing(size: number, drainLimitMs?: number) {
  const opened = open(size, drainLimitMs);
  const done = opened.fleet.start();
  for (let nth = 1; nth <= size; nth++) await opened.serving(nth);
  expect(await done).toBe(true);
  return opened;
}

describe('replacing', () => {
  test('replaces one worker after another, and an old worker drains only when the new one serves', async () => {
    const { fleet, started, serving, worker } = await openServing(2);
    const rolling = fleet.replaceAll();
    await worker(3);
    expect(started.slice(0, 2).map(({ orders }) => orders)).toEqual([[], []]);
    await serving(3);
    expect(started[0]?.orders).toEqual([HANDOVER]);
    await worker(4);
    expect(started[1]?.orders).toEqual([]);
    await serving(4);
    await rolling;
    expect(started[1]?.orders).toEqual([HANDOVER]);
    expect(fleet.census).toMatchObject({ serving: 2, leaving: 2 });
    started[0]?.end();
    started[1]?.end();
    await vi.waitFor(() => expect(fleet.census).toEqual({ serving: 2, leaving: 0, replaced: 2, fallen: 0, frozen: 0 }));
  });

  test('a worker that is killed while it starts is started anew, three times at most', async () => {
    const { fleet, started, worker } = open(1);
    const done = fleet.start();
    for (const nth of [1, 2]) (await worker(nth)).end('SIGKILL');
    (await worker(3)).serve();
    expect([await done, started.length, fleet.workers]).toEqual([true, 3, [started[2]]]);

    const again = open(1);
    const failed = again.fleet.start();
    for (const nth of [1, 2, 3]) (await again.worker(nth)).end('SIGKILL');
    expect([await failed, again.started.length]).toEqual([false, 3]);
  });

  test('stops when a new worker does not start, and the old ones stay', async () => {
    const { fleet, started, worker } = await openServing(2);
    const rolling = fleet.replaceAll();
    (await worker(3)).end('exit code 1');
    await rolling;
    expect(fleet.workers).toEqual(started.slice(0, 2));
    expect(started.slice(0, 2).flatMap(({ orders }) => orders)).toEqual([]);
    expect(started).toHaveLength(3);
  });

  test('lets at most one worker per slot drain, however often a replacement is requested', async () => {
    const { fleet, started, serving } = await openServing(1);
    const first = fleet.replaceAll();
    await serving(2);
    await first;
    const second = fleet.replaceAll();
    void fleet.replaceAll();
    void fleet.replaceAll();
    await Promise.resolve();
    expect(started).toHaveLength(2);
    started[0]?.end();
    await serving(3);
    started[1]?.end();
    await serving(4);
    await second;
    expect(started).toHaveLength(4);
  });

  test('kills a worker that does not exit in time', async () => {
    const { fleet, started, serving } = await openServing(1, 20);
    const rolling = fleet.replaceAll();
    await serving(2);
    await rolling;
    await vi.waitFor(() => expect(started[0]?.killed).toBe(true));
  });
});

describe('a worker with a blocked event loop (S8)', () => {
  test('is killed once its successor serves, without a drain command, which it could not read', async () => {
    const { fleet, started, serving, worker, pauses } = await openServing(2);
    const [victim] = started as [Puppet];
    const replaced = fleet.replaceFrozen(victim, () => true);
    await worker(3);
    expect(victim.killed).toBe(false);
    await serving(3);
    await replaced;
    expect({ killed: victim.killed, orders: victim.orders }).toEqual({ killed: true, orders: [] });
    await vi.waitFor(() => expect(fleet.census).toEqual({ serving: 2, leaving: 0, replaced: 0, fallen: 0, frozen: 1 }));
    expect(pauses.map(({ ms }) => ms)).toEqual([4000]);
  });

  test('is killed before a late successor is ready if other workers serve; the slot still gets one successor', async () => {
    const { fleet, started, serving, worker, pauses } = await openServing(2);
    const [victim] = started as [Puppet];
    const replaced = fleet.replaceFrozen(victim, () => true);
    await worker(3);
    pauses[0]?.over();
    await replaced;
    expect(victim.killed).toBe(true);
    await vi.waitFor(() => expect(pauses).toHaveLength(2));
    pauses[1]?.over();
    await serving(3);
    await vi.waitFor(() => expect(fleet.census).toMatchObject({ serving: 2, fallen: 0, frozen: 1 }));
    expect(started).toHaveLength(3);
  });

  test('drains if it responds again before its successor serves', async () => {
    const { fleet, started, serving } = await openServing(1);
    let isFrozen = true;
    const replaced = fleet.replaceFrozen(started[0] as Puppet, () => isFrozen);
    isFrozen = false;
    await serving(2);
    await replaced;
    expect(started[0]).toMatchObject({ killed: false, orders: [HANDOVER] });
  });

  test('is killed also if its successor does not start, and its slot is filled later', async () => {
    const { fleet, started, worker, serving, pauses } = await openServing(1);
    const replaced = fleet.replaceFrozen(started[0] as Puppet, () => true);
    (await worker(2)).end('exit code 1');
    await replaced;
    expect(started[0]?.killed).toBe(true);
    await vi.waitFor(() => expect(pauses).toHaveLength(1));
    pauses[0]?.over();
    await serving(3);
    expect(fleet.census).toMatchObject({ serving: 1, fallen: 0, frozen: 1 });
  });

  test('is killed at once if another worker of the same slot is draining', async () => {
    const { fleet, started, serving, pauses } = await openServing(1);
    const rolling = fleet.replaceAll();
    const second = await serving(2);
    await rolling;
    await fleet.replaceFrozen(second, () => true);
    expect(second.killed).toBe(true);
    await vi.waitFor(() => expect(pauses).toHaveLength(1));
    pauses[0]?.over();
    await serving(3);
    expect(started[0]?.killed).toBe(false);
    expect(fleet.census).toMatchObject({ serving: 1, leaving: 1, frozen: 1 });
  });

  test('is killed while it drains', async () => {
    const { fleet, started, serving } = await openServing(1);
    const rolling = fleet.replaceAll();
    await serving(2);
    await rolling;
    await fleet.replaceFrozen(started[0] as Puppet, () => true);
    expect(started[0]?.killed).toBe(true);
    expect(started).toHaveLength(2);
  });
});

describe('a worker that crashes', () => {
  test('is restarted with growing backoff, which a worker that ran long enough resets', async () => {
    const { fleet, started, pauses, worker, serving, passMs } = await openServing(1);
    started[0]?.end('SIGSEGV');
    await vi.waitFor(() => expect(pauses.map(({ ms }) => ms)).toEqual([100]));
    expect(started).toHaveLength(1);
    pauses[0]?.over();
    (await worker(2)).end('exit code 1');
    await vi.waitFor(() => expect(pauses.map(({ ms }) => ms)).toEqual([100, 200]));
    pauses[1]?.over();
    const third = await serving(3);
    passMs(60_000);
    third.end('SIGKILL');
    await vi.waitFor(() => expect(pauses.map(({ ms }) => ms)).toEqual([100, 200, 100]));
    expect(fleet.census.fallen).toBe(2);
  });

  test('waits at most 30 s before a restart', () => {
    expect(backoffMs(1)).toBe(100);
    expect(backoffMs(200)).toBe(30_000);
  });
});

describe('starting and stopping', () => {
  test('leaves nothing running when one worker does not start', async () => {
    const { fleet, started, worker, serving } = open(2);
    const done = fleet.start();
    await serving(1);
    (await worker(2)).end('exit code 1');
    await vi.waitFor(() => expect(started[0]?.orders).toEqual([{ handover: false, noticeMs: 0 }]));
    started[0]?.end();
    expect(await done).toBe(false);
  });

  test('drains all workers and starts no more', async () => {
    const { fleet, started } = await openServing(2);
    const stopping = fleet.stop({ handover: false, noticeMs: 7 });
    expect(started.map(({ orders }) => orders)).toEqual([
      [{ handover: false, noticeMs: 7 }],
      [{ handover: false, noticeMs: 7 }],
    ]);
    for (const puppet of started) puppet.end();
    await stopping;
    await fleet.replaceAll();
    expect(started).toHaveLength(2);
  });
});
