import { expect, test } from 'vitest';
import type { SpendRow } from '../../format/spend-row.ts';
import type { Measure } from './measures.ts';
import { timelineOf } from './series.ts';

const NAMES = { none: 'none', others: 'others' };
const requests: Measure = { id: 'requests', name: 'Requests', value: (row) => row.requests, format: String };
const row = (model: string, at: string, count: number) => ({ model, at, requests: count }) as SpendRow;
const DAY = '2026-11-01T00:00:00Z';
const NEXT = '2026-11-02T00:00:00Z';

test('five groups are shown, and all others as one', () => {
  const order = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const { times, series } = timelineOf(
    order.map((model, index) => row(model, DAY, index + 1)),
    'model',
    order,
    requests,
    NAMES,
  );
  expect(times).toEqual([Date.parse(DAY)]);
  expect(series.map(({ name, values }) => [name, values[0]])).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 3],
    ['d', 4],
    ['e', 5],
    ['others', 13],
  ]);
});

test('until its rows have come, a group of the sums is not shown as one without a name', () => {
  expect(timelineOf([], 'model', ['a', 'b'], requests, NAMES).series).toEqual([]);
  const [only] = timelineOf([row('b', DAY, 2)], 'model', ['a', 'b'], requests, NAMES).series;
  expect(only).toEqual({ name: 'b', values: [2], color: 'series-2' });
});

test('a time without requests of a group counts as none, a missing quantile stays a gap', () => {
  const rows = [row('a', DAY, 1), row('b', NEXT, 2)];
  expect(timelineOf(rows, 'model', ['a', 'b'], requests, NAMES).series[0]?.values).toEqual([1, 0]);
  const time: Measure = { ...requests, isTime: true };
  expect(timelineOf(rows, 'model', ['a', 'b'], time, NAMES).series[0]?.values).toEqual([1, null]);
});
