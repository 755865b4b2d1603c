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

test.each([
  ['end', '2026-10-24T00:00:00Z', '2026-10-28T00:00:00Z', ['10-24T22:00', '10-25T23:00', '10-26T23:00', '10-27T23:00']],
  [
    'begin',
    '2026-03-28T00:00:00Z',
    '2026-04-01T00:00:00Z',
    ['03-28T23:00', '03-29T22:00', '03-30T22:00', '03-31T22:00'],
  ],
])('days begin at midnight also where summer time %ss', (_, from, until, ticks) =>
  expect(iso(timeTicks(Date.parse(from), Date.parse(until), 4, 'Europe/Berlin'))).toEqual(ticks),
);

test('hours stay even where the clocks are set back', () =>
  expect(
    iso(timeTicks(Date.parse('2026-10-24T20:00:00Z'), Date.parse('2026-10-25T08:00:00Z'), 4, 'Europe/Berlin')),
  ).toEqual(['10-24T22:00', '10-25T02:00', '10-25T05:00', '10-25T08:00']));
