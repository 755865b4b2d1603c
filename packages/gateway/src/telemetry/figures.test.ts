import { expect, test } from 'vitest';
import { type Figures, lastingFigures, sumLasting } from './lasting-figures.ts';
import { createMetrics, type Metrics, renderFigures } from './metrics.ts';

const metricsOf = (inFlight: number, generation: number): Metrics =>
  createMetrics({
    protocols: ['chat'],
    routes: ['text-call'],
    providers: [],
    gauges: {
      inFlight: () => inFlight,
      openStreams: () => 0,
      openHolds: () => 0,
      configGeneration: () => generation,
      shedShare: () => 0,
    },
    refusals: () => new Map([['lag', 1]]),
    cuts: () => new Map(),
    withProcessMetrics: false,
  });
const answered = async (metrics: Metrics, times: number): Promise<Figures> => {
  for (let time = 0; time < times; time++) metrics.request('chat', 'text-call', 'ok', 200);
  metrics.duration('chat', 200, undefined);
  // As they arrive in another process.
  return JSON.parse(JSON.stringify(await metrics.figures())) as Figures;
};

test('counters and gauges are summed, and the newest generation is reported', async () => {
  const text = await renderFigures([await answered(metricsOf(3, 1), 5), await answered(metricsOf(4, 2), 7)]);
  expect(text).toContain('trivium_requests_total{protocol="chat",route="text-call",status="2xx"} 12');
  expect(text).toContain('trivium_requests_in_flight 7');
  expect(text).toContain('trivium_config_generation 2');
  expect(text).toContain('trivium_refusals_total{reason="lag"} 2');
  expect(text).toContain('trivium_request_duration_seconds_count{protocol="chat"} 2');
});

test('the counters of a process that is gone remain, and nothing else', async () => {
  const gone = sumLasting([
    lastingFigures(await answered(metricsOf(3, 9), 5)),
    lastingFigures(await answered(metricsOf(3, 9), 1)),
  ]);
  const text = await renderFigures([await answered(metricsOf(1, 1), 2), gone]);
  expect(text).toContain('trivium_requests_total{protocol="chat",route="text-call",status="2xx"} 8');
  expect(text).toContain('trivium_request_duration_seconds_bucket{le="0.25",protocol="chat"} 3');
  expect(text).toContain('trivium_requests_in_flight 1');
  expect(text).toContain('trivium_config_generation 1');
});
