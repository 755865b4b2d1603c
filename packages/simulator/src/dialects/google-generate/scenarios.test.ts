// Each scenario, plain, as events and as a JSON array: all forms must agree, and usage must add up.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScenarioName, type Simulator, scenarioNames, startSimulator } from '../../main.ts';
import { probe } from '../../probe.fixture.ts';
import { LARGE_INTEGER_ARGUMENTS } from '../../scenarios/tool-scenarios.ts';
import { PIXEL_PNG } from '../../scenarios/vendor-scenarios.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

interface Part {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id?: string; name?: string; args?: object; partialArgs?: object[]; willContinue?: boolean };
  inlineData?: { data: string };
}
interface Candidate {
  index: number;
  content: { role: string; parts: Part[] };
  finishReason?: string;
  groundingMetadata?: { groundingSupports: { segment: { startIndex: number; endIndex: number; text: string } }[] };
  citationMetadata?: { citations: { startIndex: number; endIndex: number }[] };
  logprobsResult?: { chosenCandidates: object[]; topCandidates: object[] };
}
interface Answer {
  candidates?: Candidate[];
  promptFeedback?: { blockReason: string };
  usageMetadata?: Record<string, number>;
}

const includeThoughts = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

interface Options {
  readonly vendor?: 'google' | 'vertex';
  readonly action?: string;
  readonly extra?: object;
  readonly model?: string;
}

async function send(scenario: string, options: Options = {}) {
  const {
    vendor = 'google',
    action = 'generateContent',
    extra = includeThoughts,
    model = 'gemini-3-pro-preview',
  } = options;
  const stem = vendor === 'google' ? '/v1beta' : '/v1/projects/p/locations/l/publishers/google';
  const headers = vendor === 'google' ? { authorization: '', 'x-goog-api-key': 'k' } : { authorization: 'Bearer k' };
  const contents = [{ role: 'user', parts: [{ text: `Hello\n@simulate scenario=${scenario} words=9` }] }];
  const answer = probe(
    simulator.url,
    { contents, ...extra },
    { vendor, path: `${stem}/models/${model}:${action}`, headers },
  );
  await answer.ended;
  expect(answer.status).toBe(200);
  return answer;
}

async function plain(scenario: string, options: Options = {}) {
  return (await send(scenario, options)).json() as Answer;
}

async function streamed(scenario: string, options: Options = {}) {
  const answer = await send(scenario, { action: 'streamGenerateContent?alt=sse', ...options });
  expect(answer.text()).not.toMatch(/^event:|\[DONE\]/mu);
  return answer.events().map((event) => JSON.parse(event) as Answer);
}

/** Joins consecutive parts of one kind, as clients do to show an answer. */
function meaning(chunks: readonly Answer[]) {
  const parts: Part[] = [];
  for (const part of chunks.flatMap((chunk) => chunk.candidates?.[0]?.content.parts ?? [])) {
    const last = parts.at(-1);
    const { thoughtSignature, ...bare } = part;
    const joins = last?.text !== undefined && part.text !== undefined && last.thought === part.thought;
    if (joins) last.text = `${last.text}${part.text}`;
    else if (part.text !== '') parts.push({ ...bare });
  }
  const last = chunks.at(-1);
  const signed = chunks
    .flatMap((chunk) => chunk.candidates?.[0]?.content.parts ?? [])
    .filter((part) => part.thoughtSignature);
  return {
    parts,
    signatures: signed.length,
    finish: last?.candidates?.[0]?.finishReason,
    grounding: last?.candidates?.[0]?.groundingMetadata,
    citations: last?.candidates?.[0]?.citationMetadata,
    blocked: last?.promptFeedback,
    usage: last?.usageMetadata,
  };
}

/** An empty stream still ends in a signed part; a plain answer has none to sign. */
const unsigned: readonly ScenarioName[] = ['empty-answer', 'malformed-call', 'reasoning-only', 'length-mid-arguments'];

describe('every scenario', () => {
  test.each(scenarioNames())('%s gives the same answer plain and streamed', async (name) => {
    const one = meaning([await plain(name)]);
    const other = meaning(await streamed(name));
    const expected = unsigned.includes(name) ? { ...one, signatures: other.signatures } : one;
    expect(other).toEqual(expected);
  });

  test.each(scenarioNames())('%s is a JSON array without alt=sse', async (name) => {
    const answer = await send(name, { action: 'streamGenerateContent', vendor: 'vertex' });
    expect(answer.headers['content-type']).toContain('application/json');
    expect(meaning(answer.json() as Answer[]).usage).toEqual(meaning([await plain(name, { vendor: 'vertex' })]).usage);
  });
});

describe('finish reasons', () => {
  test.each<readonly [ScenarioName, string]>([
    ['text-basic', 'STOP'],
    ['tools-parallel', 'STOP'],
    ['length', 'MAX_TOKENS'],
    ['content-filter', 'SAFETY'],
    ['refusal', 'SAFETY'],
    ['recitation', 'RECITATION'],
    ['malformed-call', 'MALFORMED_FUNCTION_CALL'],
  ])('%s: %s', async (name, reason) => {
    expect((await plain(name)).candidates?.[0]?.finishReason).toBe(reason);
  });

  test('a blocked prompt has no candidate', async () => {
    const answer = await plain('prompt-blocked');
    expect(answer.promptFeedback).toEqual({ blockReason: 'PROHIBITED_CONTENT' });
    expect(answer.candidates).toBeUndefined();
  });
});

describe('contents', () => {
  test('hides thoughts that were not requested, and bills them', async () => {
    const answer = await plain('reasoning', { extra: {} });
    expect(answer.candidates?.[0]?.content.parts.some((part) => part.thought)).toBe(false);
    expect(answer.usageMetadata?.['thoughtsTokenCount']).toBeGreaterThan(0);
    await streamed('reasoning', { extra: {} });
    const { tokensProduced, billed } = simulator.truth.last() ?? {};
    expect(tokensProduced).toBe(billed?.completion);
  });

  test('signs only the first of parallel calls; ids only on the Gemini API', async () => {
    const parts = (await plain('tools-parallel')).candidates?.[0]?.content.parts ?? [];
    expect(parts.map((part) => part.thoughtSignature !== undefined)).toEqual([true, false, false]);
    expect(parts.every((part) => part.functionCall?.id !== undefined)).toBe(true);
    expect((await send('tools-parallel', { vendor: 'vertex' })).text()).not.toContain('"id"');
    const older = await plain('tools-parallel', { model: 'gemini-2.5-flash' });
    expect(older.candidates?.[0]?.content.parts.some((part) => part.thoughtSignature)).toBe(false);
  });

  test('prints large integers as the model wrote them', async () => {
    expect((await send('tool-large-integers')).text()).toContain(`"args":${LARGE_INTEGER_ARGUMENTS}`);
  });

  test('streams arguments in pieces on Vertex when asked', async () => {
    const extra = { toolConfig: { functionCallingConfig: { streamFunctionCallArguments: true } } };
    const chunks = await streamed('tool-single', { vendor: 'vertex', extra });
    const calls = chunks
      .flatMap((chunk) => chunk.candidates?.[0]?.content.parts ?? [])
      .flatMap((part) => part.functionCall ?? []);
    expect(calls).toEqual([
      { name: 'get_weather', willContinue: true },
      { partialArgs: [{ jsonPath: '$.city', stringValue: 'Pa', willContinue: true }], willContinue: true },
      { partialArgs: [{ jsonPath: '$.city', stringValue: 'ris' }], willContinue: true },
      { partialArgs: [{ jsonPath: '$.unit', stringValue: 'cel', willContinue: true }], willContinue: true },
      { partialArgs: [{ jsonPath: '$.unit', stringValue: 'sius' }], willContinue: true },
      {},
    ]);
  });

  test('counts the offsets of sources in bytes', async () => {
    const { candidates } = await plain('web-search');
    const [candidate] = candidates ?? [];
    const text = Buffer.from(candidate?.content.parts.map((part) => part.text).join('') ?? '');
    const segments = candidate?.groundingMetadata?.groundingSupports.map((support) => support.segment) ?? [];
    expect(segments).toHaveLength(2);
    for (const { startIndex, endIndex, text: passage } of segments) {
      expect(text.subarray(startIndex, endIndex).toString()).toBe(passage);
    }
    expect((await plain('citations')).candidates?.[0]?.citationMetadata?.citations).toHaveLength(2);
  });

  test('sends images, candidates and log probabilities', async () => {
    const image = await plain('image');
    expect(image.candidates?.[0]?.content.parts.at(-1)?.inlineData?.data).toBe(PIXEL_PNG);
    const extra = { generationConfig: { candidateCount: 2, responseLogprobs: true, logprobs: 3 } };
    const answer = await plain('logprobs', { extra });
    expect(answer.candidates?.map((candidate) => candidate.index)).toEqual([0, 1]);
    expect(answer.candidates?.[0]?.logprobsResult?.topCandidates[0]).toMatchObject({ candidates: [{}, {}, {}] });
  });
});

describe('usage', () => {
  test('excludes thoughts from the candidates and includes the cache in the prompt', async () => {
    expect((await plain('cached-usage')).usageMetadata).toMatchObject({
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 15,
      thoughtsTokenCount: 5,
      totalTokenCount: 120,
    });
  });

  test('adds the tokens of search results to the prompt', async () => {
    const usage = (await plain('web-search')).usageMetadata ?? {};
    const { promptTokenCount = 0, candidatesTokenCount = 0, toolUsePromptTokenCount = 0, totalTokenCount } = usage;
    expect(toolUsePromptTokenCount).toBeGreaterThan(0);
    expect(totalTokenCount).toBe(promptTokenCount + candidatesTokenCount + toolUsePromptTokenCount);
  });
});
