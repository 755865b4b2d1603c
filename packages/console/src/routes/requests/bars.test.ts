import { expect, test } from 'vitest';
import { filledBars } from './bars.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 15, 14, minute)).toISOString();

test('bars without requests are there with zeros, and the last one is whole', () => {
  const { bars, untilMs } = filledBars({
    from: at(0),
    until: new Date(Date.parse(at(3)) + 1).toISOString(),
    bucketSeconds: 60,
    bars: [{ at: at(1), ok: 5, caller: 1, upstream: 0, gateway: 0 }],
  });
  expect(bars.map(({ atMs, ok }) => [new Date(atMs).toISOString(), ok])).toEqual([
    [at(0), 0],
    [at(1), 5],
    [at(2), 0],
    [at(3), 0],
  ]);
  expect(untilMs).toBe(Date.parse(at(4)));
});
