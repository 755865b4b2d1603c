import { expect, test } from 'vitest';
import { timeTicks } from './time-ticks.ts';

const iso = (ticks: readonly number[]): readonly string[] => ticks.map((ms) => new Date(ms).toISOString().slice(5, 16));

test('an hour has ticks at round minutes', () =>
  expect(iso(timeTicks(Date.parse('2026-11-15T14:03:22Z'), Date.parse('2026-11-15T15:03:22Z'), 7, 'UTC'))).toEqual([
    '11-15T14:10',
    '11-15T14:20',
    '11-15T14:30',
    '11-15T14:40',
    '11-15T14:50',
    '11-15T15:00',
  ]));

test('days begin at midnight of the zone', () =>
  expect(
    iso(timeTicks(Date.parse('2026-11-10T00:00:00Z'), Date.parse('2026-11-13T00:00:00Z'), 4, 'Asia/Kolkata')),
  ).toEqual(['11-10T18:30', '11-11T18:30', '11-12T18:30']));
