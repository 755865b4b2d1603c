/** Rows of the overview as lines of a chart: a group keeps its colour, those beyond five are one. */
import type { Schemas } from '../../api/client.ts';
import type { Series } from '../../parts/figures/chart-props.ts';

export type Overview = Schemas['Overview'];

type Row = { readonly at: string; readonly group: string; readonly value: number };

const SHOWN = 5;

export const timesOf = (rows: readonly { readonly at: string }[]): readonly number[] =>
  [...new Set(rows.map(({ at }) => Date.parse(at)))].sort((one, other) => one - other);

/** The greatest first. The API gives all others as the empty group; where values do not add up (`gap: null`), the others are left out. */
export function seriesOf(
  rows: readonly Row[],
  times: readonly number[],
  { gap, others }: { readonly gap: 0 | null; readonly others: string },
): readonly Series[] {
  const sums = new Map<string, number>();
  for (const { group, value } of rows) sums.set(group, (sums.get(group) ?? 0) + value);
  const named = [...sums].filter(([group]) => group !== '').sort(([, one], [, other]) => other - one);
  const shown = named.slice(0, SHOWN).map(([group]) => group);
  const valuesOf = (isIn: (group: string) => boolean): readonly (number | null)[] => {
    const values: (number | null)[] = times.map(() => gap);
    for (const { at, group, value } of rows) {
      const index = times.indexOf(Date.parse(at));
      if (isIn(group)) values[index] = (values[index] ?? 0) + value;
    }
    return values;
  };
  const series = shown.map((name, index) => ({
    name,
    values: valuesOf((group) => group === name),
    color: `series-${index + 1}`,
  }));
  if (gap === null || sums.size === shown.length) return series;
  return [...series, { name: others, values: valuesOf((group) => !shown.includes(group)), color: 'series-others' }];
}
