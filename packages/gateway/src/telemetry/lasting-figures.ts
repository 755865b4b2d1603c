/**
 * Metrics of processes that are gone, in the form they were sent in. Loads no metrics library: the supervisor keeps
 * them.
 */
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from 'prom-client';

/** The metrics of one process, in a form that can be sent to another. */
export type Figures = readonly Metric[];

type Metric = MetricObjectWithValues<Partial<Pick<MetricValueWithName<string>, 'metricName'>> & MetricValue<string>>;

/**
 * The types prom-client reports in this form, though its TypeScript types do not: `counter`, `gauge`, `histogram` by
 * name.
 */
const LASTING: ReadonlySet<string> = new Set(['counter', 'histogram']);

/** Counters outlive their process, or they would seem to fall; gauges do not. */
export const lastingFigures = (figures: Figures): Figures => figures.filter(({ type }) => LASTING.has(String(type)));

/** Merged into one, so that the metrics of a hundred processes that are gone take no more memory than those of one. */
export function sumLasting(all: readonly Figures[]): Figures {
  const metrics = new Map<string, Metric>();
  for (const metric of all.flat()) {
    const summed = metrics.get(metric.name);
    metrics.set(metric.name, summed === undefined ? metric : { ...summed, values: sumValues(summed, metric) });
  }
  return [...metrics.values()];
}

function sumValues(one: Metric, other: Metric): Metric['values'] {
  const values = new Map<string, Metric['values'][number]>();
  for (const value of [...one.values, ...other.values]) {
    const series = seriesOf(value);
    values.set(series, { ...value, value: (values.get(series)?.value ?? 0) + value.value });
  }
  return [...values.values()];
}

/** A histogram's values carry their own name (`…_bucket`, `…_sum`, `…_count`). */
const seriesOf = ({ metricName, labels }: Metric['values'][number]): string =>
  JSON.stringify([metricName ?? '', Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
