import { expect, test } from 'vitest';
import { withinLimits } from './plausible.ts';
import { EndpointRates } from './rates.ts';
import { heardAsk, heardLimits, heardUsage, usualSeconds } from './sound.ts';

const perSecond = new EndpointRates(
  { prices: { audio: [{ picoUsd: 100_000_000n, unit: 'perSecond' }] }, otherPrices: [] },
  'v',
).rates();
const secondsHeld = (parsed: number | undefined): number | undefined =>
  heardAsk(parsed, 0, perSecond).others?.audioSeconds;

test('a recording is held at its length, and what hosts may add to it', () => {
  expect(secondsHeld(60)).toBe(64);
  expect(secondsHeld(1)).toBe(10);
  expect(secondsHeld(undefined)).toBe(14_400);
});

test('no figure of a host is charged above the hold', () => {
  for (const parsed of [0.3, 30, 3600, undefined]) {
    const told = heardUsage({ audioSeconds: 1_000_000 }, usualSeconds(parsed, 0), () => 0, perSecond);
    const { usage, why } = withinLimits(told, heardLimits(parsed, 0));
    expect(usage.audioSeconds).toBe(secondsHeld(parsed));
    expect(why).toEqual(['sound-length']);
  }
});

test('what no host has told is charged as usual, and not as the most it may be', () => {
  expect(heardUsage({}, usualSeconds(7.3, 999_999), () => 0, perSecond)).toEqual({ audioSeconds: 7.3 });
  expect(heardUsage({}, usualSeconds(undefined, 400_000), () => 0, perSecond)).toEqual({ audioSeconds: 100 });
});
