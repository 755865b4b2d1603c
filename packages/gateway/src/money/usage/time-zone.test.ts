import { expect, test } from 'vitest';
import { isTimeZone, midnightOf, monthAround, nextMidnight } from './time-zone.ts';

const at = (ms: number | undefined): string => new Date(ms!).toISOString();

test('midnight is that of the zone, before and after a daylight saving change', () => {
  expect(at(midnightOf('2026-11-16', 'UTC'))).toBe('2026-11-16T00:00:00.000Z');
  expect(at(midnightOf('2026-11-16', 'Europe/Berlin'))).toBe('2026-11-15T23:00:00.000Z');
  expect(at(midnightOf('2026-10-25', 'Europe/Berlin'))).toBe('2026-10-24T22:00:00.000Z');
  expect(at(midnightOf('2026-10-26', 'Europe/Berlin'))).toBe('2026-10-25T23:00:00.000Z');
  expect(at(midnightOf('2026-11-16', 'Asia/Tokyo'))).toBe('2026-11-15T15:00:00.000Z');
});

test('the next midnight in a day of 25 hours is the end of that day', () => {
  expect(at(nextMidnight(Date.parse('2026-10-24T23:30:00Z'), 'Europe/Berlin'))).toBe('2026-10-25T23:00:00.000Z');
});

test('a day whose midnight is skipped begins when clocks are set forward, on either side of Greenwich', () => {
  expect(at(midnightOf('2026-09-06', 'America/Santiago'))).toBe('2026-09-06T04:00:00.000Z');
  expect(at(midnightOf('2026-03-29', 'Atlantic/Azores'))).toBe('2026-03-29T01:00:00.000Z');
  expect(at(midnightOf('2026-03-29', 'Asia/Beirut'))).toBe('2026-03-28T22:00:00.000Z');
  expect(at(midnightOf('2026-04-05', 'Pacific/Auckland'))).toBe('2026-04-04T11:00:00.000Z');
  expect(at(nextMidnight(Date.parse('2026-09-06T03:30:00Z'), 'America/Santiago'))).toBe('2026-09-06T04:00:00.000Z');
});

test('a month begins and ends with midnights of the zone', () => {
  const { startMs, endMs } = monthAround(Date.parse('2026-03-31T22:30:00Z'), 'Europe/Berlin');
  expect([at(startMs), at(endMs)]).toEqual(['2026-03-31T22:00:00.000Z', '2026-04-30T22:00:00.000Z']);
});

test('impossible days and unknown time zones are refused', () => {
  expect(midnightOf('2026-02-30', 'UTC')).toBeUndefined();
  expect(midnightOf('today', 'UTC')).toBeUndefined();
  expect(['UTC', 'America/New_York', '+02:00', 'Mars/Olympus', "UTC'"].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
