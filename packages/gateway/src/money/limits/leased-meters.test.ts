import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Admitted, mostOver } from './admitted.fixture.ts';
import { type LimitClaim, rateOf } from './claims.ts';
import { paidAfter, waitFor } from './gcra.ts';
import { LeaseServer } from './lease-server.ts';
import { LeasedMeters, TICK_MS } from './leased-meters.ts';
import { leaseOf } from './leases.ts';

const tokens = (limit: number, units: number): LimitClaim => ({
  name: 'key:tokens:k',
  scope: 'key',
  measure: 'tokens',
  limit,
  units,
});
const place = (limit: number): LimitClaim => ({
  name: 'key:at-once:k',
  scope: 'key',
  measure: 'at-once',
  limit,
  units: 1,
});

/** Runs everything that can go on without the clock. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Late = { readonly dueMs: number; readonly deliver: () => void };

/** A number of processes, one lease server, and a clock that moves only when the test says so. */
class World {
  nowMs = 0;
  leases = new LeaseServer();
  isDown = false;
  delayMs = 0;
  draws = 0;
  /** Capacities in the order they were asked with. */
  readonly asked: number[] = [];
  readonly processes: LeasedMeters[];
  #tickedMs = 0;
  readonly #dead = new Set<LeasedMeters>();
  #late: Late[] = [];

  constructor(count: number) {
    this.processes = Array.from(
      { length: count },
      (_, index) =>
        new LeasedMeters({
          source: {
            draw: (process, asks) => {
              this.draws++;
              this.asked.push(...asks.map(({ capacity }) => capacity));
              if (this.isDown) return Promise.reject(new Error('down'));
              return new Promise((resolve) => {
                this.#later(() => {
                  const drawn = this.leases.draw(process, asks, this.nowMs);
                  this.#later(() => resolve(drawn));
                });
              });
            },
          },
          process: `p${index}`,
          monotonicMs: () => this.nowMs,
          soon: queueMicrotask,
          owners: () => 1,
          leastProcesses: () => 1,
        }),
    );
  }

  #later(deliver: () => void): void {
    if (this.delayMs === 0) deliver();
    else this.#late.push({ dueMs: this.nowMs + this.delayMs / 2, deliver });
  }

  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    while (this.nowMs < endMs) {
      this.nowMs = Math.min(endMs, this.nowMs + (this.delayMs === 0 ? TICK_MS : this.delayMs / 2));
      const isDue = ({ dueMs }: Late): boolean => dueMs <= this.nowMs;
      const due = this.#late.filter(isDue);
      this.#late = this.#late.filter((late) => !isDue(late));
      for (const { deliver } of due) deliver();
      if (this.nowMs >= this.#tickedMs + TICK_MS) {
        this.#tickedMs = this.nowMs;
        for (const process of this.processes) if (!this.#dead.has(process)) void process.tick();
      }
      await settled();
    }
  }

  /** Without returning its leases. */
  die(index: number): void {
    this.#dead.add(this.processes[index]!);
  }

  async take(index: number, ...claims: LimitClaim[]): Promise<boolean> {
    return (await this.processes[index]!.take(claims)) === undefined;
  }
}

const PROCESSES = 3;
const steps = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.constant(0), fc.nat(1500)),
    process: fc.nat(PROCESSES - 1),
    units: fc.integer({ min: 1, max: 10 }),
  }),
  { minLength: 1, maxLength: 60 },
);
const limits = fc.integer({ min: 10, max: 400 });

describe('several processes together', () => {
  test('never take more than the limit allows, however late answers are and whichever process dies', async () => {
    await fc.assert(
      fc.asyncProperty(
        limits,
        steps,
        fc.constantFrom(0, 20, 300),
        fc.integer({ min: 1, max: 60 }),
        async (limit, all, delayMs, fatal) => {
          const world = new World(PROCESSES);
          world.delayMs = delayMs;
          const admitted: Admitted[] = [];
          const answers: Promise<unknown>[] = [];
          for (const [step, { afterMs, process, units }] of all.entries()) {
            await world.pass(afterMs);
            if (step === fatal) world.die(0);
            if (step >= fatal && process === 0) continue;
            const answer = world.take(process, tokens(limit, units));
            answers.push(answer.then((ok) => ok && admitted.push({ atMs: world.nowMs, units })));
            await settled();
          }
          await world.pass(2000);
          await Promise.all(answers);
          admitted.sort((one, other) => one.atMs - other.atMs);
          expect(admitted.length).toBeGreaterThan(0);
          expect(mostOver(admitted, rateOf(tokens(limit, 1), 1))).toBeLessThan(1e-6);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('refuse only close to the limit: within a lease per other process and half a second’s units', async () => {
    await fc.assert(
      fc.asyncProperty(limits, steps, async (limit, all) => {
        const world = new World(PROCESSES);
        const rate = rateOf(tokens(limit, 1), 1);
        const early = (PROCESSES - 1) * leaseOf(rate.burst) + limit / 120;
        let paidAtMs = 0;
        for (const { afterMs, process, units } of all) {
          await world.pass(afterMs);
          const mayBeRefused = units + early > rate.burst || waitFor(paidAtMs, world.nowMs, units + early, rate) > 0;
          if (await world.take(process, tokens(limit, units))) paidAtMs = paidAfter(paidAtMs, world.nowMs, units, rate);
          else expect(mayBeRefused).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('run no more at once than the limit, and a slot released in one process is free in the other', async () => {
    const world = new World(2);
    let running = 0;
    for (let n = 0; n < 8; n++) if (await world.take(n % 2, place(3))) running++;
    expect(running).toBe(3);
    world.processes[0]!.leave(place(3));
    await world.pass(300);
    expect(await world.take(1, place(3))).toBe(true);
  });

  test('take all limits of a request or none, and return units granted in vain', async () => {
    const world = new World(2);
    const wide = tokens(1000, 400);
    for (let n = 0; n < 5; n++) await world.take(0, wide, place(1));
    await world.pass(300);
    expect(await world.take(1, tokens(1000, 530))).toBe(true);
  });
});

test('far from the limit only the first request waits: the lease is refilled in the background', async () => {
  const world = new World(1);
  await world.take(0, tokens(60_000, 10));
  for (let n = 0; n < 1000; n++) {
    await world.pass(50);
    expect(world.processes[0]!.take([tokens(60_000, 10)])).toBeUndefined();
  }
  expect(world.processes[0]!.waits).toBe(1);
  expect(world.draws).toBeLessThan(400);
});

test('at the limit most requests are refused without asking the lease server', async () => {
  const world = new World(1);
  const asked: boolean[] = [];
  for (let n = 0; n < 200; n++) asked.push(await world.take(0, tokens(60, 10)));
  expect(asked.filter(Boolean)).toHaveLength(6);
  expect(world.draws).toBeLessThan(20);
});

test('leased units are returned when they are idle, and at shutdown', async () => {
  const world = new World(2);
  await world.take(0, tokens(160, 1));
  await world.pass(6000);
  expect(await world.take(1, tokens(160, 160))).toBe(true);
  await world.pass(60_000);
  await world.take(0, tokens(160, 1));
  await world.processes[0]!.close();
  expect(await world.take(1, tokens(160, 159))).toBe(true);
});

test('all units leased to a dead process count as used', async () => {
  const world = new World(2);
  await world.take(0, tokens(160, 5));
  world.die(0);
  await world.pass(10_500);
  // The five used and a lease of ten, less what half a second has restored since they were counted.
  expect(await world.take(1, tokens(160, 150))).toBe(false);
  expect(await world.take(1, tokens(160, 145))).toBe(true);
});

describe('changed rules', () => {
  const requests = (limit: number, burst: number): LimitClaim => ({
    name: 'key:requests:k',
    scope: 'key',
    measure: 'requests',
    limit,
    burst,
    units: 1,
  });

  test('a new burst applies to a limit in use', async () => {
    const world = new World(1);
    expect(await world.take(0, requests(60, 1))).toBe(true);
    expect(await world.take(0, requests(60, 1))).toBe(false);
    await world.pass(300);
    expect(await world.take(0, requests(60, 5))).toBe(true);
  });

  test('the end of a request from before a change does not bring the earlier limit back', async () => {
    const world = new World(1);
    const [meters] = world.processes;
    await world.take(0, place(100), tokens(60_000, 10));
    await world.take(0, place(2), tokens(60, 1));
    meters!.leave(place(100));
    meters!.correct(tokens(60_000, 10), -5);
    const capacities = world.asked.length;
    await world.pass(6000);
    expect(world.asked.slice(capacities)).not.toEqual([]);
    expect(Math.max(...world.asked.slice(capacities))).toBe(60);
  });
});

describe('without the lease server', () => {
  test('each process enforces its share, and reports what it used when the lease server is back', async () => {
    const world = new World(2);
    await world.pass(1500);
    world.isDown = true;
    let taken = 0;
    for (let n = 0; n < 40; n++) if (await world.take(n % 2, tokens(160, 10))) taken += 10;
    expect(taken).toBe(160);
    expect(world.processes.map(({ isShared }) => isShared)).toEqual([false, false]);
    world.isDown = false;
    await world.pass(1500);
    expect(world.processes.map(({ isShared }) => isShared)).toEqual([true, true]);
    // Only what was restored meanwhile, not a second minute's amount.
    expect(await world.take(0, tokens(160, 10))).toBe(false);
  });

  test('a lease server that lost its state allows one more burst, and no more', async () => {
    const world = new World(2);
    let taken = 0;
    const drain = async (): Promise<void> => {
      for (let n = 0; n < 100; n++) if (await world.take(n % 2, tokens(160, 5))) taken += 5;
    };
    await drain();
    world.leases = new LeaseServer();
    await world.pass(500);
    await drain();
    expect(taken).toBeLessThanOrEqual(160 + 160 + 2 * leaseOf(160) + 5);
    expect(taken).toBeGreaterThan(160);
  });

  test('a concurrency slot survives the outage', async () => {
    const world = new World(2);
    await world.take(0, place(4));
    await world.pass(1500);
    world.isDown = true;
    await world.take(0, place(4));
    expect(await world.take(0, place(4))).toBe(false);
    world.isDown = false;
    await world.pass(1500);
    expect(await world.take(1, place(4))).toBe(true);
    expect(await world.take(1, place(4))).toBe(true);
    expect(await world.take(1, place(4))).toBe(false);
  });
});
