// Faults in the other dialects: the vendor's own error bodies, frames and end markers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../main.ts';
import { probe } from '../probe.fixture.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

interface DialectCase {
  readonly vendor: string;
  readonly path: (streamed: boolean) => string;
  readonly body: (text: string, streamed: boolean) => object;
  /** The text of an event of a stream. */
  readonly said: (event: Record<string, unknown>) => string;
  readonly isFinish: (event: Record<string, unknown>) => boolean;
  readonly isEnd: (event: Record<string, unknown>) => boolean;
}

type Nested = { [member: string]: Nested | undefined } & string;

const reach = (value: unknown, ...steps: readonly string[]): unknown =>
  steps.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    value,
  );

const messages: DialectCase = {
  vendor: 'anthropic',
  path: () => '/v1/messages',
  body: (content, stream) => ({
    model: 'claude-opus-5',
    max_tokens: 99,
    stream,
    messages: [{ role: 'user', content }],
  }),
  said: (event) => (event as Nested)['delta']?.['text'] ?? '',
  isFinish: (event) => event['type'] === 'message_delta',
  isEnd: (event) => event['type'] === 'message_stop',
};
const gemini: DialectCase = {
  vendor: 'google',
  path: (streamed) =>
    `/v1beta/models/gemini-2.5-flash:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  said: (event) => String(reach(event, 'candidates', '0', 'content', 'parts', '0', 'text') ?? ''),
  isFinish: (event) => reach(event, 'candidates', '0', 'finishReason') !== undefined,
  isEnd: (event) => reach(event, 'candidates', '0', 'finishReason') !== undefined,
};
const responses: DialectCase = {
  vendor: 'openai',
  path: () => '/v1/responses',
  body: (input, stream) => ({ model: 'gpt-5', input, stream }),
  said: (event) => (event['type'] === 'response.output_text.delta' ? String(event['delta']) : ''),
  isFinish: (event) => event['type'] === 'response.completed',
  isEnd: (event) => event['type'] === 'response.completed',
};
const cases: readonly (readonly [string, DialectCase])[] = [
  ['messages', messages],
  ['generateContent', gemini],
  ['responses', responses],
];

async function send(dialect: DialectCase, instruction: string, streamed = true) {
  const text = `Hello\n@simulate scenario=text-long words=6 ${instruction}`;
  const headers = { authorization: 'Bearer k', 'x-goog-api-key': 'k', 'anthropic-version': '2023-06-01' };
  const answer = probe(simulator.url, dialect.body(text, streamed), {
    vendor: dialect.vendor,
    path: dialect.path(streamed),
    headers,
  });
  await answer.ended;
  const events = () => answer.events().map((event) => JSON.parse(event) as Record<string, unknown>);
  return Object.assign(answer, { read: events, said: () => events().map(dialect.said).join('') });
}

const WHOLE = 'word1 word2 word3 word4 word5 word6';

describe.each(cases)('%s', (_name, dialect) => {
  test('breaks off after the given number of pieces', async () => {
    const reset = await send(dialect, 'fault=reset-mid-stream after=3');
    expect({ said: reset.said(), failure: reset.failure }).toEqual({
      said: 'word1 word2 word3',
      failure: 'ECONNRESET',
    });
    const ended = await send(dialect, 'fault=end-mid-stream after=1');
    expect({ said: ended.said(), failure: ended.failure }).toEqual({ said: 'word1', failure: undefined });
    expect(ended.read().some(dialect.isEnd)).toBe(false);
  });

  test.each([
    ['no-done', 0],
    ['duplicate-done', 2],
    ['data-after-done', 1],
    ['crlf', 1],
    ['multi-line', 1],
  ])('%s has %d end markers', async (fault, count) => {
    const answer = await send(dialect, `fault=${fault}`);
    expect(answer.read().filter(dialect.isEnd)).toHaveLength(count);
    expect(answer.said()).toBe(fault === 'data-after-done' ? `${WHOLE} word6` : WHOLE);
  });

  test('no-finish leaves out the finish', async () => {
    const answer = await send(dialect, 'fault=no-finish');
    expect(answer.read().some(dialect.isFinish)).toBe(false);
    expect(answer.said()).toBe(WHOLE);
  });

  test('malformed-frame has one event that is not JSON', async () => {
    const answer = await send(dialect, 'fault=malformed-frame after=2');
    expect(() => answer.read()).toThrow();
  });

  test('usage-missing removes usage, plain and streamed', async () => {
    const usage = /"(input_tokens|promptTokenCount)"/u;
    expect((await send(dialect, '')).text()).toMatch(usage);
    expect((await send(dialect, 'fault=usage-missing')).text()).not.toMatch(usage);
    expect((await send(dialect, 'fault=usage-missing', false)).text()).not.toMatch(usage);
  });

  test('bills every token it produced', async () => {
    await send(dialect, '');
    expect(simulator.truth.last()).toMatchObject({ tokensProduced: 6, billed: { completion: 6 }, streamed: true });
  });

  test('hides an error behind a 200, and shows a web page', async () => {
    expect((await send(dialect, 'fault=json-error-200')).json()).toHaveProperty('error.message');
    expect((await send(dialect, 'status=502')).text()).toContain('<h1>502 Bad Gateway</h1>');
  });
});

describe('errors in the vendor’s own format', () => {
  test.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [413, 'request_too_large'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ])('messages %d', async (status, type) => {
    const answer = await send(messages, `status=${status}`);
    expect(answer.status).toBe(status);
    expect(answer.json()).toEqual({
      type: 'error',
      error: { type, message: expect.stringMatching(/./) },
      request_id: answer.headers['request-id'],
    });
    expect(answer.headers['retry-after']).toBe(status === 429 ? '1' : undefined);
  });

  test.each([
    [400, 'INVALID_ARGUMENT'],
    [403, 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND'],
    [429, 'RESOURCE_EXHAUSTED'],
    [500, 'INTERNAL'],
    [503, 'UNAVAILABLE'],
    [504, 'DEADLINE_EXCEEDED'],
  ])('generateContent %d', async (code, status) => {
    const answer = await send(gemini, `status=${code}`);
    expect(answer.json()).toMatchObject({ error: { code, status, message: expect.stringMatching(/./) } });
    const details = code === 429 ? [expect.objectContaining({ retryDelay: '1s' })] : undefined;
    expect((answer.json() as { error: { details?: object[] } }).error.details).toEqual(details);
  });

  test('in the middle of a stream', async () => {
    const overloaded = await send(messages, 'fault=error-frame-mid after=2');
    expect(overloaded.text()).toMatch(/event: error\ndata: .*overloaded_error.*\n\n$/);
    expect(overloaded.said()).toBe('word1 word2');
    const google = await send(gemini, 'fault=error-frame-mid after=2');
    expect(google.read().at(-1)).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } });
    const failed = (await send(responses, 'fault=error-frame-mid after=2')).read();
    expect(failed.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' } },
    });
    expect(failed.map((event) => event['sequence_number'])).toEqual(failed.map((_event, at) => at));
  });

  test('as the first frame', async () => {
    expect((await send(messages, 'fault=error-frame-first')).read()).toMatchObject([{ type: 'error' }]);
    expect((await send(gemini, 'fault=error-frame-first')).read()).toMatchObject([{ error: { code: 503 } }]);
    expect((await send(responses, 'fault=error-frame-first')).read()).toMatchObject([
      { type: 'error', code: 'server_error', sequence_number: 0 },
    ]);
  });

  test('inside the JSON array of a stream without alt=sse', async () => {
    const dialect = { ...gemini, path: () => '/v1beta/models/gemini-2.5-flash:streamGenerateContent' };
    const answer = await send(dialect, 'fault=error-frame-mid after=2');
    expect((answer.json() as object[]).at(-1)).toMatchObject({ error: { code: 503 } });
    const cut = await send(dialect, 'fault=end-mid-stream after=2');
    expect(() => cut.json()).toThrow();
  });
});
