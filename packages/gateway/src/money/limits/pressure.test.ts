import { expect, test } from 'vitest';
import { Pressure } from './in-flight.ts';

const open = (lagMs = 100) => new Pressure(() => ({ lagMs, heapShare: 0.9, residentShare: 0.8 }));
const observe = (pressure: Pressure, lagMs: number, periods: number, periodMs = 100): number => {
  for (let period = 0; period < periods; period++)
    pressure.observe(lagMs, { heapShare: 0.1, residentShare: 0.1 }, periodMs);
  return pressure.shed;
};

test('a single stall of any length causes no refusals, nor do several short ones', () => {
  const pressure = open();
  expect(observe(pressure, 5000, 1, 5000)).toBe(0);
  expect(observe(pressure, 20, 1)).toBe(0);
  expect(observe(pressure, 500, 2)).toBe(0);
  expect(observe(pressure, 20, 1)).toBe(0);
});

test('turns of the event loop longer than a period count by their length', () => {
  const pressure = open();
  expect(observe(pressure, 400, 2, 400)).toBeGreaterThan(0.5);
});

test('a sustained delay sheds more and more requests, up to a bound', () => {
  const pressure = open();
  const first = observe(pressure, 150, 3);
  expect(first).toBeGreaterThan(0);
  expect(observe(pressure, 150, 10)).toBeGreaterThan(first);
  expect(observe(pressure, 100_000, 1000)).toBe(4);
});

test('a delay exactly at the limit leaves shedding unchanged', () => {
  const pressure = open();
  observe(pressure, 200, 20);
  const settled = observe(pressure, 100, 1);
  expect(observe(pressure, 100, 10)).toBeCloseTo(settled, 10);
});

test('the highest pressure decays within 1.5 s of low delay', () => {
  const pressure = open();
  expect(observe(pressure, 1000, 1000)).toBe(4);
  expect(observe(pressure, 0, 15)).toBe(0);
});

test.each([
  ['heap', { heapShare: 0.95, residentShare: 0.1 }],
  ['memory outside the heap (S4)', { heapShare: 0.1, residentShare: 0.85 }],
])('a full %s counts at once, and only while it is full', (_what, full) => {
  const pressure = open(0);
  pressure.observe(0, full, 100);
  expect(pressure.memoryFull).toBe(true);
  pressure.observe(0, { heapShare: 0.5, residentShare: 0.5 }, 100);
  expect(pressure.memoryFull).toBe(false);
});

test('a bound of 0 disables the delay check', () => {
  expect(observe(open(0), 10_000, 100)).toBe(0);
});
