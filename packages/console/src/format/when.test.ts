import { describe, expect, test } from 'vitest';
import { exactWhen, formatAgo, formatTick, formatWhen } from './when.ts';

const NOW = Date.parse('2026-11-15T23:30:00Z');

describe('formatWhen', () => {
  test('shows a time of today to the millisecond', () =>
    expect(formatWhen('2026-11-15T14:03:22.418Z', 'UTC', NOW)).toBe('14:03:22.418'));
  test('shows the day of an earlier time', () =>
    expect(formatWhen('2026-11-14T14:03:22.418Z', 'UTC', NOW)).toBe('Nov 14 14:03:22'));
  test('shows the year of another year', () =>
    expect(formatWhen('2025-11-14T14:03:22Z', 'UTC', NOW)).toBe('Nov 14, 2025 14:03:22'));
  test('decides what is today in the zone of the page', () =>
    expect(formatWhen('2026-11-15T14:03:22.418Z', 'Europe/Berlin', NOW)).toBe('Nov 15 15:03:22'));
  test('has midnight as 00', () => expect(formatWhen('2026-11-15T00:00:00Z', 'UTC', NOW)).toBe('00:00:00.000'));
});

test('formatAgo says how long ago or how soon', () => {
  expect(formatAgo(NOW - 180_000, NOW)).toBe('3 min. ago');
  expect(formatAgo(NOW + 2 * 86_400_000, NOW)).toBe('in 2 days');
});

test('exactWhen is in UTC', () => expect(exactWhen(NOW, NOW)).toContain('2026-11-15T23:30:00.000Z'));

test('formatTick shows hours for a day and days for a week', () => {
  expect(formatTick(NOW, 86_400_000, 'UTC')).toBe('23:30');
  expect(formatTick(NOW, 7 * 86_400_000, 'UTC')).toBe('Nov 15');
});
