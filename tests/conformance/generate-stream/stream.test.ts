/** A stream: its bytes, its chunks, its end, from upstreams of every dialect. */

import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { moreModels, PAINTER, THIRD_FLASH } from '../../support/generate-models.ts';
import {
  ALL_MODELS,
  ask,
  CHAT,
  GEMINI,
  type Json,
  MESSAGES,
  pathOf,
  play,
  post,
  recordOf,
  served,
  TOOLS,
} from '../../support/generate-probe.ts';
import { bytesOf, type Chunk, chunksOf, streamed } from '../../support/generate-stream.ts';
import { KEY, openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: moreModels });
});
afterAll(() => stand.close());

const THOUGHTS = {
  generationConfig: { maxOutputTokens: 4096, thinkingConfig: { thinkingBudget: 2048, includeThoughts: true } },
};
const SCENARIOS = [
  'text-basic',
  'unicode',
  'empty-answer',
  'refusal',
  'content-filter',
  'length',
  'tool-single',
  'tools-parallel-interleaved',
  'tools-with-text',
  'tool-no-arguments',
  'citations',
  'cached-usage',
];
const DATA_FIELDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
];

describe.each(ALL_MODELS)('a stream of %s', (model) => {
  test.each(['', '?alt=sse'])('[GS-01] with the query %j the answer is an event stream', async (query) => {
    const { reply, said } = await streamed(stand, ask(), { model, query });
    expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(said).not.toBe('');
  });
  test.each(SCENARIOS)('[GS-02, GS-03] the bytes of %s are data frames and nothing else', async (scenario) => {
    const { reply } = await streamed(stand, play(`scenario=${scenario}`, TOOLS), { model });
    expect(reply.text).toMatch(/^(data: \{[^\n]*\}\n\n)+$/);
    expect(reply.text).not.toMatch(/^(event|id|retry)?:|^\[|\[DONE\]/m);
  });
  test.each(SCENARIOS)('[GS-04, GS-05, GS-06] every chunk of %s is a complete response object', async (scenario) => {
    const { chunks } = await streamed(stand, play(`scenario=${scenario}`, TOOLS), { model });
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        responseId: expect.stringMatching(/\S/),
        modelVersion: model,
        createTime: expect.stringMatching(/Z$/),
      });
      expect(chunk.candidates).toHaveLength(1);
      expect(chunk.candidates?.[0]).toMatchObject({ index: 0, content: { role: 'model', parts: expect.any(Array) } });
    }
  });
  test.each(SCENARIOS)('[GS-11, GS-20, GS-29] every chunk of %s has parts of one datum each', async (scenario) => {
    const { chunks } = await streamed(stand, play(`scenario=${scenario}`, TOOLS), { model });
    for (const chunk of chunks) {
      const parts = chunk.candidates?.[0]?.content.parts ?? [];
      expect(parts.length).toBeGreaterThan(0);
      for (const part of parts) {
        expect(DATA_FIELDS.filter((field) => part[field] !== undefined)).toHaveLength(1);
        expect(part).not.toHaveProperty('videoMetadata');
      }
    }
  });
  test.each(SCENARIOS)(
    '[GS-21, GS-22, GS-23] only the last chunk of %s has a finish reason and a finish message',
    async (scenario) => {
      const { chunks, last } = await streamed(stand, play(`scenario=${scenario}`, TOOLS), { model });
      for (const chunk of chunks.slice(0, -1)) {
        expect(chunk.candidates?.[0]).not.toHaveProperty('finishReason');
        expect(chunk.candidates?.[0]).not.toHaveProperty('finishMessage');
      }
      expect(last.candidates?.[0]).toMatchObject({
        finishReason: expect.stringMatching(/^FINISH_REASON_[A-Z_]+$/),
        finishMessage: expect.stringMatching(/\S/),
      });
    },
  );
  test.each(['text-basic', 'unicode', 'tools-with-text', 'length'])(
    '[GS-07] the chunks of %s join to the whole text',
    async (scenario) => {
      const body = play(`scenario=${scenario}`, TOOLS);
      const whole = await served(stand, body, { model });
      const { said, chunks } = await streamed(stand, body, { model });
      expect(said).toBe(whole.said);
      expect(chunks.length).toBeGreaterThan(1);
    },
  );
  test('[GS-28] the last chunk has the final token counts, equal to the request record', async () => {
    const { reply, last } = await streamed(stand, play('scenario=text-basic'), { model });
    const usage = last.usageMetadata as Record<string, number>;
    const billed = stand.simulator.truth.last()?.billed;
    expect(usage).toMatchObject({ promptTokenCount: billed?.prompt, candidatesTokenCount: billed?.completion });
    expect((await recordOf(stand, reply)).reading?.usage).toMatchObject({
      prompt: billed?.prompt,
      completion: billed?.completion,
    });
  });
  test('[GS-30] response id, model version and create time are the same in all chunks', async () => {
    const { chunks } = await streamed(stand, play('scenario=text-basic'), { model });
    const of = (chunk: Chunk): unknown[] => [chunk.responseId, chunk.modelVersion, chunk.createTime];
    for (const chunk of chunks) expect(of(chunk)).toEqual(of(chunks[0] as Chunk));
    const other = await streamed(stand, ask(), { model });
    expect(other.last.responseId).not.toBe(chunks[0]?.responseId);
  });
  test.each([
    [{ 'user-agent': 'curl/8.5.0' }, 'FINISH_REASON_STOP'],
    [{ 'user-agent': 'google-genai-sdk/1.0.0' }, 'STOP'],
    [{ 'x-goog-api-client': 'google-genai-sdk/1.0.0' }, 'STOP'],
    [{ 'user-agent': 'ai-sdk/google/2.0.0' }, 'STOP'],
  ])('[GS-31] the finish reason has the format for %j', async (headers, word) => {
    expect((await streamed(stand, ask(), { model, headers })).last.candidates?.[0]?.finishReason).toBe(word);
  });
  test('[GS-35] the headers of a stream forbid buffering', async () => {
    const { headers } = (await streamed(stand, ask(), { model, headers: { 'accept-encoding': 'gzip' } })).reply;
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('cache-control')).toContain('no-cache');
    expect(headers.get('x-accel-buffering')).toBe('no');
  });
  test('[GS-36] a caller who disconnects stops the upstream', async () => {
    const leaving = new AbortController();
    const response = await fetch(`${stand.url}${pathOf(model, 'streamGenerateContent')}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
      body: JSON.stringify(play('scenario=text-long words=5000 tps=50')),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    const entry = stand.simulator.truth.last();
    expect(entry?.outcome).toBe('open');
    leaving.abort();
    await vi.waitFor(() => expect(entry?.outcome).toBe('aborted'));
  });
  test('[GS-37] with alt=json the stream is one JSON array of the same chunks', async () => {
    const body = play('scenario=text-basic');
    const reply = await post(stand, pathOf(model, 'streamGenerateContent', '?alt=json'), body);
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    const list = JSON.parse(reply.text) as Chunk[];
    const { chunks } = await streamed(stand, body, { model });
    const wordsOf = (chunk: Chunk): unknown => chunk.candidates;
    expect(list.map(wordsOf)).toEqual(chunks.map(wordsOf));
  });
  test('[GS-14] a function call comes whole, with an object as arguments', async () => {
    const { parts } = await streamed(stand, play('scenario=tools-parallel-interleaved', TOOLS), { model });
    const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall as Json]));
    expect(calls.length).toBeGreaterThan(1);
    for (const call of calls)
      expect(call).toEqual({
        id: expect.stringMatching(/\S/),
        name: 'get_weather',
        args: { city: expect.any(String) },
      });
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  });
});

describe.each([GEMINI, MESSAGES])('thoughts of %s', (model) => {
  test('[GS-08] thoughts are marked and come before the text', async () => {
    const { parts } = await streamed(stand, play('scenario=reasoning', THOUGHTS), { model });
    const marked = parts
      .map(({ thought, text }) => (thought === true ? 'thought' : text === '' ? '' : 'word'))
      .filter((each) => each !== '');
    expect(marked[0]).toBe('thought');
    expect(marked.lastIndexOf('thought')).toBeLessThan(marked.indexOf('word'));
    const unasked = await streamed(stand, play('scenario=reasoning'), { model });
    expect(unasked.parts.some(({ thought }) => thought === true)).toBe(false);
    expect(unasked.said).not.toBe('');
  });
});

test('[GS-09] signatures pass unchanged, so that their issuer accepts them again', async () => {
  const body = play('scenario=reasoning-tools', { ...TOOLS, ...THOUGHTS });
  for (const model of [GEMINI, THIRD_FLASH]) {
    const { generationConfig: _, ...plain } = body;
    const { parts } = await streamed(stand, model === GEMINI ? body : plain, { model });
    const signed = parts.filter(({ thoughtSignature }) => thoughtSignature !== undefined);
    expect(signed.length).toBeGreaterThan(0);
    for (const { thoughtSignature } of signed) expect(thoughtSignature).toMatch(/^[A-Za-z0-9+/]+=*$/);
    const calls = parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [functionCall as { id: string; name: string }],
    );
    const results = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { ok: 1 } } }));
    const contents = [
      ...(body['contents'] as Json[]),
      { role: 'model', parts: parts.filter(({ text }) => text !== '') },
      { role: 'user', parts: results },
    ];
    await served(stand, { contents, ...TOOLS }, { model });
  }
});

test('[GS-12] a generated image is inline data with its mime type', async () => {
  const body = play('scenario=image', { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } });
  const { parts } = await streamed(stand, body, { model: PAINTER });
  const [image] = parts.filter(({ inlineData }) => inlineData !== undefined);
  expect(image?.['inlineData']).toEqual({
    mimeType: expect.stringMatching(/^image\//),
    data: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
  });
});

test('[GS-26, GS-27] a blocked prompt has feedback in its only chunk, other answers have none', async () => {
  const { chunks } = await streamed(stand, play('scenario=prompt-blocked'));
  expect(chunks).toHaveLength(1);
  expect(chunks[0]?.promptFeedback).toMatchObject({ blockReason: 'PROHIBITED_CONTENT' });
  expect(chunks[0]?.candidates ?? []).toEqual([]);
  for (const model of ALL_MODELS)
    for (const chunk of (await streamed(stand, ask(), { model })).chunks)
      expect(chunk).not.toHaveProperty('promptFeedback');
});

describe.each(ALL_MODELS)('the official SDK with %s', (model) => {
  const open = (): GoogleGenAI =>
    new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: `${stand.url}/api/vertex-ai` } });

  test('[GS-38] the official SDK reads all text of a stream', async () => {
    const contents = 'Where do three roads meet? @simulate scenario=text-basic';
    let said = '';
    for await (const chunk of await open().models.generateContentStream({ model, contents })) said += chunk.text ?? '';
    expect(said).toBe((await served(stand, play('scenario=text-basic'), { model })).said);
  });
  test('[GS-38] the official SDK keeps the streamed turn in the history of a chat', async () => {
    const chat = open().chats.create({ model });
    let said = '';
    for await (const chunk of await chat.sendMessageStream({ message: 'Hello' })) said += chunk.text ?? '';
    const history = chat.getHistory(true);
    expect(history.map(({ role }) => role)).toContain('model');
    expect(
      history
        .filter(({ role }) => role === 'model')
        .flatMap(({ parts }) => parts?.map(({ text }) => text))
        .join(''),
    ).toBe(said);
    for await (const _ of await chat.sendMessageStream({ message: 'And again' }));
    expect(stand.simulator.truth.last()?.bodyText).toContain('And again');
  });
});

test('[GS-33] a failure before the first event keeps its status', async () => {
  for (const model of ALL_MODELS) {
    const reply = await post(stand, pathOf(model, 'streamGenerateContent'), play('status=429'));
    expect(reply.status).toBe(429);
    expect(reply.json).toMatchObject({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } });
    expect((await post(stand, pathOf(model, 'streamGenerateContent'), ask())).status).toBe(200);
  }
});

describe.each(ALL_MODELS)('a stream of %s that fails', (model) => {
  const failing = (fault: string): Promise<{ status: number; text: string }> =>
    bytesOf(stand, play(`scenario=text-basic fault=${fault} after=4 tps=50`), model);

  test.each(['reset-mid-stream', 'close-mid-stream', 'error-frame-mid', 'malformed-frame'])(
    '[GS-32] %s ends the stream with an error frame and the same error without framing',
    async (fault) => {
      const { status, text } = await failing(fault);
      expect(status).toBe(200);
      const matched = /^((?:data: \{[^\n]*\}\n\n)+)data: (\{"error":[^\n]*\})\n\n(\{"error":[^\n]*\})$/.exec(text);
      const [, frames, framed, bare] = matched ?? [];
      expect(frames).toContain('candidates');
      expect(bare).toBe(framed);
      const { error } = JSON.parse(bare ?? '{}') as { error: { code: number; status: string } };
      expect(error.code).toBeGreaterThanOrEqual(400);
      expect(error.status).toMatch(/^[A-Z_]+$/);
    },
  );
  // A chat host that sends [DONE] has ended, with or without a finish reason.
  const cut = model === CHAT ? ['end-mid-stream'] : ['end-mid-stream', 'no-finish'];
  test.each(cut)('[GS-34] a stream with %s never has a finish reason', async (fault) => {
    const { status, text } = await failing(fault);
    expect(status).toBe(200);
    expect(text).not.toContain('finishReason');
    expect(chunksOf(text).at(-1)).toMatchObject({ error: { code: expect.any(Number) } });
    expect(text).toMatch(/\n\n\{"error":[^\n]*\}$/);
  });
});
