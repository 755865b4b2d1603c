/**
 * Traces in the real OpenTelemetry collector: a translated, hedged, failed-over request arrives there with all its spans; and
 * while the collector is dead, no request fails or waits. Prints what it saw; exits 1 when something is missing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KEY, openStand, postChat, type Stand, UPSTREAM_SECRET } from '../../tests/support/stand.ts';
import { buildCollector, startCollector } from './collector.ts';

const MODEL = 'traced/model';
const HOSTS = ['one', 'two', 'three'];
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const DEAD_MS = Number(process.env['OTEL_DEAD_SECONDS'] ?? 60) * 1000;
const WAIT_MS = 10_000;
const WARM_STREAMS = 20;
const IN_ORDER = { 'x-trivium-strategy': 'priority' };
const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];

const openTraced = (endpoint: string): Promise<Stand> =>
  openStand({
    config: () => ({ hedging: { maxPercent: 100 }, traces: { endpoint, batchMs: 50, timeoutMs: 1000 } }),
    alsoHosts: (simulatorUrl) => ({
      providers: Object.fromEntries(
        HOSTS.map((host) => [
          host,
          { dialect: 'openai-chat', baseUrl: `${simulatorUrl}/compatible@${host}/v1`, credential: UPSTREAM_SECRET },
        ]),
      ),
      models: [
        {
          id: MODEL,
          contextLength: 128_000,
          maxOutputTokens: 16_384,
          endpoints: HOSTS.map((provider) => ({
            provider,
            upstreamModel: 'any',
            pricings: { prompt: usd('1'), completion: usd('2') },
          })),
        },
      ],
    }),
  });

async function streamMessages(stand: Stand, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`${stand.url}/api/anthropic/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': KEY,
      ...IN_ORDER,
      ...headers,
    },
    body: JSON.stringify({
      model: MODEL,
      max_tokens: 100,
      stream: true,
      top_k: 5,
      messages: [{ role: 'user', content: '@simulate scenario=text-long words=3' }],
    }),
  });
  if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`);
  await response.text();
}

/** The collector's words about the spans of one trace. */
const spansIn = (output: string): readonly string[] =>
  output.split(/^Span #\d+$/m).filter((text) => new RegExp(`Trace ID +: ${TRACE}`).test(text));

const EXPECTED: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['the server span in the trace of its caller', new RegExp(`Parent ID +: ${PARENT}[^@]*Kind +: Server`)],
  ['the lane', /trivium\.lane: Str\(translated\)/],
  ['the losses', /trivium\.losses: Slice\(\["top_k: no-equivalent"\]\)/],
  ['the cost', /trivium\.cost\.usd: Double\(0\.0000\d+\)/],
  ['the first token', /Name: gen_ai\.first_token/],
  ['the late call that failed', /gen_ai\.provider\.name: Str\(one\)[\s\S]*http\.response\.status_code: Int\(500\)/],
  ['the call beside it', /gen_ai\.provider\.name: Str\(two\)[\s\S]*error\.type: Str\(upstream-overloaded\)/],
  ['the call that answered', /Kind +: Client[\s\S]*gen_ai\.provider\.name: Str\(three\)/],
];

async function showTrace(): Promise<boolean> {
  const collector = await startCollector();
  const stand = await openTraced(collector.endpoint);
  try {
    for (let call = 0; call < WARM_STREAMS; call++) await streamMessages(stand);
    stand.simulator.arm('status=500 header-delay=1000', { host: 'one' });
    stand.simulator.arm('status=503', { host: 'two' });
    await streamMessages(stand, { 'x-trivium-hedge': 'true', traceparent: `00-${TRACE}-${PARENT}-01` });
    const deadline = Date.now() + WAIT_MS;
    while (spansIn(collector.output()).length < 4 && Date.now() < deadline) await sleep(100);
    const spans = spansIn(collector.output());
    console.log(spans.join('\nSpan\n'));
    const missing = EXPECTED.filter(([, pattern]) => !spans.some((span) => pattern.test(span)));
    console.log(`${spans.length} spans of the trace in the collector; missing: ${missing.length}`);
    for (const [what] of missing) console.error(`FAIL  ${what}`);
    return spans.length === 4 && missing.length === 0;
  } finally {
    await stand.close();
    await collector.stop();
  }
}

type Timing = { readonly requests: number; readonly failed: number; readonly medianMs: number; readonly p99Ms: number };

async function timed(stand: Stand, forMs: number): Promise<Timing> {
  const times: number[] = [];
  let failed = 0;
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    const began = performance.now();
    const { status } = await postChat(stand, { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] }, IN_ORDER);
    times.push(performance.now() - began);
    if (status !== 200) failed++;
  }
  times.sort((one, other) => one - other);
  const at = (share: number): number => Number((times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(2));
  return { requests: times.length, failed, medianMs: at(0.5), p99Ms: at(0.99) };
}

async function dieWhileServing(): Promise<boolean> {
  const collector = await startCollector();
  const stand = await openTraced(collector.endpoint);
  try {
    await timed(stand, 2000);
    const alive = await timed(stand, DEAD_MS / 6);
    await collector.stop();
    const dead = await timed(stand, DEAD_MS);
    const metrics = await (await fetch(`${stand.gateway.adminUrl}/metrics`)).text();
    console.log('collector alive', alive);
    console.log(`collector dead for ${DEAD_MS / 1000} s`, dead);
    console.log(
      metrics
        .split('\n')
        .filter((line) => line.startsWith('trivium_trace_spans'))
        .join('\n'),
    );
    return dead.failed === 0 && dead.medianMs < 1.25 * alive.medianMs;
  } finally {
    await stand.close();
  }
}

buildCollector();
const isShown = await showTrace();
const isUnharmed = await dieWhileServing();
process.exitCode = isShown && isUnharmed ? 0 : 1;
