import { describe, expect, test } from 'vitest';
import { paceOf, resetMs } from './budget.ts';

const NOON = Date.parse('2026-12-31T12:00:00Z');

test('days end at midnight of UTC, months with the year, totals never', () => {
  expect(resetMs('day', NOON)).toBe(Date.parse('2027-01-01T00:00:00Z'));
  expect(resetMs('month', NOON)).toBe(Date.parse('2027-01-01T00:00:00Z'));
  expect(resetMs('total', NOON)).toBeUndefined();
});

describe('the pace', () => {
  test('three quarters by noon are all by 16:00', () =>
    expect(paceOf('day', 0.75, NOON)).toEqual({ fullMs: Date.parse('2026-12-31T16:00:00Z') }));
  test('half by noon lasts', () => expect(paceOf('day', 0.5, NOON)).toBe('lasts'));
  test('nothing used lasts', () => expect(paceOf('month', 0, NOON)).toBe('lasts'));
  test('what is used up is full now', () => expect(paceOf('day', 1.2, NOON)).toEqual({ fullMs: NOON }));
  test('the first minutes say nothing', () =>
    expect(paceOf('day', 0.3, Date.parse('2026-12-31T00:05:00Z'))).toBe('unknown'));
  test('a total has none', () => expect(paceOf('total', 0.5, NOON)).toBe('unknown'));
});
