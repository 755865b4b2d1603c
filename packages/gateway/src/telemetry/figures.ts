/** Figures of several processes that serve one address, put together as if one had counted. */
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';

/** What one process has counted, in a form that can be sent to another. */
export type Figures = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What prom-client says of a metric in this form, though its types do not: `counter`, `gauge`, `histogram` by name. */
const LASTING: ReadonlySet<string> = new Set(['counter', 'histogram']);

export const figuresOf = (registry: Registry): Promise<Figures> => registry.getMetricsAsJSON();

/** Counts outlive the process that made them, or they would seem to fall; what it was at that moment does not. */
export const lastingFigures = (figures: Figures): Figures => figures.filter(({ type }) => LASTING.has(String(type)));

export const renderFigures = (all: readonly Figures[]): Promise<string> =>
  AggregatorRegistry.aggregate(all.map((figures) => [...figures])).metrics();

/** The same as one, so that those of a hundred processes that are gone take no more room than those of one. */
export const sumFigures = (all: readonly Figures[]): Promise<Figures> =>
  AggregatorRegistry.aggregate(all.map((figures) => [...figures])).getMetricsAsJSON();
