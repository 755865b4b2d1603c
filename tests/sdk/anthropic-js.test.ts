// The official Anthropic SDK for JavaScript as the judge, newest and older: whatever it reads, callers can read.
import Newest from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import Old from 'anthropic-sdk-0-60';
import Older from 'anthropic-sdk-0-137';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../support/failure-of.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const OWN = 'anthropic/claude-sonnet-4-5';
/** Older versions share the surface used here, so the newest one's types stand for all. */
const versions = { '1.8': Newest, '0.137': Older as unknown as typeof Newest, '0.60': Old as unknown as typeof Newest };
const JUDGES = [
  { version: '1.8', model: OWN },
  { version: '1.8', model: 'openai/gpt-4o' },
  { version: '1.8', model: 'google/gemini-2.5-flash' },
  { version: '0.137', model: OWN },
  { version: '0.60', model: OWN },
] as const;
const TOOLS: Newest.Tool[] = ['weather', 'clock', 'news'].map((name) => ({
  name,
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}));
const THINKING = { type: 'enabled', budget_tokens: 2048 } as const;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const client = (version: keyof typeof versions, apiKey = KEY): Newest =>
  new versions[version]({ apiKey, baseURL: `${stand.url}/api/anthropic`, maxRetries: 0 });

const user = (content: string): Newest.MessageParam => ({ role: 'user', content });
const asking = (model: string, instruction: string) => ({
  model,
  max_tokens: 4096,
  messages: [user(`Where do three roads meet? @simulate ${instruction}`)],
});
const textOf = ({ content }: Newest.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const callsOf = ({ content }: Newest.Message): Newest.ToolUseBlock[] =>
  content.filter((block) => block.type === 'tool_use');
const resultsOf = (calls: readonly Newest.ToolUseBlock[]): Newest.MessageParam => ({
  role: 'user',
  content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '21 degrees' })),
});

describe.each(JUDGES)('$version to $model', ({ version, model }) => {
  test('create returns text, usage, stop reason and the request id', async () => {
    const message = await client(version).messages.create(asking(model, 'scenario=text-basic'));
    expect(textOf(message)).toContain('Where do three roads meet?');
    expect(message.stop_reason).toBe('end_turn');
    expect(message.usage.input_tokens).toBeGreaterThan(0);
    expect(message.usage.output_tokens).toBeGreaterThan(0);
    expect(message.model).toBe(model);
    expect(message.id).toBe(`msg_${message._request_id}`);
  });

  test('create returns three tool calls, and accepts their results', async () => {
    const body = { ...asking(model, 'scenario=tools-parallel'), tools: TOOLS };
    const message = await client(version).messages.create(body);
    const calls = callsOf(message);
    expect(calls.map(({ name }) => name)).toEqual(['weather', 'clock', 'news']);
    for (const { input } of calls) expect(input).toEqual({ city: expect.any(String) });
    const next = await client(version).messages.create({
      ...body,
      messages: [...body.messages, { role: 'assistant', content: message.content }, resultsOf(calls)],
    });
    expect(textOf(next)).toContain('21 degrees');
  });

  test('[MS-26] raw stream and helper finish, and equal the whole answer', async () => {
    const whole = await client(version).messages.create(asking(model, 'scenario=unicode'));
    let text = '';
    let stop: string | null = null;
    for await (const event of await client(version).messages.create({
      ...asking(model, 'scenario=unicode'),
      stream: true,
    })) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
      if (event.type === 'message_delta') stop = event.delta.stop_reason;
    }
    expect(text).toBe(textOf(whole));
    expect(stop).toBe('end_turn');
    const stream = client(version).messages.stream(asking(model, 'scenario=unicode'));
    const pieces: string[] = [];
    stream.on('text', (piece) => pieces.push(piece));
    const message = await stream.finalMessage();
    expect(textOf(message)).toBe(text);
    expect(pieces.join('')).toBe(text);
    expect(message.stop_reason).toBe('end_turn');
    expect(message.usage.output_tokens).toBe(whole.usage.output_tokens);
    expect(message.usage.input_tokens).toBe(whole.usage.input_tokens);
  });

  test('[MS-26] the stream helper assembles tool calls, and accepts their results', async () => {
    const body = { ...asking(model, 'scenario=tools-with-text'), tools: TOOLS };
    const message = await client(version).messages.stream(body).finalMessage();
    const calls = callsOf(message);
    expect(message.stop_reason).toBe('tool_use');
    expect(calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'weather', input: { city: expect.any(String) } },
      { name: 'clock', input: { city: expect.any(String) } },
    ]);
    const messages = [...body.messages, { role: 'assistant' as const, content: message.content }, resultsOf(calls)];
    const next = await client(version)
      .messages.stream({ ...body, messages })
      .finalMessage();
    expect(textOf(next)).toContain('21 degrees');
    expect(next.usage.output_tokens).toBeGreaterThan(0);
  });

  test('a failure in the middle of a stream is an APIError, not a short answer', async () => {
    const pieces: string[] = [];
    const body = asking(model, 'scenario=text-long tps=200 fault=error-frame-mid after=5');
    const stream = client(version)
      .messages.stream(body)
      .on('text', (piece) => pieces.push(piece));
    const failure = await failureOf(stream.finalMessage());
    expect(pieces.join('')).toContain('word5');
    expect(failure).toBeInstanceOf(versions[version].APIError);
  });

  test('an aborted stream closes the upstream', async () => {
    const stream = client(version).messages.stream(asking(model, 'scenario=text-long words=5000 tps=200'));
    stream.on('text', (_piece, soFar) => {
      if (soFar.includes('word3')) stream.abort();
    });
    expect(await failureOf(stream.finalMessage())).toBeInstanceOf(versions[version].APIUserAbortError);
    await waitUntil('the upstream closed', () => stand.simulator.truth.last()?.outcome === 'aborted');
    expect(stand.simulator.truth.last()?.tokensProduced).toBeLessThan(1000);
  });
});

describe.each(
  JUDGES.map((judge) => (judge.model === 'openai/gpt-4o' ? { ...judge, model: 'compatible/thinker' } : judge)),
)('thinking, $version to $model', ({ version, model }) => {
  test('thinking arrives with a signature and may be sent back', async () => {
    const body = { ...asking(model, 'scenario=reasoning-tools'), thinking: THINKING, tools: TOOLS };
    const whole = await client(version).messages.create(body);
    const streamed = await client(version).messages.stream(body).finalMessage();
    for (const message of [whole, streamed]) {
      const thought = message.content.find((block) => block.type === 'thinking');
      expect(thought?.thinking).toContain('two tools');
      expect(thought?.signature).toMatch(/\S/);
      const messages = [
        ...body.messages,
        { role: 'assistant' as const, content: message.content },
        resultsOf(callsOf(message)),
      ];
      const next = await client(version).messages.create({ ...body, messages });
      expect(textOf(next)).toContain('21 degrees');
      expect(stand.simulator.truth.last()?.refusal).toBeUndefined();
    }
  });
});

describe('structured output', () => {
  test.each(JUDGES.slice(0, 3))('parse returns a structured answer, $version to $model', async ({ model }) => {
    const format = jsonSchemaOutputFormat({
      type: 'object',
      properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
      required: ['city', 'degrees'],
      additionalProperties: false,
    });
    const message = await client('1.8').messages.parse({ ...asking(model, ''), output_config: { format } });
    expect(message.parsed_output).toEqual({ city: expect.any(String), degrees: expect.any(Number) });
  });
});

describe('counting', () => {
  test.each(JUDGES)('countTokens returns a count, $version to $model', async ({ version, model }) => {
    const { messages } = asking(model, '');
    expect((await client(version).messages.countTokens({ model, messages })).input_tokens).toBeGreaterThan(0);
  });
});

describe.each(['1.8', '0.137'] as const)('errors, %s', (version) => {
  const sdk = versions[version];
  const cases: readonly (readonly [number, string, new (...given: never[]) => Error, () => Promise<unknown>])[] = [
    [
      400,
      'a bad field',
      sdk.BadRequestError,
      () => client(version).messages.create({ ...asking(OWN, ''), stop_sequences: 'end' as never }),
    ],
    [401, 'a wrong key', sdk.AuthenticationError, () => client(version, 'sk-nobody').messages.create(asking(OWN, ''))],
    [404, 'an unknown model', sdk.NotFoundError, () => client(version).messages.create(asking('no/such', ''))],
    [429, 'a rate limit', sdk.RateLimitError, () => client(version).messages.create(asking(OWN, 'status=429'))],
    [502, 'a failure', sdk.InternalServerError, () => client(version).messages.create(asking(OWN, 'status=500'))],
    [
      429,
      'a rate limit of a stream',
      sdk.RateLimitError,
      () => client(version).messages.stream(asking(OWN, 'status=429')).finalMessage(),
    ],
  ];

  test.each(cases)('[E-31] %d for %s is the SDK’s own class with the request id', async (status, _what, type, call) => {
    const failure = await failureOf(call());
    expect(failure).toBeInstanceOf(type);
    const { status: seen, requestID, error } = failure as InstanceType<typeof Newest.APIError>;
    expect(seen).toBe(status);
    expect(requestID).toMatch(/^.{10,}$/);
    expect(error).toMatchObject({ type: 'error', error: { type: expect.any(String), message: expect.any(String) } });
  });
});

describe.each(['1.8', '0.137'] as const)('models, %s', (version) => {
  test('models.list and models.retrieve work, also for an id with a slash', async () => {
    const ids: string[] = [];
    for await (const model of client(version).models.list()) ids.push(model.id);
    expect(ids).toContain(OWN);
    const model = await client(version).models.retrieve(OWN);
    expect(model).toMatchObject({ id: OWN, type: 'model' });
    expect(await failureOf(client(version).models.retrieve('no/such'))).toBeInstanceOf(versions[version].NotFoundError);
  });
});
