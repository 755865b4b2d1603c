/** Columns or lines over time, from zero, with units; the same figures as a table on request. What draws it is loaded after the page. */
import { lazy, Suspense } from 'react';
import { CHART_PX, type ChartProps } from './chart-props.ts';

export type { ChartProps, Series } from './chart-props.ts';

const ChartView = lazy(() => import('./chart-view.tsx'));
/** The line of the legend above it. */
const LEGEND_PX = 32;

export const Chart = (props: ChartProps) => (
  <Suspense fallback={<div data-chart="loading" style={{ blockSize: (props.height ?? CHART_PX) + LEGEND_PX }} />}>
    <ChartView {...props} />
  </Suspense>
);
