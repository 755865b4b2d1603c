import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import { findDialect } from '@trivium/protocol/dialects';
import { describe, expect, test } from 'vitest';
import { Attempt } from './attempt.ts';
import type { StreamSink } from './attempt-ports.ts';
import type { Target, UpstreamListener, UpstreamRequest } from './ports.ts';
import type { Planned } from './stages.ts';

const WAITS = { firstByteMs: 100, silenceMs: 50, idleMs: 200, totalMs: 500 };
const LIMITS = {
  eventLength: 1000,
  jsonDepth: 8,
  answerLength: 200,
  waits: { fast: WAITS, standard: WAITS, reasoning: WAITS, media: WAITS },
};
const HEAD_OF_CHUNK = { id: 'i', object: 'chat.completion.chunk', created: 1, model: 'up' };
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ ...HEAD_OF_CHUNK, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const FIRST = chunk({ role: 'assistant', content: 'a' });
const LAST = `${chunk({}, 'stop')}data: [DONE]\n\n`;

/** An attempt with an upstream whose every word the test speaks, and a clock it moves. */
function stage({
  stream = true,
  passHeaders,
  asArray,
  startedAtMs = 0,
}: {
  stream?: boolean;
  passHeaders?: [string, string][];
  asArray?: boolean;
  startedAtMs?: number;
} = {}) {
  const dialect = findDialect('openai-chat');
  if (dialect === undefined) throw new Error('no chat dialect');
  const log: string[] = [];
  const health: string[] = [];
  const world = { nowMs: 0, sent: undefined as UpstreamRequest | undefined, failsToSend: false };
  const planned = {
    id: 'r',
    dialect,
    head: { ...(asArray !== undefined && { asArray }) },
    receivedAtMs: 5_400,
    startedAtMs,
    understanding: {
      stream,
      wishes: { usageInStream: false, withCost: false, hideReasoning: false, logprobs: false },
      ...(passHeaders !== undefined && { passHeaders }),
    },
  } as unknown as Planned;
  const target = {
    modelId: 'm',
    modelClass: 'standard',
    dialect,
    origin: 'http://u',
    path: '/whole',
    streamPath: '/stream',
    headers: ['authorization', 'k'],
    facts: { quirks: dialect.quirks({}), model: { thinking: { kind: 'none' } } },
    route: { contextLength: 0, maxOutputTokens: 0 },
  } as unknown as Target;
  const attempt = new Attempt(
    planned,
    target,
    { kind: 'verbatim', body: '{}', losses: [] },
    {
      upstream: {
        send: (request: UpstreamRequest, _listener: UpstreamListener) => {
          if (world.failsToSend) throw new Error('cannot send');
          world.sent = request;
          return {
            pause: () => void log.push('pause'),
            resume: () => void log.push('resume'),
            abort: () => void log.push('abort'),
          };
        },
      },
      clock: { nowMs: () => 0, monotonicMs: () => world.nowMs },
      random: () => 0,
      redact: (text) => text,
      pulse: {
        watch: () => void log.push('watch'),
        unwatch: () => void log.push('unwatch'),
      } as never,
      limits: LIMITS,
      early: { holdMs: 10_000, keepAliveMs: 10 },
      health: {
        outForMs: () => 0,
        enter: () => {},
        begun: () => void health.push('begun'),
        report: (_routeKey, verdict) => void health.push(verdict),
      },
    },
  );
  const given: string[] = [];
  const sink: StreamSink = {
    onText: (text) => void given.push(`text ${text.length > 0}`),
    onEnd: () => void given.push('end'),
    onFault: (fault: Fault) => void given.push(`fault ${fault.kind}`),
  };
  const beginning = attempt.begin();
  const outcome = beginning.then(
    () => 'begun',
    (error) => error.fault?.kind ?? error.message,
  );
  const head = (status: number, headers: Record<string, string> = {}) =>
    attempt.onHead(status, (name) => headers[name]);
  return { attempt, world, log, health, sink, given, outcome, head };
}

describe('content', () => {
  const ROLE = chunk({ role: 'assistant', content: '' });
  test('heads, comments and pings are none: what fails after them is still this attempt’s', async () => {
    const { attempt, outcome, head, health } = stage();
    head(200);
    attempt.onText(ROLE);
    attempt.onText(': wait\n\n');
    expect(attempt.firstByteAtMs).toBeUndefined();
    attempt.onText('data: {"error":{"code":500}}\n\n');
    expect(await outcome).toBe('upstream-broken');
    expect(health).toEqual(['failed']);
  });
  test('what was held back comes with it, and health is told once it has ended', async () => {
    const { attempt, outcome, head, sink, given, health } = stage();
    head(200);
    attempt.onText(ROLE);
    attempt.onText(chunk({ content: 'a' }));
    expect(await outcome).toBe('begun');
    expect(health).toEqual(['begun']);
    attempt.flowInto(sink);
    attempt.onText(LAST);
    attempt.onEnd();
    expect(given).toEqual(['text true', 'text true', 'end']);
    expect(health).toEqual(['begun', 'answered']);
  });
  test('is waited for as long as the first byte, however much else comes', async () => {
    const { attempt, outcome, head, health } = stage();
    head(200);
    attempt.onText(ROLE);
    attempt.beat(WAITS.firstByteMs);
    expect(health).toEqual([]);
    attempt.beat(WAITS.firstByteMs + 1);
    expect(await outcome).toBe('upstream-timeout');
    expect(health).toEqual(['stalled']);
  });
  test('a drip that finishes no line is silence', () => {
    const { attempt, head, sink, given, world, health } = stage();
    head(200);
    attempt.onText(FIRST);
    attempt.flowInto(sink);
    world.nowMs = WAITS.silenceMs;
    attempt.onText('data: {"ch');
    attempt.beat(WAITS.silenceMs + 1);
    expect(given.at(-1)).toBe('fault upstream-timeout');
    expect(health).toEqual(['begun', 'stalled']);
  });
  test('a caller who leaves, and a request that is refused, say nothing about the host', async () => {
    const left = stage();
    left.attempt.giveUp(new GatewayError({ kind: 'cancelled', message: '' }));
    expect(await left.outcome).toBe('cancelled');
    expect(left.health).toEqual(['unjudged']);
    const refused = stage();
    refused.head(400);
    refused.attempt.onText('{"error":{"message":"no"}}');
    refused.attempt.onEnd();
    expect(await refused.outcome).toBe('refused');
    expect(refused.health).toEqual(['unjudged']);
  });
});

describe('a stream', () => {
  test('begins with its first event, hands over what was held back, and ends', async () => {
    const { attempt, outcome, head, sink, given, log, world } = stage();
    head(200);
    world.nowMs = 7;
    attempt.onText(FIRST);
    expect(await outcome).toBe('begun');
    expect(attempt.firstByteAtMs).toBe(7);
    attempt.flowInto(sink);
    attempt.onText(': comment\n\n');
    attempt.onText(chunk({ content: 'b' }));
    attempt.onText(LAST);
    attempt.onEnd();
    expect(given).toEqual(['text true', 'text true', 'text true', 'end']);
    expect(log).toEqual(['watch', 'unwatch']);
    expect(world.sent).toMatchObject({ path: '/stream', headers: ['authorization', 'k'] });
    expect(attempt.context).toMatchObject({ createdAtSeconds: 5, model: 'm', requestId: 'r' });
  });
  test('that was over before anybody listened is handed over whole', async () => {
    const { attempt, outcome, head, sink, given } = stage();
    head(200);
    attempt.onText(FIRST);
    attempt.onText(LAST);
    attempt.onEnd();
    expect(await outcome).toBe('begun');
    attempt.flowInto(sink);
    expect(given).toEqual(['end']);
  });
  test('that fails before its first event is this attempt’s failure', async () => {
    const { attempt, outcome, head, log } = stage();
    head(200);
    attempt.onText('data: {"error":{"code":429}}\n\n');
    expect(await outcome).toBe('upstream-over-rate');
    expect(log).toEqual(['watch', 'abort', 'unwatch']);
  });
  test('that ends before its first event is, too, and is not stopped once more', async () => {
    const { attempt, outcome, head, log } = stage();
    head(200);
    attempt.onEnd();
    expect(await outcome).toBe('upstream-broken');
    expect(log).toEqual(['watch', 'unwatch']);
  });
  test('that fails later is the caller’s', () => {
    const { attempt, head, sink, given, log } = stage();
    head(200);
    attempt.onText(FIRST);
    attempt.flowInto(sink);
    attempt.onText('data: {\n\n');
    expect(given).toEqual(['text true', 'fault upstream-broken']);
    expect(log).toContain('abort');
    attempt.onFail({ kind: 'internal', message: 'again' }, undefined);
    expect(given).toHaveLength(2);
  });
  test.each([true, false])('whose connection breaks off is the caller’s failure (listening: %s)', (listening) => {
    const { attempt, head, sink, given } = stage();
    head(200);
    attempt.onText(FIRST);
    if (listening) attempt.flowInto(sink);
    attempt.onFail({ kind: 'upstream-broken', message: 'm' }, undefined);
    if (!listening) attempt.flowInto(sink);
    expect(given.at(-1)).toBe('fault upstream-broken');
  });
  test('refused by the upstream is read whole, and says when to come back', async () => {
    const { attempt, outcome, head } = stage();
    head(429, { 'retry-after': '2' });
    attempt.onText('{}');
    expect(attempt.firstByteAtMs).toBeUndefined();
    attempt.onEnd();
    expect(await outcome).toBe('upstream-over-rate');
  });
  test('tells its failure in the form it has', () => {
    const fault: Fault = { kind: 'internal', message: 'm' };
    expect(stage().attempt.faultText(fault)).toMatch(/^data: \{/);
    expect(stage({ asArray: true }).attempt.faultText(fault)).toMatch(/^,\{/);
  });
});

describe('a whole answer', () => {
  const answer = { choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }] };
  test('begins when it is complete', async () => {
    const { attempt, outcome, head, world, log } = stage({ stream: false });
    head(200);
    const text = JSON.stringify({ ...answer, usage: { prompt_tokens: 2 } });
    attempt.onText(text.slice(0, 9));
    attempt.onText(text.slice(9));
    world.nowMs = 3;
    attempt.onEnd();
    expect(await outcome).toBe('begun');
    expect(attempt.answer?.text).toContain('chatcmpl-r');
    expect(attempt.reading).toMatchObject({ usage: { prompt: 2 }, reported: true });
    expect(attempt.losses()).toEqual([]);
    expect(attempt.firstByteAtMs).toBe(3);
    expect(world.sent?.path).toBe('/whole');
    expect(log).toEqual(['watch', 'unwatch']);
  });
  test('that is none fails the attempt', async () => {
    const { attempt, outcome, head } = stage({ stream: false });
    head(200);
    attempt.onText('<html>');
    attempt.onEnd();
    expect(await outcome).toBe('upstream-broken');
  });
  test('may be as long as the limit and no longer', async () => {
    const { attempt, outcome, head, log } = stage({ stream: false });
    head(200);
    attempt.onText(' '.repeat(LIMITS.answerLength));
    expect(log).not.toContain('abort');
    attempt.onText(' ');
    expect(await outcome).toBe('upstream-broken');
    expect(log).toContain('abort');
    attempt.onEnd();
    expect(attempt.answer).toBeUndefined();
  });
});

describe('time', () => {
  test('the first byte, silence and the whole are bounded, each by its own limit', async () => {
    const waiting = stage();
    waiting.attempt.beat(WAITS.firstByteMs);
    expect(waiting.log).not.toContain('abort');
    waiting.attempt.beat(WAITS.firstByteMs + 1);
    expect(await waiting.outcome).toBe('upstream-timeout');
    expect(waiting.log).toContain('abort');

    const silent = stage();
    silent.head(200);
    silent.attempt.onText(FIRST);
    silent.attempt.flowInto(silent.sink);
    silent.attempt.beat(WAITS.silenceMs);
    expect(silent.given).toEqual(['text true']);
    silent.attempt.beat(WAITS.silenceMs + 1);
    expect(silent.given.at(-1)).toBe('fault upstream-timeout');

    const endless = stage();
    endless.head(200);
    for (endless.world.nowMs = 0; endless.world.nowMs < WAITS.totalMs; endless.world.nowMs += WAITS.silenceMs) {
      endless.attempt.onText(FIRST);
      endless.attempt.beat(endless.world.nowMs);
    }
    endless.attempt.flowInto(endless.sink);
    expect(endless.given).toEqual(['text true']);
    endless.attempt.onText(FIRST);
    endless.attempt.beat(WAITS.totalMs + 1);
    expect(endless.given.at(-1)).toBe('fault upstream-timeout');
  });
  test.each([
    ['empty deltas', chunk({ content: '' })],
    ['comments', ': OPENROUTER PROCESSING\n\n'],
  ])('S11: %s are signs of life for a while, and then silence', (_what, sign) => {
    const { attempt, head, sink, given, world } = stage();
    head(200);
    attempt.onText(FIRST);
    attempt.flowInto(sink);
    const wait = (untilMs: number): void => {
      for (; world.nowMs <= untilMs; world.nowMs += WAITS.silenceMs) {
        attempt.onText(sign);
        attempt.beat(world.nowMs);
      }
    };
    wait(WAITS.idleMs);
    expect(given).not.toContain('fault upstream-timeout');
    // Content gives it all its time again.
    attempt.onText(FIRST);
    world.nowMs += WAITS.silenceMs;
    wait(WAITS.idleMs + 2 * WAITS.silenceMs);
    expect(given).not.toContain('fault upstream-timeout');
    wait(2 * WAITS.idleMs + 2 * WAITS.silenceMs);
    expect(given.at(-1)).toBe('fault upstream-timeout');
  });
  test('the time of the request as a whole counts from its arrival, whatever was tried before', () => {
    const late = stage({ startedAtMs: 50 - WAITS.totalMs });
    late.head(200);
    late.attempt.onText(FIRST);
    late.attempt.flowInto(late.sink);
    late.attempt.beat(50);
    expect(late.given).toEqual(['text true']);
    late.attempt.beat(51);
    expect(late.given.at(-1)).toBe('fault upstream-timeout');
  });
  test('an upstream nobody listens to is not silent, and has its time anew afterwards', () => {
    const { attempt, head, sink, given, log, world } = stage();
    head(200);
    attempt.onText(FIRST);
    attempt.flowInto(sink);
    attempt.pause();
    attempt.beat(WAITS.silenceMs * 3);
    world.nowMs = WAITS.silenceMs * 3;
    attempt.resume();
    attempt.beat(WAITS.silenceMs * 4);
    expect(given).toEqual(['text true']);
    attempt.beat(WAITS.silenceMs * 4 + 1);
    expect(given.at(-1)).toBe('fault upstream-timeout');
    expect(log).toEqual(['watch', 'pause', 'resume', 'abort', 'unwatch']);
  });
});

test('headers meant for an upstream of the same dialect reach it', () => {
  const { world } = stage({ passHeaders: [['beta', 'x']] });
  expect(world.sent?.headers).toEqual(['authorization', 'k', 'beta', 'x']);
});

test('nothing is heard of an attempt that was given up', () => {
  const { attempt, head, sink, given, log } = stage();
  head(200);
  attempt.onText(FIRST);
  attempt.flowInto(sink);
  attempt.abort();
  attempt.onEnd();
  attempt.onFail({ kind: 'internal', message: 'm' }, undefined);
  expect(given).toEqual(['text true']);
  expect(log).toEqual(['watch', 'unwatch', 'abort']);
});
