// The official OpenAI SDK for JavaScript as the judge: whatever it reads, callers can read.
import OpenAI from 'openai';
import { makeParseableResponseFormat } from 'openai/lib/parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY, openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const MODEL = 'openai/gpt-4o';
const TOOLS: OpenAI.Chat.ChatCompletionFunctionTool[] = ['weather', 'clock', 'news'].map((name) => ({
  type: 'function',
  function: {
    name,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}));
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
} as const;

let stand: Stand;
let client: OpenAI;
beforeAll(async () => {
  stand = await openStand();
  client = clientWith(KEY);
});
afterAll(() => stand.close());

const clientWith = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL: stand.chatUrl, maxRetries: 0 });
const asking = (instruction: string) => ({
  model: MODEL,
  messages: [{ role: 'user' as const, content: `Where do three roads meet? @simulate ${instruction}` }],
});

/** The error a promise ends with; fails when it does not. */
async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it did not fail');
}

describe('whole answers', () => {
  test('[CR-22] create returns text, usage, finish reason and the request id', async () => {
    const completion = await client.chat.completions.create(asking('scenario=text-basic'));
    expect(completion.choices[0]?.message.content).toContain('Where do three roads meet?');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
    expect(completion._request_id).toBeTypeOf('string');
    expect(completion.id).toBe(`chatcmpl-${completion._request_id}`);
    expect(completion.model).toBe(MODEL);
  });

  test('[CR-22] create returns three parallel tool calls, and accepts their results', async () => {
    const completion = await client.chat.completions.create({ ...asking('scenario=tools-parallel'), tools: TOOLS });
    const message = completion.choices[0]?.message;
    if (message === undefined) throw new Error('no message');
    const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function');
    expect(calls.map((call) => call.function.name)).toEqual(['weather', 'clock', 'news']);
    for (const call of calls) expect(JSON.parse(call.function.arguments)).toHaveProperty('city');
    const next = await client.chat.completions.create({
      model: MODEL,
      tools: TOOLS,
      messages: [
        { role: 'user', content: 'Weather?' },
        message,
        ...calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: '21 degrees' })),
      ],
    });
    expect(next.choices[0]?.message.content).toContain('21 degrees');
  });

  test('[CR-22] parse returns a parsed answer for a JSON schema', async () => {
    const format = makeParseableResponseFormat<{ city: string; degrees: number }>(
      { type: 'json_schema', json_schema: { name: 'weather', strict: true, schema: SCHEMA } },
      (content) => JSON.parse(content) as { city: string; degrees: number },
    );
    const completion = await client.chat.completions.parse({ ...asking(''), response_format: format });
    const parsed = completion.choices[0]?.message.parsed;
    expect(parsed?.city).toBeTypeOf('string');
    expect(Number.isInteger(parsed?.degrees)).toBe(true);
  });
});

describe('streams', () => {
  test('[CS-18] partly: the raw iterator joins to the whole answer', async () => {
    const whole = await client.chat.completions.create(asking('scenario=unicode'));
    let text = '';
    let finish: string | null = null;
    for await (const chunk of await client.chat.completions.create({ ...asking('scenario=unicode'), stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
      finish = chunk.choices[0]?.finish_reason ?? finish;
      expect(chunk.usage ?? null).toBeNull();
    }
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(finish).toBe('stop');
  });

  test('[CS-18] partly: with include_usage the last chunk has the usage and no choices', async () => {
    const chunks: OpenAI.Chat.ChatCompletionChunk[] = [];
    const body = { ...asking('scenario=cached-usage'), stream: true, stream_options: { include_usage: true } } as const;
    for await (const chunk of await client.chat.completions.create(body)) chunks.push(chunk);
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 });
  });

  test('[CS-18] partly: the stream helper returns text, events and the final completion', async () => {
    const stream = client.chat.completions.stream({
      ...asking('scenario=text-long words=20'),
      stream_options: { include_usage: true },
    });
    const deltas: string[] = [];
    stream.on('content', (delta) => deltas.push(delta));
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]?.message.content?.split(' ')).toHaveLength(20);
    expect(deltas.join('')).toBe(completion.choices[0]?.message.content);
    expect((await stream.totalUsage()).completion_tokens).toBe(20);
  });

  test('[CS-18] partly: the stream helper assembles three interleaved calls', async () => {
    const stream = client.chat.completions.stream({ ...asking('scenario=tools-parallel-interleaved'), tools: TOOLS });
    const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0] ?? {};
    expect(finish_reason).toBe('tool_calls');
    const calls = (message?.tool_calls ?? []).filter((call) => call.type === 'function');
    expect(calls.map((call) => call.function.name)).toEqual(['weather', 'clock', 'news']);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    for (const call of calls) expect(JSON.parse(call.function.arguments)).toHaveProperty('city');
  });

  test('[CS-18] partly: the stream helper parses a JSON schema answer', async () => {
    const format = makeParseableResponseFormat<{ city: string }>(
      { type: 'json_schema', json_schema: { name: 'weather', strict: true, schema: SCHEMA } },
      (content) => JSON.parse(content) as { city: string },
    );
    const stream = client.chat.completions.stream({ ...asking(''), response_format: format });
    expect((await stream.finalChatCompletion()).choices[0]?.message.parsed?.city).toBeTypeOf('string');
  });

  test('a failure in the middle of a stream is an APIError, not a short answer', async () => {
    const pieces: string[] = [];
    const failure = await failureOf(
      (async () => {
        const body = { ...asking('scenario=text-long tps=200 fault=error-frame-mid after=5'), stream: true } as const;
        for await (const chunk of await client.chat.completions.create(body))
          pieces.push(chunk.choices[0]?.delta.content ?? '');
      })(),
    );
    expect(pieces.join('')).toContain('word5');
    expect(failure).toBeInstanceOf(OpenAI.APIError);
    expect(failure).toMatchObject({ type: 'server_error' });
  });

  test('an aborted stream closes the upstream', async () => {
    const body = { ...asking('scenario=text-long words=5000 tps=200'), stream: true } as const;
    const stream = await client.chat.completions.create(body);
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content?.includes('word3')) break;
    stream.controller.abort();
    await waitUntil('the upstream closed', () => stand.simulator.truth.last()?.outcome === 'aborted');
    expect(stand.simulator.truth.last()?.tokensProduced).toBeLessThan(1000);
  });
});

describe('errors', () => {
  const cases: readonly (readonly [number, string, new (...given: never[]) => Error, () => Promise<unknown>])[] = [
    [
      400,
      'a bad field',
      OpenAI.BadRequestError,
      () => client.chat.completions.create({ ...asking(''), temperature: 'warm' as never }),
    ],
    [401, 'a wrong key', OpenAI.AuthenticationError, () => clientWith('sk-nobody').chat.completions.create(asking(''))],
    [
      404,
      'an unknown model',
      OpenAI.NotFoundError,
      () => client.chat.completions.create({ ...asking(''), model: 'no/such' }),
    ],
    [429, 'an upstream rate limit', OpenAI.RateLimitError, () => client.chat.completions.create(asking('status=429'))],
    [
      502,
      'an upstream failure',
      OpenAI.InternalServerError,
      () => client.chat.completions.create(asking('status=500')),
    ],
    [503, 'an overload', OpenAI.InternalServerError, () => client.chat.completions.create(asking('status=503'))],
  ];

  test.each(cases)(
    '[E-31] partly: %d for %s is the SDK’s own class with the request id',
    async (status, _what, type, call) => {
      const failure = await failureOf(call());
      expect(failure).toBeInstanceOf(type);
      expect(failure).toBeInstanceOf(OpenAI.APIError);
      const { status: seen, requestID, error } = failure as InstanceType<typeof OpenAI.APIError>;
      expect(seen).toBe(status);
      expect(requestID).toMatch(/^.{10,}$/);
      expect(error).toMatchObject({ message: expect.any(String), type: expect.any(String) });
    },
  );

  test('[E-31] partly: a streamed call that fails early throws the same classes', async () => {
    const failure = await failureOf(client.chat.completions.create({ ...asking('status=429'), stream: true }));
    expect(failure).toBeInstanceOf(OpenAI.RateLimitError);
  });
});

describe('models', () => {
  test('models.list and models.retrieve work, also for an id with a slash', async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain(MODEL);
    const model = await client.models.retrieve(MODEL);
    expect(model.id).toBe(MODEL);
    expect(model.object).toBe('model');
    expect(await failureOf(client.models.retrieve('no/such'))).toBeInstanceOf(OpenAI.NotFoundError);
  });
});
