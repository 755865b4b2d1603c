/** Columns or lines over time, from zero, with units; the same figures as a table on request. What draws it is loaded beside the page's data. */

import { type ComponentType, lazy, Suspense, useState } from 'react';
import { CHART_PX, type ChartProps } from './chart-props.ts';

export type { ChartProps, Series } from './chart-props.ts';

let loaded: ComponentType<ChartProps> | undefined;
const loading = import('./chart-view.tsx').then(({ ChartView }) => {
  loaded = ChartView;
  return { default: ChartView };
});
// The first chart that is drawn reports it.
loading.catch(() => undefined);
const LoadingView = lazy(() => loading);
/** The line of the legend above it. */
const LEGEND_PX = 32;

export function Chart(props: ChartProps) {
  // `lazy` would show the fallback even of what is loaded, and React keeps a fallback for 300 ms.
  const [View] = useState(() => loaded ?? LoadingView);
  return (
    <Suspense fallback={<div data-chart="loading" style={{ blockSize: (props.height ?? CHART_PX) + LEGEND_PX }} />}>
      <View {...props} />
    </Suspense>
  );
}
