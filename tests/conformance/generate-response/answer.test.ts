/** A whole answer: its form, finish reasons and usage, from upstreams of every dialect. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moreModels, PAINTER } from '../../support/generate-models.ts';
import {
  ALL_MODELS,
  ask,
  CHAT,
  config,
  GEMINI,
  type Json,
  MESSAGES,
  play,
  served,
  TOOLS,
} from '../../support/generate-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: moreModels });
});
afterAll(() => stand.close());

const THOUGHTS = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

describe.each(ALL_MODELS)('an answer of %s', (model) => {
  test('[GR-01, GR-02] an answer has one candidate with role model and the text in its parts', async () => {
    const { candidates, said } = await served(stand, play('scenario=text-basic'), { model });
    expect(candidates).toHaveLength(1);
    expect(candidates[0]).toMatchObject({
      index: 0,
      content: { role: 'model', parts: [{ text: expect.any(String) }] },
    });
    expect(said).toMatch(/\w+ \w+/);
  });
  test('[GR-03] finish reasons have their prefix for callers other than known SDKs', async () => {
    const { candidate } = await served(stand, ask(), { model, headers: { 'user-agent': 'curl/8.5.0' } });
    expect(candidate.finishReason).toBe('FINISH_REASON_STOP');
  });
  test.each([
    [{ 'x-goog-api-client': 'google-genai-sdk/1.0.0 gl-node/v22' }],
    [{ 'user-agent': 'google-genai-sdk/1.0.0 gl-python/3.12' }],
    [{ 'user-agent': 'ai-sdk/google/2.0.0 runtime/node.js/22' }],
  ])('[GR-04] finish reasons have no prefix for %j', async (headers) => {
    expect((await served(stand, ask(), { model, headers })).candidate.finishReason).toBe('STOP');
  });
  test('[GR-07] an answer cut at the token limit has the finish reason for it', async () => {
    expect((await served(stand, play('scenario=length'), { model })).candidate.finishReason).toBe(
      'FINISH_REASON_MAX_TOKENS',
    );
    // The least that a Responses host takes.
    const body = { ...play('scenario=text-long words=40'), generationConfig: { maxOutputTokens: 16 } };
    const { candidate } = await served(stand, body, { model });
    expect(candidate.finishReason).toBe('FINISH_REASON_MAX_TOKENS');
  });
  test('[GR-12] a function call has an object as arguments, and finish reason STOP', async () => {
    const { candidate } = await served(stand, play('scenario=tool-single', TOOLS), { model });
    const [call] = candidate.content.parts.filter(({ functionCall }) => functionCall !== undefined);
    expect(call?.['functionCall']).toMatchObject({ name: 'get_weather', args: { city: expect.any(String) } });
    expect(candidate.finishReason).toBe('FINISH_REASON_STOP');
  });
  test('[GR-11] an answer always has a finish reason', async () => {
    for (const scenario of [
      'text-basic',
      'unicode',
      'empty-answer',
      'refusal',
      'content-filter',
      'length',
      'stop-sequence',
      'tools-parallel',
      'tools-with-text',
      'tool-no-arguments',
      'citations',
      'cached-usage',
    ]) {
      const { candidate } = await served(stand, play(`scenario=${scenario}`, TOOLS), { model });
      expect({ scenario, finish: candidate.finishReason }).toEqual({
        scenario,
        finish: expect.stringMatching(/^FINISH_REASON_(STOP|MAX_TOKENS|SAFETY|OTHER)$/),
      });
    }
  });
  test('[GR-22] token counts are integers, and the total is the sum', async () => {
    const { reply } = await served(stand, play('scenario=text-basic'), { model });
    const usage = reply.json['usageMetadata'] as Record<string, number>;
    for (const name of ['promptTokenCount', 'candidatesTokenCount', 'totalTokenCount'])
      expect({ name, whole: Number.isInteger(usage[name]) }).toEqual({ name, whole: true });
    const {
      promptTokenCount = 0,
      candidatesTokenCount = 0,
      thoughtsTokenCount = 0,
      toolUsePromptTokenCount = 0,
    } = usage;
    expect(promptTokenCount).toBeGreaterThan(0);
    expect(candidatesTokenCount).toBeGreaterThan(0);
    expect(usage['totalTokenCount']).toBe(
      promptTokenCount + candidatesTokenCount + thoughtsTokenCount + toolUsePromptTokenCount,
    );
  });
  test('[GR-26, GR-28] an answer has the model version and its own response id', async () => {
    const [first, second] = [await served(stand, ask(), { model }), await served(stand, ask(), { model })];
    for (const { reply } of [first, second]) {
      expect(reply.json['modelVersion']).toBe(model);
      expect(reply.json['responseId']).toMatch(/\S/);
    }
    expect(first.reply.json['responseId']).not.toBe(second.reply.json['responseId']);
  });
  test('[GR-27] the create time is the arrival of the request', async () => {
    const askedAtMs = Date.now();
    const { reply } = await served(stand, play('header-delay=1100'), { model });
    const createTime = String(reply.json['createTime']);
    expect(createTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    expect(Date.parse(createTime)).toBeGreaterThanOrEqual(Math.floor(askedAtMs / 1000) * 1000);
    expect(Date.parse(createTime)).toBeLessThanOrEqual(Date.parse(stand.simulator.truth.last()?.receivedAt ?? ''));
    expect(Date.parse(createTime)).toBeLessThanOrEqual(Date.now() - 1100);
  });
});

describe.each([GEMINI, MESSAGES])('thoughts of %s', (model) => {
  test('[GR-13] thoughts are returned only when requested', async () => {
    const thoughtsIn = async (generationConfig: Json): Promise<number> => {
      const { candidate, said } = await served(stand, play('scenario=reasoning', { generationConfig }), { model });
      expect(said).not.toBe('');
      return candidate.content.parts.filter(({ thought }) => thought === true).length;
    };
    const budget = { thinkingBudget: 2048 };
    expect(
      await thoughtsIn({ maxOutputTokens: 4096, thinkingConfig: { ...budget, includeThoughts: true } }),
    ).toBeGreaterThan(0);
    expect(await thoughtsIn({ maxOutputTokens: 4096, thinkingConfig: { ...budget, includeThoughts: false } })).toBe(0);
    expect(await thoughtsIn({ maxOutputTokens: 4096, thinkingConfig: budget })).toBe(0);
  });
});

test.each([GEMINI, CHAT])('[GR-08] a filtered answer of %s has no content', async (model) => {
  const { candidate } = await served(stand, play('scenario=content-filter'), { model });
  expect(candidate.finishReason).toBe('FINISH_REASON_SAFETY');
  expect(candidate.content.parts).toEqual([]);
  expect((await served(stand, ask(), { model })).candidate.content.parts).not.toEqual([]);
});

test('[GR-14] a generated image is inline data', async () => {
  const body = play('scenario=image', { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } });
  const { candidate } = await served(stand, body, { model: PAINTER });
  const [image] = candidate.content.parts.filter(({ inlineData }) => inlineData !== undefined);
  expect(image?.['inlineData']).toEqual({
    mimeType: expect.stringMatching(/^image\//),
    data: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
  });
  const plain = await served(stand, ask(), { model: PAINTER });
  expect(plain.candidate.content.parts.some(({ inlineData }) => inlineData !== undefined)).toBe(false);
});

test.each([GEMINI, CHAT])('[GR-20] requested log probabilities of %s are lists of tokens', async (model) => {
  type Token = { token: string; logProbability: number };
  const asked = await served(stand, config({ responseLogprobs: true, logprobs: 2 }), { model });
  const result = asked.candidate['logprobsResult'] as {
    topCandidates: { candidates: Token[] }[];
    chosenCandidates: Token[];
  };
  expect(result.chosenCandidates.length).toBeGreaterThan(0);
  expect(result.topCandidates).toHaveLength(result.chosenCandidates.length);
  for (const token of [...result.chosenCandidates, ...result.topCandidates.flatMap(({ candidates }) => candidates)])
    expect(token).toMatchObject({ token: expect.any(String), logProbability: expect.any(Number) });
  expect((await served(stand, ask(), { model })).candidate).not.toHaveProperty('logprobsResult');
});

test('[GR-29, E-27] a prompt that is blocked has feedback and no candidate', async () => {
  const { reply } = await served(stand, play('scenario=prompt-blocked'));
  expect(reply.json['promptFeedback']).toMatchObject({ blockReason: 'PROHIBITED_CONTENT' });
  expect(reply.json['candidates'] ?? []).toEqual([]);
  expect((await served(stand, ask())).reply.json).not.toHaveProperty('promptFeedback');
});

test.each([
  [GEMINI, 'scenario=cached-usage', 'cachedContentTokenCount'],
  [CHAT, 'scenario=cached-usage', 'cachedContentTokenCount'],
  [MESSAGES, 'scenario=cached-usage', 'cachedContentTokenCount'],
  [GEMINI, 'scenario=reasoning', 'thoughtsTokenCount'],
])('[GR-23] %s with %s has %s, and an ordinary answer has not', async (model, how, name) => {
  const usage = (await served(stand, play(how, THOUGHTS_OF(model)), { model })).reply.json['usageMetadata'] as Json;
  expect(usage[name]).toBeGreaterThan(0);
  expect(Number.isInteger(usage[name])).toBe(true);
  expect((await served(stand, play('scenario=text-basic'), { model })).reply.json['usageMetadata']).not.toHaveProperty(
    name,
  );
});

const THOUGHTS_OF = (model: string): Json => (model === GEMINI ? THOUGHTS : {});
