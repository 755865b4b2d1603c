// S5: texts of upstream errors reach callers, logs and records without credentials and internal addresses, in every dialect.
import { inspect } from 'node:util';
import { createLog } from '@trivium/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVERY_ROAD } from '../support/every-road.ts';
import {
  CREDENTIAL,
  expectNoLeak,
  KEY_PAIR,
  LEAK,
  type LeakyUpstream,
  leakyError,
  openLeakyUpstream,
  SAYS,
  type Said,
} from '../support/leaky-upstream.ts';
import { post, type RoadReply } from '../support/roads.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

const TEXT_DIALECTS = ['openai-chat', 'anthropic-messages', 'google-generate', 'openai-responses'] as const;
type TextDialect = (typeof TEXT_DIALECTS)[number];
const STATUSES = [400, 401, 413, 422, 500];
const SHOWN = new Set([400, 413, 422]);

const IMAGE_MODELS = {
  'openai-images': 'openai/gpt-image-1.5',
  'google-image': 'google/gemini-3-pro-image',
  'google-predict': 'leaky-google/imagen',
  'ark-images': 'bytedance/seedream-4.0',
  'bfl-images': 'bfl/flux-2-pro',
  'dashscope-images': 'alibaba/wan2.7-image',
  'fal-queue': 'bfl/flux-2-pro:fal',
} as const;

let upstream: LeakyUpstream;
let stand: Stand;
const lines: string[] = [];

beforeAll(async () => {
  upstream = await openLeakyUpstream();
  const at = { credential: CREDENTIAL, baseUrl: `${upstream.url}/v1` };
  stand = await openStand({
    log: createLog({ level: 'trace', write: (line) => void lines.push(line) }),
    config: () => ({ log: { level: 'trace' }, retries: { maxAttempts: 1 }, timeouts: { totalMs: 20_000 } }),
    alsoHosts: () => ({
      providers: {
        ...Object.fromEntries(TEXT_DIALECTS.map((dialect) => [`leaky-${dialect}`, { ...at, dialect }])),
        ...Object.fromEntries(['openai', 'google', 'byteplus', 'bfl', 'alibaba', 'fal'].map((id) => [id, at])),
        'leaky-google': { ...at, dialect: 'google-generate' },
        klingai: { ...at, credential: KEY_PAIR },
      },
      models: [
        ...TEXT_DIALECTS.map((dialect) => ({
          id: `leaky/${dialect}`,
          contextLength: 128_000,
          maxOutputTokens: 16_384,
          endpoints: [{ provider: `leaky-${dialect}`, dialect, upstreamModel: 'any' }],
        })),
        {
          id: 'leaky-google/imagen',
          inputModalities: ['text'],
          outputModalities: ['image'],
          endpoints: [{ provider: 'leaky-google', dialect: 'google-predict', upstreamModel: 'imagen' }],
        },
        ...(['openai-embeddings', 'google-embed'] as const).map((dialect) => ({
          id: `leaky/${dialect}`,
          outputModalities: ['embedding'],
          contextLength: 8192,
          endpoints: [
            {
              provider: dialect === 'google-embed' ? 'leaky-google' : 'leaky-openai-chat',
              dialect,
              upstreamModel: 'any',
            },
          ],
        })),
      ],
    }),
  });
});
afterAll(async () => {
  await stand.close();
  await upstream.close();
});

/** Everything that the caller, the operator and a later reader of the record can see. */
async function expectClean({ headers, text }: Pick<RoadReply, 'headers' | 'text'>): Promise<void> {
  expectNoLeak('the answer', text);
  expectNoLeak('its headers', inspect([...headers]));
  const explained = await fetch(`${stand.chatUrl}/requests/${headers.get('x-request-id')}`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  expectNoLeak('the explanation', await explained.text());
  expectNoLeak('the record', inspect(stand.records.at(-1), { depth: 10 }));
  expectNoLeak('the log', lines.join(''));
}

const frame = (data: object, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'any', status: 'in_progress', output: [] };
/** The first events of each dialect before it fails in the middle. */
const BEGINNINGS: Readonly<Record<TextDialect, string>> = {
  'openai-chat': frame({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content: 'begun' } }],
  }),
  'anthropic-messages':
    frame({ type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: {} } }, 'message_start') +
    frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 'content_block_start') +
    frame(
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'begun' } },
      'content_block_delta',
    ),
  'google-generate': frame({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'begun' }] } }] }),
  'openai-responses':
    frame({ type: 'response.created', sequence_number: 0, response: RESPONSE }, 'response.created') +
    frame(
      {
        type: 'response.output_item.added',
        sequence_number: 1,
        output_index: 0,
        item: { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
      },
      'response.output_item.added',
    ) +
    frame(
      {
        type: 'response.content_part.added',
        sequence_number: 2,
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        part: { type: 'output_text', text: '', annotations: [] },
      },
      'response.content_part.added',
    ) +
    frame(
      {
        type: 'response.output_text.delta',
        sequence_number: 3,
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: 'begun',
      },
      'response.output_text.delta',
    ),
};

/** The code of a dialect's error inside a 200 that means a caller error. */
const CODES: Readonly<Record<TextDialect, unknown>> = {
  'openai-chat': 400,
  'anthropic-messages': undefined,
  'google-generate': 400,
  'openai-responses': 'invalid_prompt',
};

/** Every way to fail in a stream: an error event, and a failed response. */
const failures = (dialect: TextDialect): string[] => {
  const error = leakyError(CODES[dialect]);
  const failed = { type: 'response.failed', response: { ...RESPONSE, status: 'failed', error: error['error'] } };
  return [
    frame(error, 'error'),
    ...(dialect === 'openai-responses' ? [frame(failed, 'response.failed')] : [frame(error)]),
  ];
};

const PAIRS = EVERY_ROAD.flatMap((road) => TEXT_DIALECTS.map((dialect) => ({ road, dialect, name: road.name })));

describe.each(PAIRS)('$name from $dialect', ({ road, dialect }) => {
  const model = `leaky/${dialect}`;
  const ask = (stream: boolean): Promise<RoadReply> =>
    post(stand, road, model, road.body(model, [road.user('hello')], { stream }), { stream });

  test.each(STATUSES.flatMap((status) => [false, true].map((stream) => ({ status, stream }))))(
    'an error text with status $status has no secrets, streamed: $stream',
    async ({ status, stream }) => {
      upstream.answer = () => ({ status, body: leakyError() });
      const reply = await ask(stream);
      expect(reply.status).toBeGreaterThanOrEqual(400);
      if (SHOWN.has(status)) expect(reply.text).toContain(`${SAYS} that [redacted]`);
      else expect(reply.text).not.toContain(SAYS);
      await expectClean(reply);
    },
  );

  test('an error text inside a 200 has no secrets', async () => {
    upstream.answer = () => ({ body: { ...leakyError(CODES[dialect]), status: 'failed' } });
    const reply = await ask(false);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(`${SAYS} that [redacted]`);
    await expectClean(reply);
  });

  test('an error text that is not JSON has no secrets', async () => {
    upstream.answer = () => ({ body: `Bearer songbirdToken http://vllm.songbird.internal ${CREDENTIAL}` });
    const reply = await ask(false);
    expect(reply.status).toBe(502);
    await expectClean(reply);
  });

  test('an error text at the beginning of a stream has no secrets', async () => {
    for (const body of failures(dialect)) {
      upstream.answer = () => ({ contentType: 'text/event-stream', body });
      const reply = await ask(true);
      expect(reply.status).toBe(400);
      expect(reply.text).toContain(`${SAYS} that [redacted]`);
      await expectClean(reply);
    }
  });

  test('an error text in the middle of a stream has no secrets', async () => {
    for (const text of failures(dialect)) {
      let goOn = (): void => undefined;
      const after = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      upstream.answer = () => ({
        contentType: 'text/event-stream',
        body: BEGINNINGS[dialect],
        rest: { after, text },
      });
      const reply = await post(stand, road, model, road.body(model, [road.user('hello')], { stream: true }), {
        stream: true,
        onHead: goOn,
      });
      expect(reply.text).toContain('begun');
      expect(reply.text).toContain(`${SAYS} that [redacted]`);
      expect(reply.complete).toBe(false);
      await expectClean(reply);
    }
  });
});

test('S5: the text of a model is unchanged, even if it looks like a secret', async () => {
  const said = 'Use Authorization: Bearer sk-abcdefghijkl at http://localhost:8000';
  const USAGE = {
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10 },
  };
  const chunk = (delta: object, finish_reason: string | null): string =>
    frame({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  upstream.answer = () => ({
    contentType: 'text/event-stream',
    body: `${chunk({ content: said }, null)}${chunk({}, 'stop')}${frame(USAGE)}data: [DONE]\n\n`,
  });
  for (const road of EVERY_ROAD) {
    const model = 'leaky/openai-chat';
    const reply = await post(stand, road, model, road.body(model, [road.user('hello')], { stream: true }), {
      stream: true,
    });
    expect(road.parseStream(reply.text).text).toBe(said);
  }
});

const postJson = async (path: string, body: object): Promise<RoadReply> => {
  const response = await fetch(`${stand.chatUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text(), complete: true };
};

describe.each(['openai-embeddings', 'google-embed'])('embeddings from %s', (dialect) => {
  test.each(STATUSES)('an error text of an embedding call with status %d has no secrets', async (status) => {
    upstream.answer = () => ({ status, body: leakyError() });
    const reply = await postJson('/embeddings', { model: `leaky/${dialect}`, input: 'hello' });
    if (SHOWN.has(status)) expect(reply.text).toContain(`${SAYS} that [redacted]`);
    await expectClean(reply);
  });
});

/** Errors by which hosts report a filtered image, where they use an error. */
const HELD_BACK: Readonly<Partial<Record<keyof typeof IMAGE_MODELS, { status: number; body: object }>>> = {
  'openai-images': { status: 400, body: leakyError('moderation_blocked') },
  'ark-images': { status: 400, body: leakyError('OutputImageSensitiveContentDetected') },
  'dashscope-images': { status: 400, body: { ...leakyError(), code: 'DataInspectionFailed' } },
  'fal-queue': {
    status: 422,
    body: { detail: [{ type: 'content_policy_violation', msg: String(leakyError()['message']) }] },
  },
};

describe.each(Object.entries(IMAGE_MODELS))('images from %s', (dialect, model) => {
  test.each([
    ...STATUSES.map((status) => ({ status, body: leakyError() })),
    ...[HELD_BACK[dialect as keyof typeof IMAGE_MODELS] ?? []].flat(),
  ])('an error text of an image call with status $status has no secrets', async (said) => {
    upstream.answer = () => said;
    const reply = await postJson('/images/generations', { model, prompt: 'a cat' });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    if (SHOWN.has(said.status)) expect(reply.text).toContain(SAYS);
    await expectClean(reply);
  });
});

test('an error event in an image stream has no secrets', async () => {
  upstream.answer = () => ({ contentType: 'text/event-stream', body: frame(leakyError(), 'error') });
  const reply = await postJson('/images/generations', {
    model: IMAGE_MODELS['openai-images'],
    prompt: 'a cat',
    stream: true,
  });
  expect(reply.text).toContain(SAYS);
  await expectClean(reply);
});

/** The outcome of a job after its submission. */
const FAILED_JOBS: Readonly<Partial<Record<keyof typeof IMAGE_MODELS, Said>>> = {
  'dashscope-images': { body: { output: { task_status: 'FAILED', code: 'InvalidParameter.Size', message: LEAK } } },
  'fal-queue': { status: 422, body: { status: 'COMPLETED', detail: [{ type: 'value_error', msg: LEAK }] } },
};

test.each(Object.entries(FAILED_JOBS))(
  'the error text of a failed image job of %s has no secrets',
  async (dialect, failed) => {
    const taken = { output: { task_id: 't' }, request_id: 't', status: 'COMPLETED' };
    upstream.answer = (method, path) => (method === 'POST' || path.endsWith('/status') ? { body: taken } : failed);
    const model = IMAGE_MODELS[dialect as keyof typeof IMAGE_MODELS];
    const reply = await postJson('/images/generations', { model, prompt: 'a cat' });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(`${SAYS} that [redacted]`);
    await expectClean(reply);
  },
);
