/** MS, E: streams that fail, at every point, from upstreams of all three dialects; and streams that stall. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  CLAUDE,
  EVERY_MODEL,
  type Json,
  messagesHosts,
  OPENAI,
  served,
  simulate,
} from '../../support/messages-probe.ts';
import { assemble, eventsOf, expectGrammar, type StreamEvent, streamMessages } from '../../support/messages-stream.ts';
import { KEY, openStand, type Stand } from '../../support/stand.ts';

const SHORT = { firstByteMs: 2000, silenceMs: 2000 };

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: messagesHosts,
    config: () => ({ timeouts: { ...SHORT, classes: { reasoning: SHORT } } }),
  });
});
afterAll(() => stand.close());

const TYPES = ['invalid_request_error', 'authentication_error', 'rate_limit_error', 'api_error'];
const TOOLS = [{ name: 'f', input_schema: { type: 'object' } }];
const playing = (model: string, instruction: string, members: Json = {}) =>
  ask({ model, messages: [simulate(instruction)], ...members });

/** Events sent so far are kept; then comes one error in this protocol's format, and nothing more. */
function expectFailed(events: readonly StreamEvent[]): void {
  const last = events.at(-1);
  expect(last).toEqual({ type: 'error', error: { type: expect.any(String), message: expect.stringMatching(/\S/) } });
  expect(TYPES).toContain(last?.error?.['type']);
  const names = events.map(({ type }) => type);
  expect(names.filter((name) => name === 'error')).toHaveLength(1);
  expect(names).not.toContain('message_stop');
  expect(names).not.toContain('message_delta');
}

// At once: most of them wait for a stall to be noticed.
describe.concurrent.each(EVERY_MODEL)('%s', (model) => {
  test.each([
    'reset-mid-stream',
    'close-mid-stream',
    'end-mid-stream',
    'malformed-frame',
    'error-frame-mid',
    'stall-mid-event',
  ])('[MS-19][MS-20][E-24] %s inside a block ends the stream with one error event', async (fault) => {
    const { status, text } = await streamMessages(
      stand,
      playing(model, `scenario=text-long fault=${fault} after=3 tps=60`),
    );
    expect(status).toBe(200);
    const events = eventsOf(text).filter(({ type }) => type !== 'ping');
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
    ]);
    expectFailed(events);
  });

  test('[E-24] a stream that does not fail has no error event and ends with message_stop', async () => {
    const { events } = await streamMessages(stand, playing(model, 'scenario=text-long words=5'));
    expect(events.map(({ type }) => type)).not.toContain('error');
    expect(events.at(-1)).toEqual({ type: 'message_stop' });
  });

  test('[MS-20] a failure inside the second block ends the stream with one error event', async () => {
    const body = playing(model, 'scenario=tools-with-text fault=error-frame-mid after=12 tps=60', { tools: TOOLS });
    const { events } = await streamMessages(stand, body);
    expect(events.map(({ type }) => type)).toContain('content_block_stop');
    expectFailed(events);
  });

  test('[MS-21] overload and a stall inside a stream are api_error', async () => {
    for (const fault of ['error-frame-mid', 'stall-mid-event']) {
      const { events } = await streamMessages(
        stand,
        playing(model, `scenario=text-long fault=${fault} after=3 tps=60`),
      );
      expect(events.at(-1)?.error?.['type']).toBe('api_error');
    }
  });

  test.each([
    ['status=429', 429, 'rate_limit_error'],
    ['status=503', 529, 'overloaded_error'],
    ['status=500', 502, 'api_error'],
    ['status=401', 502, 'api_error'],
    ['fault=stall-before-headers', 504, 'timeout_error'],
    ['fault=reset-before-headers', 502, 'api_error'],
    ['fault=html-200', 502, 'api_error'],
  ])('[MS-20][MS-22] %s before the first event is status %i', async (instruction, status, type) => {
    const reply = await streamMessages(stand, playing(model, instruction));
    expect(reply.status).toBe(status);
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
    expect(JSON.parse(reply.text)).toEqual({
      type: 'error',
      error: { type, message: expect.stringMatching(/\S/) },
      request_id: reply.headers['request-id'],
    });
  });

  test('[MS-22] an error in place of the first event is an HTTP status, too', async () => {
    const reply = await streamMessages(stand, playing(model, 'fault=error-frame-first'));
    expect(reply.status).toBeGreaterThanOrEqual(500);
    expect(reply.text).not.toContain('event: ');
  });
});

describe('silence', () => {
  let patient: Stand;
  beforeAll(async () => {
    patient = await openStand({ config: () => ({ timeouts: { keepAliveToCallerMs: 30 } }) });
  });
  afterAll(() => patient.close());

  test.each([CLAUDE, OPENAI])(
    '[MS-23] pings are sent during silence of %s and keep the order of events',
    async (model) => {
      const body = playing(model, 'scenario=text-long words=3 tps=2');
      const { text, events } = await streamMessages(patient, body);
      const pings = eventsOf(text).filter(({ type }) => type === 'ping');
      expect(pings.length).toBeGreaterThanOrEqual(4);
      expect(new Set(pings.map((ping) => JSON.stringify(ping)))).toEqual(new Set(['{"type":"ping"}']));
      expect(text.startsWith('event: message_start\n')).toBe(true);
      expect(text.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')).toBe(true);
      expectGrammar(events);
      expect(assemble(events).content).toEqual((await served(patient, body)).content);
    },
  );

  test('[MS-23] ten seconds of silence are a failure', { timeout: 30_000 }, async () => {
    const usual = await openStand();
    const response = await fetch(`${usual.url}/api/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...playing(OPENAI, 'scenario=text-long words=3 tps=0.05'), stream: true }),
    });
    const decoder = new TextDecoder();
    let text = '';
    let silentSinceMs = performance.now();
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      if (text.includes('event: ping')) break;
      silentSinceMs = performance.now();
    }
    expect(text).toContain('event: ping');
    expect(performance.now() - silentSinceMs).toBeLessThan(10_000);
    expect(performance.now() - silentSinceMs).toBeGreaterThan(1000);
    await usual.close();
  });
});
