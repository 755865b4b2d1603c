// Embeddings of the generateContent protocol, in its three forms, to models of either dialect.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  embedded,
  embedHosts,
  FIXED,
  GEMINI,
  genaiUrl,
  type Json,
  postJson,
  SMALL,
  served,
} from '../../support/embed-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: embedHosts });
});
afterAll(() => stand.close());

const content = (...texts: string[]) => ({ parts: texts.map((text) => ({ text })) });
const ask = (model: string, action: string, body: unknown) =>
  served(stand, () => postJson(genaiUrl(stand, model, action), body));

async function refused(model: string, action: string, body: Json, field: string): Promise<void> {
  const before = stand.simulator.truth.read().length;
  const reply = await postJson(genaiUrl(stand, model, action), body);
  const error = reply.json['error'] as Json | undefined;
  expect({ body, status: reply.status, word: error?.['status'] }).toEqual({
    body,
    status: 400,
    word: 'INVALID_ARGUMENT',
  });
  expect(error?.['message']).toContain(field);
  expect(stand.simulator.truth.read().length).toBe(before);
}

test.each([GEMINI, SMALL])('the three forms of an embedding call give the same vectors for %s', async (model) => {
  const texts = ['three', 'roads'];
  const batch = await ask(model, 'batchEmbedContents', {
    requests: texts.map((text) => ({ model: `models/${model}`, content: content(text), outputDimensionality: 8 })),
  });
  expect(Object.keys(batch.reply.json).sort()).toEqual(['embeddings', 'usageMetadata']);
  expect(batch.vectors).toHaveLength(2);
  const predict = await ask(model, 'predict', {
    instances: texts.map((text) => ({ content: text })),
    parameters: { outputDimensionality: 8 },
  });
  expect(predict.vectors).toEqual(batch.vectors);
  const single = await ask(model, 'embedContent', { content: content('roads'), output_dimensionality: 8 });
  expect(single.vectors).toEqual([batch.vectors[1]]);
  const nested = await ask(model, 'embedContent', {
    content: content('roads'),
    embedContentConfig: { outputDimensionality: 8 },
  });
  expect(nested.vectors).toEqual(single.vectors);
  const openai = await embedded(stand, { model, input: texts, dimensions: 8 });
  expect(openai.vectors).toEqual(batch.vectors);
});

test('each form of an embedding answer reports usage where it has a field for it', async () => {
  const batch = await ask(SMALL, 'batchEmbedContents', { requests: [{ content: content('one two three') }] });
  expect(batch.reply.json['usageMetadata']).toEqual({ promptTokenCount: 3, totalTokenCount: 3 });
  const one = await ask(SMALL, 'predict', { instances: [{ content: 'one two three' }] });
  expect(one.losses).toEqual([]);
  expect(one.reply.json['predictions']).toMatchObject([
    { embeddings: { statistics: { token_count: 3, truncated: false } } },
  ]);
  // The upstream reports only the sum: it is spread over the entries and the spread is reported as a loss.
  const two = await ask(SMALL, 'predict', { instances: [{ content: 'one two three' }, { content: 'four' }] });
  expect(two.losses).toEqual(['predictions.embeddings.statistics.token_count']);
  const counts = (two.reply.json['predictions'] as { embeddings: { statistics: { token_count: number } } }[]).map(
    ({ embeddings }) => embeddings.statistics.token_count,
  );
  expect(counts).toEqual([2, 2]);
});

test('taskType and title are forwarded to models that have them, and are a loss elsewhere', async () => {
  const settings = { taskType: 'RETRIEVAL_DOCUMENT', title: 'Roads' };
  const own = await ask(GEMINI, 'embedContent', { content: content('a'), outputDimensionality: 4, ...settings });
  expect(own.losses).toEqual([]);
  expect(own.sent).toEqual({
    requests: [{ model: 'models/gemini-embedding-001', content: content('a'), outputDimensionality: 4, ...settings }],
  });
  const plain = await ask(GEMINI, 'embedContent', { content: content('a'), outputDimensionality: 4 });
  expect(own.vectors).not.toEqual(plain.vectors);
  const foreign = await ask(SMALL, 'predict', {
    instances: [{ content: 'a', task_type: 'RETRIEVAL_DOCUMENT', title: 'Roads' }],
    parameters: { autoTruncate: true },
  });
  expect(foreign.losses).toEqual(['taskType', 'title', 'autoTruncate']);
  expect(foreign.sent).toEqual({ model: 'text-embedding-3-small', input: ['a'] });
});

test('several parts are one input for models of this dialect, and are refused elsewhere', async () => {
  const body = { content: content('a', 'b'), outputDimensionality: 4 };
  const own = await ask(GEMINI, 'embedContent', body);
  expect(own.vectors).toHaveLength(1);
  expect(own.sent).toMatchObject({ requests: [{ content: content('a', 'b') }] });
  await refused(SMALL, 'embedContent', body, 'several parts');
});

test('an error names the field as this form of the call names it', async () => {
  await refused(GEMINI, 'embedContent', {}, 'content');
  await refused(GEMINI, 'embedContent', { content: { parts: [] } }, 'content.parts');
  await refused(GEMINI, 'embedContent', { content: content('') }, 'content.parts[0].text');
  await refused(GEMINI, 'embedContent', { content: content('a'), taskType: 'GUESS' }, 'taskType');
  await refused(GEMINI, 'embedContent', { content: content('a'), model: 'models/other' }, 'model');
  const image = { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] };
  await refused(GEMINI, 'embedContent', { content: image }, 'content.parts[0]');
  await refused(GEMINI, 'batchEmbedContents', { requests: [] }, 'requests');
  const mixed = [4, 5].map((outputDimensionality) => ({ content: content('a'), outputDimensionality }));
  await refused(GEMINI, 'batchEmbedContents', { requests: mixed }, 'requests[1].outputDimensionality');
  // A prompt asks for an image.
  await refused(GEMINI, 'predict', { instances: [{ prompt: 'a cat' }] }, 'makes no images');
  await refused(
    GEMINI,
    'predict',
    { instances: [{ content: 'a' }], parameters: { outputDimensionality: 0 } },
    'parameters.outputDimensionality',
  );
  await refused(FIXED, 'embedContent', { content: content('a'), outputDimensionality: 4 }, 'outputDimensionality');
});

test('unknown fields of an embedding call are reported as losses', async () => {
  const { losses } = await ask(GEMINI, 'embedContent', {
    content: content('a'),
    outputDimensionality: 4,
    colour: 'red',
  });
  expect(losses).toEqual(['colour']);
});
