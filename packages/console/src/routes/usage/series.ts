/** The five greatest groups over time, and all others as one. */

import { groupOf, labelOf, type SpendRow } from '../../format/spend-row.ts';
import type { Series } from '../../parts/figures/chart-props.ts';
import type { Measure } from './measures.ts';

const SHOWN = 5;

export type Timeline = { readonly times: readonly number[]; readonly series: readonly Series[] };

/** `order`: groups, the greatest first; each keeps its colour whatever is measured. */
export function timelineOf(
  rows: readonly SpendRow[],
  by: string,
  order: readonly string[],
  measure: Measure,
  names: { readonly none: string; readonly others: string },
): Timeline {
  const times = [...new Set(rows.map(({ at }) => Date.parse(at ?? '')))].sort((a, b) => a - b);
  const shown = order.slice(0, SHOWN);
  const labels = new Map(rows.map((row) => [groupOf(row, by), labelOf(row, by)]));
  const values = new Map<string, (number | null)[]>();
  const empty = (): (number | null)[] => times.map(() => (measure.isTime ? null : 0));
  for (const row of rows) {
    const group = groupOf(row, by);
    const name = shown.includes(group) ? group : undefined;
    // Quantiles of several groups cannot be added.
    if (name === undefined && measure.isTime) continue;
    const key = name ?? '\0others';
    const line = values.get(key) ?? empty();
    values.set(key, line);
    const index = times.indexOf(Date.parse(row.at ?? ''));
    const value = measure.value(row);
    if (value !== null) line[index] = (line[index] ?? 0) + value;
  }
  // The sums may have come first: groups that are not in the rows yet have no name.
  const series = shown.flatMap((group, index) =>
    labels.has(group)
      ? [{ name: labels.get(group) || names.none, values: values.get(group) ?? [], color: `series-${index + 1}` }]
      : [],
  );
  const others = values.get('\0others');
  return {
    times,
    series: others === undefined ? series : [...series, { name: names.others, values: others, color: 'series-others' }],
  };
}
