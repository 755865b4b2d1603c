import { expect, test } from 'vitest';
import { seriesOf, timesOf } from './series.ts';

const [ONE, TWO] = ['2026-11-16T10:00:00.000Z', '2026-11-16T11:00:00.000Z'];
const row = (at: string, group: string, value: number) => ({ at, group, value });

test('the greatest group comes first, and what the API sums up as others is last', () => {
  const rows = [row(TWO, 'b', 1), row(ONE, 'a', 5), row(TWO, 'a', 2), row(ONE, '', 9)];
  expect(seriesOf(rows, timesOf(rows), { gap: 0, others: 'others' })).toEqual([
    { name: 'a', values: [5, 2], color: 'series-1' },
    { name: 'b', values: [0, 1], color: 'series-2' },
    { name: 'others', values: [9, 0], color: 'series-others' },
  ]);
});

test('times have gaps, and those of several groups are not added', () => {
  const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((group, index) => row(index === 0 ? ONE : TWO, group, 9 - index));
  const series = seriesOf(rows, timesOf(rows), { gap: null, others: 'others' });
  expect(series.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(series[0]?.values).toEqual([9, null]);
});
