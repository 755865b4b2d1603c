// The base URLs people know (`/v1`, and none at all) on one listener as it comes: by hand, and by the official SDKs.
import Anthropic from '@anthropic-ai/sdk';
import { type GenerateVideosOperation, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendRaw } from '../support/raw-bytes.ts';
import { KEY, openVideoStand, VEO, type VideoStand } from '../support/video-probe.ts';

const QUESTION = 'Where do three roads meet?';
const GPT = 'openai/gpt-4o';
const CLAUDE = 'anthropic/claude-sonnet-4-5';
const GEMINI = 'google/gemini-2.5-flash';
const PAINTER = 'google/gemini-3-pro-image';
const messages = [{ role: 'user' as const, content: QUESTION }];
const contents = [{ role: 'user', parts: [{ text: QUESTION }] }];

let stand: VideoStand;
beforeAll(async () => {
  stand = await openVideoStand();
});
afterAll(() => stand.close());

type Headers = Readonly<Record<string, string>>;
const BEARER: Headers = { authorization: `Bearer ${KEY}` };
const ANTHROPIC: Headers = { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' };
const GOOGLE: Headers = { 'x-goog-api-key': KEY };

async function curl(path: string, headers: Headers = {}, body?: object): Promise<{ status: number; text: string }> {
  const post = { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(stand.url + path, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && post),
  });
  return { status: response.status, text: await response.text() };
}

describe('by hand', () => {
  test.each<[string, Headers, object]>([
    ['/v1/chat/completions', BEARER, { model: GPT, messages }],
    ['/v1/responses', BEARER, { model: GPT, input: QUESTION, store: false }],
    ['/v1/messages', ANTHROPIC, { model: CLAUDE, max_tokens: 100, messages }],
    ['/v1/messages?beta=true', ANTHROPIC, { model: CLAUDE, max_tokens: 100, messages }],
    ['/v1/v1/messages', ANTHROPIC, { model: CLAUDE, max_tokens: 100, messages }],
    [`/v1beta/models/${GEMINI}:generateContent`, GOOGLE, { contents }],
    [`/v1beta/models/${GEMINI}:streamGenerateContent?alt=sse`, GOOGLE, { contents }],
    [`/v1/models/${GEMINI}:generateContent`, GOOGLE, { contents }],
    ['/v1beta1/publishers/google/models/gemini-2.5-flash:generateContent', GOOGLE, { contents }],
    ['/v1/publishers/google/models/gemini-2.5-flash:generateContent', GOOGLE, { contents }],
  ])('%s answers', async (path, headers, body) => {
    const { status, text } = await curl(path, headers, body);
    expect([status, text]).toEqual([200, expect.stringContaining(' roads')]);
  });

  test('image calls and token counts work at /v1beta', async () => {
    const painting = { instances: [{ prompt: 'a cat' }], parameters: { sampleCount: 1 } };
    const painted = await curl(`/v1beta/models/${PAINTER}:predict`, GOOGLE, painting);
    expect([painted.status, painted.text]).toEqual([200, expect.stringContaining('"bytesBase64Encoded":"iVBORw0KGgo')]);
    const counted = await curl(`/v1beta/models/${GEMINI}:countTokens`, GOOGLE, { contents });
    expect(JSON.parse(counted.text)).toMatchObject({ totalTokens: expect.any(Number) });
  });

  test('a chat call with the key in x-api-key stays a chat call', async () => {
    const { text } = await curl('/v1/chat/completions', { 'x-api-key': KEY }, { model: GPT, messages });
    expect(JSON.parse(text)).toMatchObject({ object: 'chat.completion' });
  });

  test.each<[string, Headers, object]>([
    ['/v1/models', {}, { object: 'list' }],
    ['/v1/models', GOOGLE, { object: 'list' }],
    ['/v1/models', { 'x-api-key': 'any' }, { has_more: false }],
    ['/v1/models', { 'anthropic-version': '2023-06-01' }, { has_more: false }],
    ['/v1beta/models', ANTHROPIC, { models: expect.any(Array) }],
    [`/v1/models/${GPT}`, {}, { object: 'model', id: GPT }],
    [`/v1/models/${GPT}`, { 'anthropic-version': '2023-06-01' }, { type: 'model', id: GPT }],
    [`/v1beta/models/${GPT}`, {}, { name: GPT }],
  ])('GET %s with %j is read in the protocol of its caller', async (path, headers, shape) => {
    const { status, text } = await curl(path, headers);
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining(shape)]);
  });

  test.each<[string, Headers, string, object]>([
    ['/v1/chat/completion', BEARER, '/v1/chat/completions', { error: { code: 'unknown_url', param: null } }],
    ['/chat/completions', BEARER, '/v1/chat/completions', { error: { code: 'unknown_url' } }],
    ['/v1/completion', BEARER, '/v1/completions', { error: { code: 'unknown_url' } }],
    ['/v1/mesages', ANTHROPIC, '/v1/messages', { type: 'error', error: { type: 'not_found_error' } }],
    ['/api/v1/messages', ANTHROPIC, '/v1/messages', { error: { code: 'unknown_url' } }],
    [`/v1beta/models/${GEMINI}:generateContents`, GOOGLE, ':generateContent', { error: { status: 'NOT_FOUND' } }],
    ['/v1/audio/speeches', BEARER, '/v1/audio/speech', { error: { code: 'unknown_url' } }],
  ])('POST %s is refused with the nearest path', async (path, headers, near, shape) => {
    const { status, text } = await curl(path, headers, {});
    expect(status).toBe(404);
    const body = JSON.parse(text) as { error: { message: string } };
    expect(body).toMatchObject(shape);
    expect(body.error.message).toContain(`POST ${path} is not served here`);
    expect(body.error.message).toContain(near);
  });

  test('errors before routing have the caller’s error format, too', async () => {
    const bent = async (headers: Headers) => JSON.parse((await curl('/v1//models', headers)).text) as object;
    expect(await bent(BEARER)).toMatchObject({ error: { code: 'invalid_value' } });
    expect(await bent(ANTHROPIC)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    const broken = async (mark: string) =>
      (await sendRaw(stand, `GET /v1/models HTTP/1.1\r\n${mark}\r\nbad header\r\n\r\n`)).replies[0]?.body;
    expect(await broken('accept: */*')).toContain('"code":"invalid_value"');
    expect(await broken('Anthropic-Version: 2023-06-01')).toContain('"type":"error"');
  });
});

describe('by the official SDKs', () => {
  const openai = (): OpenAI => new OpenAI({ apiKey: KEY, baseURL: `${stand.url}/v1`, maxRetries: 0 });
  const anthropic = (baseURL = stand.url): Anthropic => new Anthropic({ apiKey: KEY, baseURL, maxRetries: 0 });
  const genai = (vertexai: boolean): GoogleGenAI =>
    new GoogleGenAI({ vertexai, apiKey: KEY, httpOptions: { baseUrl: stand.url } });

  test('openai works at http://host/v1', async () => {
    const chat = await openai().chat.completions.create({ model: GPT, messages });
    expect(chat.choices[0]?.message.content).toContain('three roads');
    expect((await openai().responses.create({ model: GPT, input: QUESTION, store: false })).output_text).toContain(
      'three roads',
    );
    expect((await openai().models.list()).data.map(({ id }) => id)).toContain(GPT);
    expect((await openai().models.retrieve(GPT)).object).toBe('model');
    const painted = await openai().images.generate({ model: PAINTER, prompt: 'a cat' });
    expect(painted.data?.[0]?.b64_json).toMatch(/^iVBORw0KGgo/);
  });

  test.each(['', '/v1'])('@anthropic-ai/sdk works at http://host%s', async (path) => {
    const client = anthropic(stand.url + path);
    const ask = { model: CLAUDE, max_tokens: 100, messages };
    expect(JSON.stringify((await client.messages.create(ask)).content)).toContain('three roads');
    expect(await client.messages.stream(ask).finalText()).toContain('three roads');
    expect((await client.messages.countTokens({ model: CLAUDE, messages })).input_tokens).toBeGreaterThan(0);
    expect((await client.models.list()).data.map(({ id }) => id)).toContain(CLAUDE);
    expect((await client.models.retrieve(CLAUDE)).type).toBe('model');
  });

  test.each([false, true])('@google/genai works at http://host, vertexai: %s', async (vertexai) => {
    const ai = genai(vertexai);
    const question = { model: GEMINI, contents: QUESTION };
    expect((await ai.models.generateContent(question)).text).toContain('three roads');
    let streamed = '';
    for await (const { text } of await ai.models.generateContentStream(question)) streamed += text ?? '';
    expect(streamed).toContain('three roads');
    expect((await ai.models.countTokens(question)).totalTokens).toBeGreaterThan(0);
    // In the developers' form the newest SDK refuses this call by itself.
    if (vertexai) {
      const { generatedImages } = await ai.models.generateImages({ model: PAINTER, prompt: 'a cat' });
      expect(generatedImages?.[0]?.image?.imageBytes).toMatch(/^iVBORw0KGgo/);
    }
    let operation: GenerateVideosOperation = await ai.models.generateVideos({ model: VEO, prompt: 'a cat' });
    await expect
      .poll(
        async () => {
          operation = await ai.operations.getVideosOperation({ operation });
          return operation.done;
        },
        { timeout: 20_000, interval: 20 },
      )
      .toBe(true);
    expect(operation.response?.generatedVideos).toHaveLength(1);
  });
});
