import type { Produced } from '@trivium/protocol/canonical';
import { expect, test } from 'vitest';
import { RateCard } from '../../prices/rates.ts';
import type { Planned } from '../request.ts';
import { billOf } from './bill.ts';

const row = (picoUsd: bigint) => [{ picoUsd, unit: 'perMTokens' }] as const;
const rates = new RateCard(
  { prices: { prompt: row(10n ** 12n), completion: row(2n * 10n ** 12n) }, otherPrices: [] },
  'v',
).rates();
const written = (producedPieces: number, producedCharacters: number): Produced => ({
  producedPieces,
  producedCharacters,
});
const planned = (call: () => unknown): Planned =>
  ({ text: 'x'.repeat(400), understanding: { call } }) as unknown as Planned;
const unreadable = planned(() => {
  throw new Error('no such call');
});

test("the upstream's figures are the bill", () => {
  const bill = billOf(
    unreadable,
    { usage: { prompt: 10, completion: 5 }, reported: true, ...written(200, 999) },
    rates,
  );
  expect(bill).toMatchObject({ usage: { prompt: 10, completion: 5 }, estimated: false, cost: { nanoUsd: 20_000n } });
});

test('an answer that was cut short is charged for the part that arrived, and marked as an estimate', () => {
  const bill = billOf(unreadable, { usage: { prompt: 10 }, reported: true, ...written(11, 66) }, rates);
  expect(bill).toMatchObject({ usage: { prompt: 10, completion: 11 }, estimated: true, cost: { nanoUsd: 32_000n } });
});

test('a host that reports no usage is always charged by our own estimate', () => {
  const bill = billOf(unreadable, { usage: {}, reported: false, ...written(1, 4) }, rates);
  expect(bill).toMatchObject({ usage: { prompt: 100, completion: 1 }, estimated: true });
});
