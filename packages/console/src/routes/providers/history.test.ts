import { expect, test } from 'vitest';
import { healthCells } from './history.ts';

const bar = (at: string, ok: number, upstream: number, caller = 0) => ({
  at,
  ok,
  caller,
  upstream,
  gateway: 0,
  p50Ms: null,
  p95Ms: null,
});

test('each quarter of an hour has a cell, also without requests; errors of callers are no failures', () => {
  const cells = healthCells({
    from: '2026-11-16T14:00:00.000Z',
    until: '2026-11-16T15:10:00.000Z',
    bucketSeconds: 900,
    bars: [
      bar('2026-11-16T14:15:00.000Z', 6, 0, 3),
      bar('2026-11-16T14:30:00.000Z', 1, 2),
      bar('2026-11-16T14:45:00.000Z', 0, 4),
    ],
  });
  expect(cells.map(({ health }) => health)).toEqual(['none', 'ok', 'some', 'out', 'none']);
});
