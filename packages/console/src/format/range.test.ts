import { describe, expect, test } from 'vitest';
import { boundsOf, parseRange, pinned, rangeHolding, rangeText, widens } from './range.ts';

const HOUR = 3_600_000;

describe('parseRange', () => {
  test.each([
    ['1h', HOUR],
    ['15m', HOUR / 4],
    ['last 3 h', 3 * HOUR],
    ['Last 7 days', 168 * HOUR],
  ])('reads %s', (text, ms) => expect(parseRange(text)).toMatchObject({ kind: 'last', ms }));

  test('reads days as whole days of UTC, the last one included', () =>
    expect(parseRange('2026-11-01..2026-11-07')).toEqual({
      kind: 'fixed',
      fromMs: Date.parse('2026-11-01T00:00:00Z'),
      untilMs: Date.parse('2026-11-08T00:00:00Z'),
    }));

  test.each(['', '0h', 'soon', '99999d', '2026-11-07..2026-11-01', '1h..2h', 'a..b..c'])('refuses %j', (text) =>
    expect(parseRange(text)).toBeUndefined(),
  );
});

test('a range is written as it is read', () => {
  for (const text of ['24h', '2026-11-01T00:00:00.000Z..2026-11-02T00:00:00.000Z']) {
    const range = parseRange(text);
    expect(range && rangeText(range)).toBe(text);
  }
});

test('a relative range moves with the clock until it is pinned', () => {
  const range = parseRange('1h')!;
  expect(boundsOf(range, 10 * HOUR)).toEqual({ fromMs: 9 * HOUR, untilMs: 10 * HOUR });
  expect(boundsOf(pinned(range, 10 * HOUR), 20 * HOUR)).toMatchObject({ fromMs: 9 * HOUR, untilMs: 10 * HOUR });
});

test.each([
  ['7d', '1h', true],
  ['7d', '30d', false],
  ['30d', '30d', false],
  ['7d', '2026-11-10..2026-11-11', true],
  ['7d', '2026-11-01..2026-11-02', false],
])('%s shows more than %s does: %s', (text, shown, isMore) =>
  expect(widens(text, parseRange(shown)!, Date.parse('2026-11-16T00:00:00Z'))).toBe(isMore),
);

test.each([
  ['of the page, where it holds the request', '2026-11-17T11:50:00Z', '1h', '1h'],
  ['of the page, fixed', '2026-11-02T00:00:00Z', '2026-11-01..2026-11-07', '2026-11-01..2026-11-07'],
  ['a day', '2026-11-17T09:00:00Z', undefined, '24h'],
  ['a day, where that of the page is too short', '2026-11-17T09:00:00Z', '1h', '24h'],
  ['a day, where the clock of the gateway is ahead', '2026-11-17T12:00:05Z', undefined, '24h'],
  ['7 days', '2026-11-14T09:00:00Z', undefined, '7d'],
  ['30 days, where that of the page begins later', '2026-10-20T09:00:00Z', '2026-11-01..2026-11-07', '30d'],
  ['the day of an older one', '2026-03-01T23:30:00Z', undefined, '2026-03-01..2026-03-01'],
])('the range around a request is %s', (_, at, preferred, range) =>
  expect(rangeHolding(Date.parse(at), Date.parse('2026-11-17T12:00:00Z'), preferred)).toBe(range),
);
