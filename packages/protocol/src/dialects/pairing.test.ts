import { describe, expect, test } from 'vitest';
import type { EmbedCall } from '../canonical/embedding.ts';
import { GatewayError } from '../canonical/gateway-error.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { AnswerContext, TargetFacts } from './dialect.ts';
import { findAnyDialect, findDialect, findEmbedDialect } from './index.ts';
import { NO_TEXT_OPTIONS } from './media-dialects.ts';
import { encodeCall, translateAnswer } from './pairing.ts';

const openai = findEmbedDialect('openai-embeddings');
const google = findEmbedDialect('google-embed');
const chat = findDialect('openai-chat');
const generate = findDialect('google-generate');
if (openai === undefined || google === undefined || chat === undefined || generate === undefined)
  throw new Error('a dialect is missing');

const facts = (quirks: object, embedding = { shortens: true }): TargetFacts => ({
  upstreamModel: 'up',
  model: {
    maxOutputTokens: undefined,
    temperature: false,
    tools: false,
    structuredOutput: false,
    thinking: { kind: 'none', canDisable: false, levels: [] },
    embedding,
  },
  quirks,
  sealOwner: { dialect: 'openai-embeddings', family: 'x' },
});
const at = (dialect: typeof openai, own: object = {}) => ({ dialect, facts: facts(dialect.quirks(own)) });
const context = (inputs: number, form?: string): AnswerContext => ({
  requestId: 'r',
  model: 'owner/name',
  createdAtSeconds: 0,
  responseOptions: {
    ...NO_TEXT_OPTIONS,
    embed: { encoding: 'float', inputs, estimatedTokens: 9, ...(form !== undefined && { form }) },
  },
});
const call: EmbedCall = {
  operation: 'embed',
  model: 'm',
  inputs: [{ kind: 'text', texts: ['a'], task: 'similarity', title: 't' }],
  dimensions: 2,
  truncate: false,
  extras: { 'google-embed': { colour: 'red' } },
};
const thrown = (work: () => unknown): GatewayError['fault'] => {
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError) return error.fault;
    throw error;
  }
  throw new Error('nothing was thrown');
};

test('an operation is only served in its own dialects', () => {
  expect(() => encodeCall(call, { dialect: chat, facts: facts(chat.quirks({})) })).toThrow('openai-chat');
  expect(() => translateAnswer({}, at(openai), chat, context(1))).toThrow('openai-embeddings');
  expect(findAnyDialect('openai-chat')).toBe(chat);
  expect(findAnyDialect('google-embed')).toBe(google);
  expect(findAnyDialect('nothing')).toBeUndefined();
});

describe('requests', () => {
  test('fields a format does not have are losses', () => {
    const { body, losses } = encodeCall(call, at(openai));
    expect(body).toEqual({ model: 'up', input: ['a'], dimensions: 2 });
    expect(losses.map(({ field }) => field)).toEqual(['input.task', 'input.title', 'embed.truncate', 'extras']);
  });

  test('hosts with `:predict` get instances and parameters', () => {
    const { body, losses } = encodeCall(call, at(google, { form: 'predict' }));
    expect(body).toEqual({
      instances: [{ content: 'a', task_type: 'SEMANTIC_SIMILARITY', title: 't' }],
      parameters: { outputDimensionality: 2, autoTruncate: false },
    });
    expect(losses.map(({ field }) => field)).toEqual(['extras']);
    const bare: EmbedCall = { operation: 'embed', model: 'm', inputs: [{ kind: 'text', texts: ['a'] }], extras: {} };
    expect(encodeCall(bare, at(google, { form: 'predict' }))).toEqual({
      body: { instances: [{ content: 'a' }] },
      losses: [],
    });
  });

  test('hosts with `:batchEmbedContents` get a request for each input, and whether to truncate is a loss', () => {
    const { body, losses } = encodeCall(call, at(google));
    expect(body).toEqual({
      requests: [
        {
          model: 'models/up',
          content: { parts: [{ text: 'a' }] },
          taskType: 'SEMANTIC_SIMILARITY',
          title: 't',
          outputDimensionality: 2,
        },
      ],
    });
    expect(losses.map(({ field }) => field)).toEqual(['extras', 'embed.truncate']);
  });

  test('inputs that a host cannot read are refused', () => {
    const parts: EmbedCall = { ...call, inputs: [{ kind: 'text', texts: ['a', 'b'] }] };
    expect(thrown(() => encodeCall(parts, at(google, { form: 'predict' })))).toMatchObject({
      kind: 'unsupported',
      message: expect.stringContaining('several parts'),
    });
    const tokens: EmbedCall = { ...call, inputs: [{ kind: 'tokens', tokens: [1] }] };
    for (const form of ['predict', 'batch'])
      expect(thrown(() => encodeCall(tokens, at(google, { form })))).toMatchObject({
        kind: 'unsupported',
        message: expect.stringContaining('token ids'),
      });
  });

  test('quirks of a host: another name for dimensions, none at all, no token ids, fewer inputs', () => {
    expect(encodeCall(call, at(openai, { dimensionsField: 'output_dimension' })).body).toMatchObject({
      output_dimension: 2,
    });
    expect(thrown(() => encodeCall(call, at(openai, { dimensionsField: 'none' })))).toMatchObject({
      kind: 'unsupported',
      field: 'dimensions',
    });
    const tokens: EmbedCall = { ...call, inputs: [{ kind: 'tokens', tokens: [1] }] };
    expect(encodeCall(tokens, at(openai)).body['input']).toEqual([[1]]);
    expect(thrown(() => encodeCall(tokens, at(openai, { tokenInput: false })))).toMatchObject({ field: 'input' });
    const two: EmbedCall = { ...call, inputs: [...call.inputs, ...call.inputs] };
    expect(thrown(() => encodeCall(two, at(openai, { inputsMax: 1 })))).toMatchObject({ field: 'input' });
    expect(thrown(() => encodeCall(two, at(google, { form: 'predict', inputsMax: 1 })))).toMatchObject({
      kind: 'unsupported',
    });
  });

  const verbatim = (dialect: typeof openai, body: JsonObject, own: object, form?: string) =>
    dialect.server
      .understand(body, { model: 'm', header: () => undefined, ...(form !== undefined && { form }) })
      .verbatim(facts(dialect.quirks(own)));

  test('edits if the text can stay, and the reason if it cannot', () => {
    const body = { model: 'm', input: [[1]], encoding_format: 'float', dimensions: 2 };
    expect(verbatim(openai, body, { dimensionsField: 'output_dimension' })).toEqual({
      edits: [
        { name: 'model', value: '"up"' },
        { name: 'encoding_format', value: undefined },
        { name: 'dimensions', renameTo: 'output_dimension' },
      ],
      losses: [],
    });
    expect(verbatim(openai, body, { tokenInput: false })).toEqual({ why: 'the host takes no token ids' });
    expect(verbatim(openai, { ...body, encoding_format: 'base64' }, {})).toEqual({ why: 'the host has no base64' });
    const instances = { instances: [{ content: 'a' }] };
    expect(verbatim(google, instances, { form: 'predict' }, 'predict')).toEqual({ edits: [], losses: [] });
    expect(verbatim(google, instances, {}, 'predict')).toHaveProperty('why');
  });
});

describe('answers', () => {
  const listed = (...entries: JsonObject[]): JsonObject => ({ data: entries, usage: { total_tokens: 5 } });

  test('vectors are returned in the order of their index, for any order and encoding received', () => {
    const body = listed({ index: 1, embedding: [2] }, { index: 0, embedding: 'AACAPw==' });
    const { body: out, usage } = translateAnswer(body, at(openai), google, context(2, 'batchEmbedContents'));
    expect(out).toEqual({
      embeddings: [{ values: [1] }, { values: [2] }],
      usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
    });
    expect(usage).toEqual({ prompt: 5 });
    const doubled = listed({ index: 0, embedding: [2] }, { index: 0, embedding: [1] });
    const asCame = translateAnswer(doubled, at(openai), openai, context(2)).body['data'];
    expect(asCame).toMatchObject([{ embedding: [2] }, { embedding: [1] }]);
  });

  test('the count of each text is kept, and the usage is the sum', () => {
    const predictions = [3, 4].map((token_count) => ({ embeddings: { values: [1], statistics: { token_count } } }));
    const own = translateAnswer({ predictions }, at(google), google, context(2, 'predict'));
    expect(own.usage).toEqual({ prompt: 7 });
    expect(own.losses).toEqual([]);
    expect(own.body).toMatchObject({ predictions });
    const passed = google.verbatim.answer({ predictions }, context(2, 'predict'), facts({}));
    expect(passed).toEqual({ patch: { kind: 'pass', edits: [] }, usage: { prompt: 7 } });
    const uncounted = [{ embeddings: { values: [1] } }];
    expect(google.verbatim.answer({ predictions: uncounted }, context(1, 'predict'), facts({}))).toMatchObject({
      usage: { prompt: 9 },
      usageEstimated: true,
    });
  });

  test('a host that answers in the other encoding is corrected', () => {
    const reading = openai.verbatim.answer(listed({ embedding: 'AACAPw==' }), context(1), facts({}));
    expect(reading.patch).toEqual({
      kind: 'pass',
      edits: [
        { name: 'model', value: '"owner/name"' },
        { name: 'data', value: '[{"object":"embedding","index":0,"embedding":[1]}]' },
        { name: 'usage', value: '{"prompt_tokens":5,"total_tokens":5}' },
        { name: 'object', value: '"list"' },
      ],
    });
  });

  test.each<[string, JsonObject]>([
    ['none at all', {}],
    ['too few', listed({ index: 0, embedding: [1] })],
    ['one that is empty', listed({ embedding: [] }, { embedding: [1] })],
    ['one that is no list', listed({ embedding: 7 }, { embedding: [1] })],
    ['one of words', listed({ embedding: ['a'] }, { embedding: [1] })],
    ['one of broken base64', listed({ embedding: 'AA' }, { embedding: [1] })],
  ])('a host that sends %s is broken', (_what, body) => {
    expect(thrown(() => translateAnswer(body, at(openai), openai, context(2))).kind).toBe('upstream-broken');
  });

  test('passed on or rebuilt, the number of vectors must be right', () => {
    const one = listed({ index: 0, embedding: [1] });
    expect(thrown(() => openai.verbatim.answer(one, context(2), facts({}))).kind).toBe('upstream-broken');
    expect(thrown(() => google.verbatim.answer({}, context(1, 'predict'), facts({}))).kind).toBe('upstream-broken');
  });
});

describe('losses of a text answer', () => {
  const lossesOf = (candidate: JsonObject): string[] => {
    const content = { role: 'model', parts: [{ text: 'Hello' }] };
    const body = { candidates: [{ content, finishReason: 'STOP', ...candidate }] };
    const side = { dialect: generate, facts: facts(generate.quirks({})) };
    return translateAnswer(body, side, chat, context(1)).losses.map(({ path }) => path);
  };
  const citation = { uri: 'https://a.example', startIndex: 0, endIndex: 5 };
  const citations = Array.from({ length: 501 }, () => citation);
  const sourcesAlone = { groundingChunks: [{ web: { uri: 'https://a.example' } }] };

  test('the same one is reported once: citations left unread and sources without a place in the text', () => {
    expect(lossesOf({ citationMetadata: { citations } })).toEqual(['citations']);
    expect(lossesOf({ groundingMetadata: sourcesAlone })).toEqual(['citations']);
    expect(lossesOf({ citationMetadata: { citations }, groundingMetadata: sourcesAlone })).toEqual(['citations']);
  });

  test('different ones are all reported', () => {
    const safetyRatings = [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }];
    expect(lossesOf({ citationMetadata: { citations }, safetyRatings })).toEqual(['citations', 'safetyRatings']);
  });
});
