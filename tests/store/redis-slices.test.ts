// The lease server of shared limits in Redis gives exactly the same answers as the one in memory.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LeaseServer } from '../../packages/gateway/src/money/limits/lease-server.ts';
import type { LeaseRequest } from '../../packages/gateway/src/money/limits/leases.ts';
import { RedisLeases } from '../../packages/gateway/src/store/redis/leases.ts';
import { startServices } from '../../scripts/services/services.ts';

const open: RedisLeases[] = [];
let url: string;
beforeAll(async () => {
  const { redisUrl } = await startServices();
  url = redisUrl!;
});
afterAll(() => {
  for (const slices of open) slices.close();
});

/** A prefix that keeps this test apart from other data in Redis. */
async function openSlices(): Promise<RedisLeases> {
  const slices = new RedisLeases(url, `test-${randomBytes(6).toString('hex')}:{limits}:`);
  open.push(slices);
  await slices.start();
  return slices;
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
      const redis = await openSlices();
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

test('more leases than one script takes are requested in several calls', async () => {
  const redis = await openSlices();
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
  open.push(slices);
  await slices.start();
  await expect(slices.draw('a', [])).rejects.toThrow();
});
