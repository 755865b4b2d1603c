/** Figures of several processes that serve one address, put together as if one had counted. */
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Figures } from './lasting-figures.ts';

export const figuresOf = (registry: Registry): Promise<Figures> => registry.getMetricsAsJSON();

export const renderFigures = (all: readonly Figures[]): Promise<string> =>
  AggregatorRegistry.aggregate(all.map((figures) => [...figures])).metrics();
