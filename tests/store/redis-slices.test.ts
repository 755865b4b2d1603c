// The lease server of shared limits in Redis gives exactly the same answers as the one in memory.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LeaseServer } from '../../packages/gateway/src/money/limits/lease-server.ts';
import { LEASE_MS, type LeaseRequest } from '../../packages/gateway/src/money/limits/leases.ts';
import { ACQUIRE_LEASES } from '../../packages/gateway/src/store/redis/acquire-leases.ts';
import { redisClient } from '../../packages/gateway/src/store/redis/client.ts';
import { RedisLeases } from '../../packages/gateway/src/store/redis/leases.ts';
import { startServices } from '../../scripts/services/services.ts';
import { seeded } from '../laws/decode-stream.ts';

const atEnd: (() => void)[] = [];
let url: string;
beforeAll(async () => {
  const { redisUrl } = await startServices();
  url = redisUrl!;
});
afterAll(() => {
  for (const close of atEnd) close();
});

/** Keeps a test apart from other data in Redis. */
const prefixOfTest = (): string => `test-${randomBytes(6).toString('hex')}:{limits}:`;

async function openLeases(prefix = prefixOfTest(), script?: string): Promise<RedisLeases> {
  const leases = new RedisLeases(url, prefix, script);
  atEnd.push(() => leases.close());
  await leases.start();
  return leases;
}

async function openClient(): Promise<Redis> {
  const client = redisClient(url, 60_000);
  atEnd.push(() => client.disconnect());
  await client.connect();
  return client;
}

const amount = fc.integer({ min: 0, max: 40 });
const draws = fc.array(
  fc.record({
    process: fc.constantFrom('a', 'b', 'c'),
    asks: fc.array(
      fc.record({
        name: fc.constantFrom('x', 'y'),
        capacity: fc.integer({ min: 1, max: 200 }),
        msPerUnit: fc.constantFrom(0, 0.37, 25, 600),
        used: fc.integer({ min: -10, max: 60 }),
        usedAgoMs: amount,
        keep: amount,
        need: amount,
        spare: amount,
      }),
      { maxLength: 3 },
    ),
  }),
  { minLength: 1, maxLength: 25 },
);

test('for any requests, both lease servers grant the same and have the same left', async () => {
  await fc.assert(
    fc.asyncProperty(draws, async (all) => {
      const redis = await openLeases();
      const leases = new LeaseServer();
      for (const { process, asks } of all) {
        const { atMs, ...drawn } = await redis.drawAt(process, asks);
        const expected = leases.draw(process, asks, atMs);
        expect(drawn.processes).toBe(expected.processes);
        expect(drawn.grants.map(({ granted }) => granted)).toEqual(expected.grants.map(({ granted }) => granted));
        for (const [index, { free }] of drawn.grants.entries())
          expect(free).toBeCloseTo(expected.grants[index]!.free, 6);
      }
    }),
    { numRuns: 40 },
  );
});

const STEPS = process.env['TRIVIUM_NIGHTLY'] === undefined ? 5_000 : 100_000;

test(`over ${STEPS} random steps of 40 processes, with leases that expire, both lease servers answer the same`, async () => {
  const prefix = prefixOfTest();
  const clock = await openClient();
  const script = ACQUIRE_LEASES.replace(/^local now = .*$/m, `local now = tonumber(redis.call('GET', '${prefix}now'))`);
  const redis = await openLeases(prefix, script);
  const leases = new LeaseServer();
  const random = seeded(7);
  const below = (most: number) => Math.floor(random() * most);
  let nowMs = 1_000_000;
  let longGaps = 0;
  for (let step = 0; step < STEPS; step++) {
    const gapMs = below(100) === 0 ? below(15_000) : below(400);
    if (gapMs > LEASE_MS) longGaps += 1;
    nowMs += gapMs;
    const process = `p${below(40)}`;
    const asks = ['x', 'y', 'z'].slice(below(3)).map((name, index) => ({
      name,
      capacity: 1 + below(400),
      msPerUnit: [0, 0.25, 25][index]!,
      used: below(70) - 10,
      usedAgoMs: below(40),
      keep: below(3) === 0 ? 0 : below(20),
      need: below(20),
      spare: below(20),
    }));
    await clock.set(`${prefix}now`, nowMs);
    const drawn = await redis.drawAt(process, asks);
    const expected = leases.draw(process, asks, nowMs);
    expect(drawn.processes).toBe(expected.processes);
    expect(drawn.grants.map(({ granted }) => granted)).toEqual(expected.grants.map(({ granted }) => granted));
    for (const [index, { free }] of drawn.grants.entries()) expect(free).toBeCloseTo(expected.grants[index]!.free, 5);
  }
  expect(longGaps).toBeGreaterThan(10);
}, 300_000);

test('a pool of which Redis evicted one half is begun anew: no lease stays in it for ever', async () => {
  const prefix = prefixOfTest();
  const redis = await openLeases(prefix);
  const ask: LeaseRequest = {
    name: 'x',
    capacity: 10,
    msPerUnit: 0,
    used: 0,
    usedAgoMs: 0,
    keep: 0,
    need: 10,
    spare: 0,
  };
  await redis.draw('a', [ask]);
  expect((await redis.draw('b', [ask])).grants).toEqual([{ granted: 0, free: 0 }]);
  await (await openClient()).del(`${prefix}x:expiry`);
  expect((await redis.draw('b', [ask])).grants).toEqual([{ granted: 10, free: 0 }]);
});

test('more leases than one script takes are requested in several calls', async () => {
  const redis = await openLeases();
  const asks = Array.from(
    { length: 450 },
    (_, index): LeaseRequest => ({
      name: `pool ${index}`,
      capacity: 10,
      msPerUnit: 100,
      used: 0,
      usedAgoMs: 0,
      keep: 0,
      need: index % 12,
      spare: 0,
    }),
  );
  const { grants } = await redis.draw('a', asks);
  expect(grants.map(({ granted }) => granted)).toEqual(asks.map(({ need }) => Math.min(10, need)));
});

test('without Redis a lease request fails fast', async () => {
  const slices = new RedisLeases('redis://127.0.0.1:1', 'none:');
  atEnd.push(() => slices.close());
  await slices.start();
  await expect(slices.draw('a', [])).rejects.toThrow();
});
