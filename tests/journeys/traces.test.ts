// Tracing: a server span and one client span per provider call, in the caller's trace; an unreachable collector loses only spans.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { heal } from '../support/failing-hosts.ts';
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { KEY, openStand, postChat, type Stand, UPSTREAM_SECRET } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const MODEL = 'traced/model';
const HOSTS = ['one', 'two', 'three'];
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const SERVER = 2;
const CLIENT = 3;
const FAILED = 2;
const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];

let receiver: OtlpReceiver;
let stand: Stand;

const openTraced = (endpoint: string, own: object = {}): Promise<Stand> =>
  openStand({
    config: () => ({
      hedging: { maxPercent: 100 },
      traces: {
        endpoint,
        headers: { authorization: 'Bearer a-collector-secret' },
        resource: { 'deployment.environment.name': 'test' },
        baggageTo: ['two'],
        batchMs: 20,
        ...own,
      },
    }),
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

beforeAll(async () => {
  receiver = await openOtlpReceiver();
  stand = await openTraced(receiver.url);
});
afterAll(async () => {
  await stand.close();
  await receiver.close();
});
afterEach(async () => {
  await heal(stand);
  receiver.spans.length = 0;
});

const IN_ORDER = { 'x-trivium-strategy': 'priority' };
/** Requests use the messages protocol, so that every call of these hosts is translated. */
const streamMessages = async (headers: Record<string, string>, words = '@simulate scenario=text-long words=3') => {
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
      messages: [{ role: 'user', content: words }],
    }),
  });
  expect(response.status).toBe(200);
  await response.text();
  return String(response.headers.get('x-request-id'));
};
const chat = (headers: Record<string, string> = {}, model = MODEL) =>
  postChat(stand, { model, messages: [{ role: 'user', content: 'Hello' }] }, { ...IN_ORDER, ...headers });

/** All spans of a request, the server span first. */
async function spansOf(requestId: unknown): Promise<readonly ReceivedSpan[]> {
  const server = (): ReceivedSpan | undefined =>
    receiver.spans.find(({ attributes }) => attributes['trivium.request.id'] === requestId);
  await waitUntil('the span of the server', () => server() !== undefined);
  const { traceId, spanId } = server() as ReceivedSpan;
  return receiver.spans
    .filter((span) => span.traceId === traceId && (span.spanId === spanId || span.parentSpanId === spanId))
    .sort(
      (one, other) =>
        one.kind - other.kind ||
        Number(one.attributes['trivium.attempt.number']) - Number(other.attributes['trivium.attempt.number']),
    );
}
const names = ({ events }: ReceivedSpan): readonly string[] => events.map(({ name }) => name);

/** Enough streams for the latency statistics of hedging. */
const warmUp = async (): Promise<void> => {
  for (let call = 0; call < 20; call++) await streamMessages({});
  stand.simulator.truth.clear();
};

test('a translated, hedged and failed-over request has all its spans in the trace of its caller', async () => {
  await warmUp();
  stand.simulator.arm('status=500 header-delay=1000', { host: 'one' });
  stand.simulator.arm('status=503', { host: 'two' });
  const requestId = await streamMessages({
    'x-trivium-hedge': 'true',
    traceparent: `00-${TRACE}-${PARENT}-01`,
    baggage: 'user=ann',
  });
  const [server, ...clients] = await spansOf(requestId);
  expect(server).toMatchObject({
    traceId: TRACE,
    parentSpanId: PARENT,
    name: `chat ${MODEL}`,
    kind: SERVER,
    status: { code: 0 },
    scope: 'trivium 1',
    resource: { 'service.name': 'trivium', 'deployment.environment.name': 'test' },
  });
  expect(server?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'three',
    'gen_ai.request.model': MODEL,
    'gen_ai.response.model': MODEL,
    'gen_ai.request.stream': true,
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.usage.output_tokens': 3,
    'gen_ai.usage.cache_read.input_tokens': 0,
    'gen_ai.usage.reasoning.output_tokens': 0,
    'gen_ai.response.time_to_first_chunk': expect.any(Number),
    'http.response.status_code': 200,
    'trivium.request.id': requestId,
    'trivium.account.id': 'default',
    'trivium.key.id': 'test',
    'trivium.protocol': 'messages',
    'trivium.lane': 'translated',
    'trivium.lane.reason': expect.any(String),
    'trivium.cost.usd': expect.any(Number),
    'trivium.usage.estimated': false,
    'trivium.losses': ['top_k: no-equivalent'],
    'trivium.attempts': 3,
  });
  expect(names(server as ReceivedSpan)).toEqual(['trivium.admitted', 'gen_ai.first_token']);
  const common = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': MODEL, 'gen_ai.request.stream': true };
  const own = { ...common, 'trivium.lane': 'translated', 'trivium.attempt.credential': 1 };
  expect(clients.map(({ attributes }) => attributes)).toEqual([
    {
      ...own,
      'gen_ai.provider.name': 'one',
      'trivium.attempt.number': 1,
      'http.response.status_code': 500,
      'error.type': 'upstream-broken',
      // The provider may have processed it and may bill it.
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': 0,
      'trivium.attempt.operator_cost.usd': expect.any(Number),
    },
    {
      ...own,
      'gen_ai.provider.name': 'two',
      'trivium.attempt.number': 2,
      'http.response.status_code': 503,
      'error.type': 'upstream-overloaded',
    },
    {
      ...own,
      'gen_ai.provider.name': 'three',
      'trivium.attempt.number': 3,
      'http.response.status_code': 200,
      'gen_ai.usage.input_tokens': server?.attributes['gen_ai.usage.input_tokens'],
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.usage.cache_read.input_tokens': 0,
      'gen_ai.usage.reasoning.output_tokens': 0,
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    },
  ]);
  expect(clients.map(({ status }) => status.code)).toEqual([FAILED, FAILED, 0]);
  const [late, beside, answering] = clients as [ReceivedSpan, ReceivedSpan, ReceivedSpan];
  // Two attempts at once, and the third after both had failed.
  expect(beside.startNano).toBeLessThan(late.endNano);
  expect(answering.startNano).toBeGreaterThanOrEqual(late.endNano);
  // The connection was already open.
  expect(names(answering)).toEqual(['trivium.sent', 'trivium.response_head', 'gen_ai.first_token']);
  for (const span of clients) {
    expect(span).toMatchObject({ kind: CLIENT, parentSpanId: server?.spanId, name: `chat ${MODEL}` });
    expect(span.startNano).toBeGreaterThanOrEqual(server?.startNano ?? 0n);
    expect(span.endNano).toBeLessThanOrEqual(server?.endNano ?? 0n);
  }
  // Each provider got the span of its call as parent, and one of them the caller's baggage.
  const asked = stand.simulator.truth.read().map(({ headers }) => headers);
  expect(asked.map((headers) => headers['traceparent']).sort()).toEqual(
    clients.map(({ spanId }) => `00-${TRACE}-${spanId}-01`).sort(),
  );
  expect(asked.filter((headers) => headers['baggage'] === 'user=ann')).toHaveLength(1);
  expect(receiver.headers.at(-1)).toMatchObject({ path: '/v1/traces', authorization: 'Bearer a-collector-secret' });
});

test('of two hedged calls one has won, and the other lost without an error', async () => {
  await warmUp();
  stand.simulator.arm('scenario=text-long words=3 ttft=200000', { host: 'one' });
  const [server, lost, won] = await spansOf(await streamMessages({ 'x-trivium-hedge': 'true' }));
  expect(lost).toMatchObject({
    attributes: { 'gen_ai.provider.name': 'one', 'trivium.attempt.hedge': 'lost', 'error.type': 'cancelled' },
    status: { code: 0 },
  });
  expect(lost?.attributes).toHaveProperty(['trivium.attempt.operator_cost.usd']);
  expect(won).toMatchObject({
    attributes: { 'gen_ai.provider.name': 'two', 'trivium.attempt.hedge': 'won', 'gen_ai.usage.output_tokens': 3 },
  });
  expect(server?.attributes['gen_ai.provider.name']).toBe('two');
});

describe('a request', () => {
  test('a request without a trace starts one', async () => {
    const { headers } = await chat();
    const [server, client] = await spansOf(headers.get('x-request-id'));
    expect(server).toMatchObject({ parentSpanId: '', traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(client).toMatchObject({ traceId: server?.traceId, attributes: { 'trivium.lane': 'verbatim' } });
  });

  test('a refused request has a server span, in the trace of its caller', async () => {
    const { headers, status } = await chat({ traceparent: `00-${TRACE}-${PARENT}-01` }, 'no/such-model');
    expect(status).toBe(404);
    const spans = await spansOf(headers.get('x-request-id'));
    expect(spans).toMatchObject([
      {
        traceId: TRACE,
        parentSpanId: PARENT,
        name: 'chat no/such-model',
        attributes: { 'error.type': 'unknown-model', 'http.response.status_code': 404, 'trivium.attempts': 0 },
        status: { code: 0 },
      },
    ]);
  });

  test('an unsampled request exports no span, and providers get the unsampled flag', async () => {
    stand.simulator.truth.clear();
    await chat({ traceparent: `00-${TRACE}-${PARENT}-00` });
    const { headers } = await chat();
    await spansOf(headers.get('x-request-id'));
    expect(receiver.spans.filter(({ traceId }) => traceId === TRACE)).toEqual([]);
    expect(stand.simulator.truth.read()[0]?.headers['traceparent']).toMatch(
      new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`),
    );
  });

  test('spans hold no content of the request', async () => {
    const { headers } = await postChat(
      stand,
      { model: MODEL, messages: [{ role: 'user', content: 'a-canary-in-the-prompt' }] },
      IN_ORDER,
    );
    const spans = await spansOf(headers.get('x-request-id'));
    const text = JSON.stringify(spans, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(text).not.toContain('canary');
    expect(text).not.toContain(UPSTREAM_SECRET);
  });
});

describe('a collector', () => {
  const metricsOf = async ({ gateway }: Stand): Promise<Record<string, number>> => {
    const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    return Object.fromEntries(
      [...text.matchAll(/^trivium_trace_spans_total\{outcome="([\w-]+)"\} (\d+)$/gm)].map(([, name, count]) => [
        name,
        Number(count),
      ]),
    );
  };

  test('an unreachable or stalled collector loses spans, and no request fails or waits', async () => {
    // Accepts connections and never answers: the worst case.
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const dead = await openTraced(`http://127.0.0.1:${port}/v1/traces`, { maxQueuedSpans: 16, timeoutMs: 300 });
    try {
      for (let request = 0; request < 40; request++) {
        const { status } = await postChat(
          dead,
          { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] },
          IN_ORDER,
        );
        expect(status).toBe(200);
      }
      await expect
        .poll(() => metricsOf(dead), { timeout: 10_000 })
        .toMatchObject({
          exported: 0,
          'dropped-queue-full': expect.any(Number),
          'dropped-not-accepted': expect.any(Number),
        });
      await expect
        .poll(async () => Object.values(await metricsOf(dead)).reduce((sum, count) => sum + count, 0), {
          timeout: 10_000,
        })
        .toBe(80);
    } finally {
      await dead.close();
      silent.close();
    }
  });

  test('a collector that recovers gets the spans from then on', async () => {
    receiver.answer(400);
    await chat();
    await expect
      .poll(async () => (await metricsOf(stand))['dropped-not-accepted'], { timeout: 10_000 })
      .toBeGreaterThan(0);
    receiver.answer(200);
    const { headers } = await chat();
    expect(await spansOf(headers.get('x-request-id'))).toHaveLength(2);
  });
});

test('with tracing off, providers get no trace headers, and no tracing package is loaded', async () => {
  const plain = await openStand();
  try {
    await postChat(
      plain,
      { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hi' }] },
      {
        traceparent: `00-${TRACE}-${PARENT}-01`,
        baggage: 'user=ann',
      },
    );
    const [asked] = plain.simulator.truth.read();
    expect(asked?.headers).not.toHaveProperty('traceparent');
    expect(asked?.headers).not.toHaveProperty('baggage');
    expect(plain.records.at(-1)?.trace).toBeUndefined();
  } finally {
    await plain.close();
  }
});
