// The official SDKs as judges of embeddings, JavaScript and Python: each reads vectors as numbers, in order.
import { createGoogle } from '@ai-sdk/google';
import { createVertex } from '@ai-sdk/google-vertex';
import { createOpenAI } from '@ai-sdk/openai';
import { GoogleGenAI } from '@google/genai';
import { APICallError, type EmbeddingModel, embed, embedMany } from 'ai';
import * as older from 'google-genai-1';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMPATIBLE, embedHosts, GEMINI, SMALL } from '../support/embed-probe.ts';
import { failureOf } from '../support/failure-of.ts';
import { type Judgement, judgeWithPython } from '../support/python-judge.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';

const TEXTS = ['three roads', 'meet here'];
const DIMENSIONS = 8;

let stand: Stand;
let python: Judgement;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: embedHosts });
  python = await judgeWithPython(stand, 'test_embeddings.py');
});
afterAll(() => stand.close());

const openai = (apiKey = KEY): OpenAI => new OpenAI({ apiKey, baseURL: stand.chatUrl, maxRetries: 0 });

/** What every judge must see: made by the simulator for the model and the text alone. */
const vectorsOf = async (model: string): Promise<number[][]> => {
  const request = { model, input: TEXTS, dimensions: DIMENSIONS, encoding_format: 'float' } as const;
  return (await openai().embeddings.create(request)).data.map(({ embedding }) => embedding);
};

describe.each([SMALL, COMPATIBLE, GEMINI])('%s', (model) => {
  test('[B-12] openai for JavaScript reads embeddings in its default encoding and as numbers', async () => {
    const unsaid = await openai().embeddings.create({ model, input: TEXTS, dimensions: DIMENSIONS });
    expect(unsaid.data.map(({ index }) => index)).toEqual([0, 1]);
    expect(unsaid.data[0]?.embedding).toHaveLength(DIMENSIONS);
    expect(unsaid.data.map(({ embedding }) => embedding)).toEqual(await vectorsOf(model));
    expect(unsaid.model).toBe(model);
    expect(unsaid.usage.prompt_tokens).toBe(unsaid.usage.total_tokens);
    expect(unsaid.usage.total_tokens).toBeGreaterThan(0);
  });

  test('[B-12] openai for Python reads embeddings in its default encoding and as numbers', async () => {
    const { unsaid, floats, tokens } = python.seen(`openai_embeddings ${model}`);
    expect(unsaid).toEqual(await vectorsOf(model));
    expect(floats).toEqual(unsaid);
    expect(tokens).toBeGreaterThan(0);
  });

  test.each(['newest', '1.50'])('@google/genai %s reads embeddings in both of its modes', async (version) => {
    const { GoogleGenAI: Client } =
      version === 'newest' ? { GoogleGenAI } : (older as unknown as { GoogleGenAI: typeof GoogleGenAI });
    const baseUrl = `${stand.url}/api/vertex-ai`;
    const config = { outputDimensionality: DIMENSIONS };
    const expected = await vectorsOf(model);
    const gemini = new Client({ apiKey: KEY, httpOptions: { baseUrl, apiVersion: 'v1beta' } });
    const batch = await gemini.models.embedContent({ model, contents: TEXTS, config });
    expect(batch.embeddings?.map(({ values }) => values)).toEqual(expected);
    const vertex = new Client({ vertexai: true, apiKey: KEY, httpOptions: { baseUrl, apiVersion: 'v1' } });
    const one = await vertex.models.embedContent({ model, contents: TEXTS[1] ?? '', config });
    expect(one.embeddings?.map(({ values }) => values)).toEqual([expected[1]]);
    expect(one.embeddings?.[0]?.statistics?.tokenCount).toBeGreaterThan(0);
  });

  test('google-genai for Python reads embeddings in both of its modes', async () => {
    const expected = await vectorsOf(model);
    expect(python.seen(`genai_embeddings ${model}`)).toEqual({ batch: expected, one: [expected[1]] });
  });

  test('Vercel’s embed and embedMany work with each provider that has them', async () => {
    const expected = await vectorsOf(model);
    const [publisher, name = ''] = model.split('/');
    const google = { outputDimensionality: DIMENSIONS };
    const models: EmbeddingModel[] = [
      createOpenAI({ apiKey: KEY, baseURL: stand.chatUrl }).embeddingModel(model),
      createGoogle({ apiKey: KEY, baseURL: `${stand.url}/api/vertex-ai/v1beta` }).embeddingModel(model),
      createVertex({
        apiKey: KEY,
        baseURL: `${stand.url}/api/vertex-ai/v1/publishers/${publisher}`,
      }).embeddingModel(name),
    ];
    const providerOptions = { openai: { dimensions: DIMENSIONS }, google, vertex: google };
    for (const judge of models) {
      const many = await embedMany({ model: judge, values: TEXTS, providerOptions, maxRetries: 0 });
      expect(many.embeddings).toEqual(expected);
      const one = await embed({ model: judge, value: TEXTS[0] ?? '', providerOptions, maxRetries: 0 });
      expect(one.embedding).toEqual(expected[0]);
    }
  });
});

test('refused embedding calls throw each SDK’s own error', async () => {
  const refused = { model: SMALL, input: 'a', dimensions: 5000 };
  const error = await failureOf(openai().embeddings.create(refused));
  expect(error).toBeInstanceOf(OpenAI.BadRequestError);
  expect(error).toMatchObject({ param: 'dimensions', code: 'unsupported' });
  expect(await failureOf(openai('nobody').embeddings.create({ model: SMALL, input: 'a' }))).toBeInstanceOf(
    OpenAI.AuthenticationError,
  );
  const model = createOpenAI({ apiKey: KEY, baseURL: stand.chatUrl }).embeddingModel('openai/gpt-4o');
  expect(await failureOf(embed({ model, value: 'a', maxRetries: 0 }))).toBeInstanceOf(APICallError);
  expect(python.seen('openai_refused')).toEqual({ kind: 'BadRequestError', param: 'dimensions' });
  expect(python.seen('genai_refused')).toEqual({ code: 400 });
});
