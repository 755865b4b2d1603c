import { describe, expect, test } from 'vitest';
import { createMetrics, type MetricsOptions } from './metrics.ts';

const make = (own: Partial<MetricsOptions> = {}) =>
  createMetrics({
    protocols: ['chat', 'messages', 'genai'],
    routes: ['completions', 'models'],
    providers: ['openai'],
    gauges: {
      inFlight: () => 3,
      openStreams: () => 2,
      openHolds: () => 1,
      configGeneration: () => 7,
      shedShare: () => 0.5,
    },
    refusals: () => new Map([['in-flight', 4]]),
    cuts: () => new Map(),
    withProcessMetrics: false,
    ...own,
  });

const seriesOf = async (metrics: ReturnType<typeof make>): Promise<readonly string[]> =>
  (await metrics.render()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('createMetrics', () => {
  test('counts requests by protocol, route and status class, and faults by kind', async () => {
    const metrics = make();
    metrics.request('chat', 'completions', 'ok', 200);
    metrics.request('chat', 'completions', 'ok', 200);
    metrics.request('chat', 'completions', 'over-rate', 429);
    const series = await seriesOf(metrics);
    expect(series).toContain('trivium_requests_total{protocol="chat",route="completions",status="2xx"} 2');
    expect(series).toContain('trivium_requests_total{protocol="chat",route="completions",status="4xx"} 1');
    expect(series).toContain('trivium_faults_total{protocol="chat",fault="over-rate"} 1');
  });

  test('counts attempts, losses, tokens and cost', async () => {
    const metrics = make();
    metrics.allow([], ['openai/gpt-5']);
    metrics.attempt('openai', 'verbatim', 'upstream-broken');
    metrics.loss('chat', 'clamped');
    metrics.tokens('openai', 'openai/gpt-5', { prompt: 10, completion: 0 });
    metrics.tokens('openai', 'openai/gpt-5', { prompt: 5 });
    metrics.cost('openai', 'openai/gpt-5', 0.25);
    metrics.cost('openai', 'openai/gpt-5', 0.5);
    metrics.cost('openai', 'openai/made-up', 1);
    const series = await seriesOf(metrics);
    expect(series).toContain(
      'trivium_upstream_attempts_total{provider="openai",lane="verbatim",outcome="upstream-broken"} 1',
    );
    expect(series).toContain('trivium_losses_total{protocol="chat",why="clamped"} 1');
    expect(series).toContain('trivium_tokens_total{provider="openai",model="openai/gpt-5",meter="prompt"} 15');
    expect(series).toContain('trivium_cost_usd_total{provider="openai",model="openai/gpt-5"} 0.75');
    expect(series).toContain('trivium_cost_usd_total{provider="openai",model="other"} 1');
    expect(series.some((line) => line.includes('meter="completion"'))).toBe(false);
  });

  test('shows the delays of the event loop since the last time, under the names that Node processes have', async () => {
    const metrics = make({ withProcessMetrics: true });
    for (const delayMs of [1, 2, 2, 5]) metrics.loopDelay(delayMs);
    const delays = async () => {
      const series = (await seriesOf(metrics)).filter((line) => line.startsWith('nodejs_eventloop_lag_'));
      return new Map(series.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
    };
    const shown = await delays();
    expect(shown.get('nodejs_eventloop_lag_min_seconds')).toBeCloseTo(0.001);
    expect(shown.get('nodejs_eventloop_lag_max_seconds')).toBeCloseTo(0.005);
    expect(shown.get('nodejs_eventloop_lag_mean_seconds')).toBeCloseTo(0.0025);
    expect(shown.get('nodejs_eventloop_lag_p50_seconds')).toBeCloseTo(0.002);
    expect([...shown.keys()]).toHaveLength(8);
    expect((await delays()).get('nodejs_eventloop_lag_max_seconds')).toBe(0);
  });

  test('counts waits for a turn of the event loop and floods of upstreams', async () => {
    const gauges = { inFlight: () => 0, openStreams: () => 0, openHolds: () => 0, configGeneration: () => 1 };
    const metrics = make({ gauges: { ...gauges, shedShare: () => 0, loop: { waits: () => 3, floods: () => 2 } } });
    const series = await seriesOf(metrics);
    expect(series).toContain('trivium_loop_waits_total 3');
    expect(series).toContain('trivium_upstream_floods_total 2');
    expect(await seriesOf(metrics)).toEqual(series);
  });

  test('stays the same when scraped twice', async () => {
    const metrics = make();
    metrics.attempt('openai', 'verbatim', 'ok');
    expect(await seriesOf(metrics)).toEqual(await seriesOf(metrics));
  });

  test('labels every unknown value "other", so that the number of series is bounded', async () => {
    const metrics = make();
    for (let index = 0; index < 1000; index += 1) {
      metrics.request(`p${index}`, `/r/${index}`, `f${index}`, 1000 + index);
      metrics.attempt(`h${index}`, `l${index}`, `o${index}`);
      metrics.duration(`p${index}`, 1, 1);
    }
    const series = await seriesOf(metrics);
    expect(series).toContain('trivium_requests_total{protocol="other",route="other",status="other"} 1000');
    expect(series).toContain('trivium_upstream_attempts_total{provider="other",lane="other",outcome="other"} 1000');
    expect(series.length).toBeLessThan(200);
  });

  test('knows hosts added by a reload', async () => {
    const metrics = make();
    metrics.attempt('groq', 'verbatim', 'ok');
    metrics.allow(['groq'], []);
    metrics.attempt('groq', 'verbatim', 'ok');
    const series = await seriesOf(metrics);
    expect(series).toContain('trivium_upstream_attempts_total{provider="other",lane="verbatim",outcome="ok"} 1');
    expect(series).toContain('trivium_upstream_attempts_total{provider="groq",lane="verbatim",outcome="ok"} 1');
  });

  test('reads gauges at scrape time and measures in seconds', async () => {
    const metrics = make();
    metrics.duration('chat', 1500, undefined);
    metrics.duration('chat', 500, 20);
    const series = await seriesOf(metrics);
    expect(series).toContain('trivium_requests_in_flight 3');
    expect(series).toContain('trivium_streams_open 2');
    expect(series).toContain('trivium_holds_open 1');
    expect(series).toContain('trivium_config_generation 7');
    expect(series).toContain('trivium_request_duration_seconds_sum{protocol="chat"} 2');
    expect(series).toContain('trivium_first_byte_seconds_count{protocol="chat"} 1');
  });

  test('keeps registries separate, and adds process metrics if enabled', async () => {
    expect(await make({ withProcessMetrics: true }).render()).toContain('process_cpu_seconds_total');
    expect(await make().render()).not.toContain('process_cpu_seconds_total');
  });
});
