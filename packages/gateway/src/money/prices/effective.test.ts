import { expect, test } from 'vitest';
import type { PriceCase } from '../../kernel/price.ts';
import type { Endpoint } from '../../models/catalogue/model.ts';
import { endpointAt, nextPriceChangeMs } from './effective.ts';

const row = (picoUsd: bigint) => [{ picoUsd, unit: 'perMTokens' }] as const;
const endpoint = (when: PriceCase): Endpoint => ({
  provider: 'p',
  dialect: 'openai-chat',
  upstreamModel: 'm',
  prices: { prompt: row(1n), completion: row(2n) },
  otherPrices: [{ basis: 'later', when, prices: { prompt: row(10n) } }],
});
const promptAt = (when: PriceCase, time: string) =>
  endpointAt(endpoint(when), Date.parse(time)).prices.prompt?.[0]?.picoUsd;

test('a price applies from its first day until its end date', () => {
  const when = { from: '2027-01-01', until: '2027-02-01' };
  expect(
    ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00Z', '2027-01-31T23:59:59Z', '2027-02-01T00:00:00Z'].map((time) =>
      promptAt(when, time),
    ),
  ).toEqual([1n, 10n, 10n, 1n]);
});

test('a price for certain hours applies on those days, in UTC', () => {
  const when = { weekly: { days: [1, 2, 3, 4, 5], hours: [{ from: 1, to: 4 }] } };
  // 2026-11-16 is a Monday.
  expect(
    [
      '2026-11-16T00:59:59Z',
      '2026-11-16T01:00:00Z',
      '2026-11-16T03:59:59Z',
      '2026-11-16T04:00:00Z',
      '2026-11-15T02:00:00Z',
    ].map((time) => promptAt(when, time)),
  ).toEqual([1n, 10n, 10n, 1n, 1n]);
});

test('price kinds that a case does not name stay unchanged, and other conditions remain conditions', () => {
  const at = Date.parse('2027-03-01T00:00:00Z');
  expect(endpointAt(endpoint({ from: '2027-01-01' }), at).prices.completion?.[0]?.picoUsd).toBe(2n);
  const both = endpointAt(endpoint({ from: '2027-01-01', resolution: ['4k'] }), at);
  expect(both.prices.prompt?.[0]?.picoUsd).toBe(1n);
  expect(both.otherPrices.map(({ when }) => when)).toEqual([{ resolution: ['4k'] }]);
});

test('a surcharge of certain days stays a surcharge', () => {
  const image = [{ picoUsd: 3n, unit: 'perCount' }] as const;
  const extra = { basis: 'extra', beyond: { of: 'megapixels', first: 1 }, prices: { image } } as const;
  const dated = { ...endpoint({ from: '2027-01-01' }), otherPrices: [{ ...extra, when: { from: '2027-01-01' } }] };
  const at = endpointAt(dated, Date.parse('2027-03-01T00:00:00Z'));
  expect(at.prices.image).toBeUndefined();
  expect(at.otherPrices).toEqual([{ ...extra, when: {} }]);
});

test('prices that depend on time may change on the next full hour', () => {
  const at = Date.parse('2026-11-15T06:40:12Z');
  expect(nextPriceChangeMs([endpoint({ resolution: ['4k'] })], at)).toBeUndefined();
  expect(nextPriceChangeMs([endpoint({ from: '2027-01-01' })], at)).toBe(Date.parse('2026-11-15T07:00:00Z'));
});
