import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PassthroughPrice } from '../../kernel/passthrough.ts';
import { EndpointRates } from '../../money/prices/rates.ts';
import { numberAt, passthroughBill, passthroughHold } from './passthrough-price.ts';

const card = new EndpointRates(
  { prices: { prompt: [{ picoUsd: 2_000_000_000n, unit: 'perCount' }] }, otherPrices: [] },
  'v1',
);
const FLAT: PassthroughPrice = { kind: 'flat', card };
const METERED: PassthroughPrice = { kind: 'metered', card, pointer: ['usage', 'units'], maxUnits: 10 };
const UNIT_NANO = 2_000_000n;

test('[PT-09] what is held is the most a call can cost', () => {
  expect(passthroughHold({ kind: 'free' }, undefined)).toBe(0n);
  expect(passthroughHold(FLAT, card.rates())).toBe(UNIT_NANO);
  expect(passthroughHold(METERED, card.rates())).toBe(10n * UNIT_NANO);
});

test('[PT-08] a flat price is charged once, and free is nothing', () => {
  expect(passthroughBill(FLAT, card.rates(), 'whatever').cost.nanoUsd).toBe(UNIT_NANO);
  expect(passthroughBill({ kind: 'free' }, undefined, '{}')).toMatchObject({ usage: {}, cost: { nanoUsd: 0n } });
});

describe('[PT-10] units are read from the answer', () => {
  const charged = (answer: string) => passthroughBill(METERED, card.rates(), answer);
  test.each([
    ['{"usage":{"units":3}}', 3n],
    ['{"usage":{"units":0}}', 0n],
    ['{"usage":{"units":2.5}}', 3n],
    ['{"usage":{"units":10}}', 10n],
  ])('%s', (answer, units) => {
    const bill = charged(answer);
    expect(bill.cost.nanoUsd).toBe(units * UNIT_NANO);
    expect([bill.estimated, bill.suspect]).toEqual([false, undefined]);
  });

  test.each([
    ...['', 'not json', '[]', '{}', '{"usage":null}', '{"usage":{"units":"3"}}', '{"usage":{"units":-1}}'],
    ...['{"usage":{"units":null}}', '{"usage":{"units":1e999}}', '{"usage":{"units":{}}}', '{"__proto__":{"units":1}}'],
  ])('[PT-11] %j names none, and costs the most', (answer) => {
    const bill = charged(answer);
    expect([bill.cost.nanoUsd, bill.estimated]).toEqual([10n * UNIT_NANO, true]);
  });

  test('[PT-11] no answer costs more than the most', () => {
    const bill = charged('{"usage":{"units":1000000}}');
    expect(bill).toMatchObject({
      usage: { units: 10 },
      cost: { nanoUsd: 10n * UNIT_NANO },
      suspect: { why: ['unit-count'], reported: { units: 1_000_000 } },
    });
  });
});

test('[PT-09] whatever a path answers, no more is charged than was held', () => {
  const units = fc.oneof(fc.double(), fc.integer(), fc.string(), fc.constant(null));
  const answers = fc.oneof(
    units.map((told) => JSON.stringify({ usage: { units: told } })),
    fc.json(),
    fc.string(),
  );
  const priced = fc.record({ picoUsd: fc.bigInt({ min: 0n, max: 10n ** 17n }), maxUnits: fc.integer({ min: 1 }) });
  fc.assert(
    fc.property(
      priced,
      fc.constantFrom('flat' as const, 'metered' as const),
      answers,
      ({ picoUsd, maxUnits }, kind, answer) => {
        const own = new EndpointRates({ prices: { prompt: [{ picoUsd, unit: 'perCount' }] }, otherPrices: [] }, 'v');
        const price: PassthroughPrice =
          kind === 'flat' ? { kind, card: own } : { kind, card: own, pointer: ['usage', 'units'], maxUnits };
        const { cost } = passthroughBill(price, own.rates(), answer);
        expect(passthroughHold(price, own.rates()) >= cost.nanoUsd).toBe(true);
        expect(cost.unpriced).toEqual([]);
      },
    ),
  );
});

test('a route without a price is recorded as unpriced', () => {
  expect(passthroughBill(undefined, undefined, '{}').cost).toMatchObject({ nanoUsd: 0n, unpriced: ['units'] });
});

test('pointers reach into arrays, and to own members only', () => {
  expect(numberAt({ a: [{ 'b/c': 4 }] }, ['a', '0', 'b/c'])).toBe(4);
  expect(numberAt({ a: [1] }, ['a', 'length'])).toBeUndefined();
  expect(numberAt({ a: [1] }, ['a', '00'])).toBeUndefined();
  expect(numberAt({}, ['constructor', 'length'])).toBeUndefined();
});
