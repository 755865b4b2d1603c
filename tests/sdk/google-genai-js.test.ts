// The official Google Gen AI SDK for JavaScript as the judge, configured as our documents say.
import {
  ApiError,
  type Content,
  type FunctionDeclaration,
  type GenerateContentResponse,
  GoogleGenAI,
  type Schema,
  Type,
} from '@google/genai';
import * as older from 'google-genai-1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../support/failure-of.ts';
import { OWN as RESPONSES, responsesHosts } from '../support/responses-probe.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';
import { waitUntil } from '../support/wait-until.ts';

const OWN = 'google/gemini-2.5-flash';
/** The older version shares the surface used here, so the newest one's types stand for both. */
const versions = {
  '2.32': { GoogleGenAI, ApiError },
  '1.50': older as unknown as { GoogleGenAI: typeof GoogleGenAI; ApiError: typeof ApiError },
};
const JUDGES = [
  { version: '2.32', model: OWN },
  { version: '2.32', model: 'openai/gpt-4o' },
  { version: '2.32', model: 'anthropic/claude-sonnet-4-5' },
  { version: '1.50', model: OWN },
] as const;
const THINKERS = JUDGES.map((judge) =>
  judge.model === 'openai/gpt-4o' ? { ...judge, model: 'compatible/thinker' } : judge,
);
const DECLARED: FunctionDeclaration[] = ['weather', 'clock', 'news'].map((name) => ({
  name,
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
}));
const TOOLS = [{ functionDeclarations: DECLARED }];
const THINKING = { includeThoughts: true, thinkingBudget: 2048 };

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

const client = (version: keyof typeof versions, apiKey = KEY): GoogleGenAI =>
  new versions[version].GoogleGenAI({
    vertexai: true,
    apiKey,
    httpOptions: { baseUrl: `${stand.url}/api/vertex-ai`, apiVersion: 'v1' },
  });

const saying = (instruction: string): string => `Where do three roads meet? @simulate ${instruction}`;
const turnOf = (response: GenerateContentResponse): Content => response.candidates?.[0]?.content ?? {};
const resultsOf = (calls: NonNullable<GenerateContentResponse['functionCalls']>): Content => ({
  role: 'user',
  parts: calls.map(({ id, name }) => ({
    functionResponse: { ...(id !== undefined && { id }), name: name ?? '', response: { output: '21 degrees' } },
  })),
});
async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

describe.each(JUDGES)('$version to $model', ({ version, model }) => {
  test('[A-38] partly: generateContent returns text, usage, finish reason and model', async () => {
    const response = await client(version).models.generateContent({ model, contents: saying('scenario=text-basic') });
    expect(response.text).toContain('Where do three roads meet?');
    expect(response.candidates?.[0]?.finishReason).toBe('STOP');
    expect(response.usageMetadata?.promptTokenCount).toBeGreaterThan(0);
    expect(response.usageMetadata?.candidatesTokenCount).toBeGreaterThan(0);
    expect(response.modelVersion).toBe(model);
    expect(response.responseId).toMatch(/\S/);
  });

  test('[A-38] partly: generateContent returns three function calls, and accepts their results', async () => {
    const ai = client(version);
    const contents: Content[] = [{ role: 'user', parts: [{ text: saying('scenario=tools-parallel') }] }];
    const response = await ai.models.generateContent({ model, contents, config: { tools: TOOLS } });
    const calls = response.functionCalls ?? [];
    expect(calls.map(({ name, args }) => ({ name, args }))).toEqual(
      ['weather', 'clock', 'news'].map((name) => ({ name, args: { city: expect.any(String) } })),
    );
    const next = await ai.models.generateContent({
      model,
      contents: [...contents, turnOf(response), resultsOf(calls)],
      config: { tools: TOOLS },
    });
    expect(next.text).toContain('21 degrees');
  });

  test('[GS-38] generateContentStream returns all text, and one finish reason at the end', async () => {
    const ai = client(version);
    const whole = await ai.models.generateContent({ model, contents: saying('scenario=unicode') });
    const chunks = await collect(
      await ai.models.generateContentStream({ model, contents: saying('scenario=unicode') }),
    );
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe(whole.text);
    const finishes = chunks.map(({ candidates }) => candidates?.[0]?.finishReason);
    expect(finishes.pop()).toBe('STOP');
    expect(finishes.every((finish) => finish === undefined)).toBe(true);
    expect(chunks.at(-1)?.usageMetadata?.totalTokenCount).toBe(whole.usageMetadata?.totalTokenCount);
  });

  test.each(['sent', 'streamed'])('[GS-38] ai.chats keeps the turn in history: %s', async (how) => {
    const chat = client(version).chats.create({ model });
    const say = async (message: string): Promise<string> => {
      if (how === 'sent') return (await chat.sendMessage({ message })).text ?? '';
      return (await collect(await chat.sendMessageStream({ message }))).map(({ text }) => text ?? '').join('');
    };
    const first = await say(saying('scenario=text-long words=12'));
    expect(first.split(' ')).toHaveLength(12);
    const history = chat.getHistory(true);
    expect(history[0]?.role).toBe('user');
    expect(
      history
        .slice(1)
        .flatMap(({ parts }) => parts ?? [])
        .map(({ text }) => text ?? '')
        .join(''),
    ).toBe(first);
    expect(await say('And where do two meet?')).toContain('And where do two meet?');
    expect(stand.simulator.truth.last()?.bodyText).toContain('word12');
  });

  test('a failure in the middle of a stream is an error, not a short answer', async () => {
    const contents = saying('scenario=text-long tps=200 fault=error-frame-mid after=5');
    const pieces: string[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const { text } of await client(version).models.generateContentStream({ model, contents }))
          pieces.push(text ?? '');
      })(),
    );
    expect(pieces.join('')).toContain('word5');
    // Older versions read no error from a stream: there the cut connection is what tells.
    if (version === '2.32')
      expect(failure).toMatchObject({ name: 'ApiError', message: expect.stringContaining('UNAVAILABLE') });
    expect(failure.name).not.toBe('AbortError');
  });

  test('an aborted stream closes the upstream', async () => {
    const leaving = new AbortController();
    const stream = await client(version).models.generateContentStream({
      model,
      contents: saying('scenario=text-long words=5000 tps=200'),
      config: { abortSignal: leaving.signal },
    });
    await failureOf(
      (async () => {
        for await (const { text } of stream) if (text?.includes('word3')) leaving.abort();
      })(),
    );
    await waitUntil('the upstream closed', () => stand.simulator.truth.last()?.outcome === 'aborted');
    expect(stand.simulator.truth.last()?.tokensProduced).toBeLessThan(1000);
  });

  test('an answer with a JSON schema conforms to it', async () => {
    const response = await client(version).models.generateContent({
      model,
      contents: saying(''),
      config: {
        responseMimeType: 'application/json',
        responseSchema: {
          type: Type.OBJECT,
          properties: { city: { type: Type.STRING }, degrees: { type: Type.INTEGER } },
          required: ['city', 'degrees'],
        },
      },
    });
    expect(JSON.parse(response.text ?? '')).toEqual({ city: expect.any(String), degrees: expect.any(Number) });
  });

  test('countTokens returns a count', async () => {
    const { totalTokens } = await client(version).models.countTokens({ model, contents: saying('') });
    expect(totalTokens).toBeGreaterThan(0);
  });
});

describe.each(THINKERS)('thinking, $version to $model', ({ version, model }) => {
  test('a chat of three turns with calls, streamed, sends thoughts and signatures back', async () => {
    const chat = client(version).chats.create({ model, config: { tools: TOOLS, thinkingConfig: THINKING } });
    for (const round of [1, 2]) {
      const message = `Round ${round}. @simulate scenario=reasoning-tools`;
      const chunks = await collect(await chat.sendMessageStream({ message }));
      const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      const thoughts = parts.filter(({ thought }) => thought === true);
      expect(thoughts.map(({ text }) => text ?? '').join('')).toContain('two tools');
      const calls = chunks.flatMap(({ functionCalls }) => functionCalls ?? []);
      expect(calls.map(({ name }) => name)).toEqual(['weather', 'clock']);
      const answer = await chat.sendMessage({ message: resultsOf(calls).parts ?? [] });
      expect(answer.text).toContain('21 degrees');
      expect(stand.simulator.truth.last()?.refusal).toBeUndefined();
    }
  });

  test('thoughts of a whole answer may be sent back', async () => {
    const ai = client(version);
    const contents: Content[] = [{ role: 'user', parts: [{ text: saying('scenario=reasoning-tools') }] }];
    const config = { tools: TOOLS, thinkingConfig: THINKING };
    const response = await ai.models.generateContent({ model, contents, config });
    const calls = response.functionCalls ?? [];
    const next = await ai.models.generateContent({
      model,
      contents: [...contents, turnOf(response), resultsOf(calls)],
      config,
    });
    expect(next.text).toContain('21 degrees');
  });
});

describe.each(['2.32', '1.50'] as const)('errors, %s', (version) => {
  const asked = (instruction: string, config = {}, model: string = OWN): Promise<unknown> =>
    client(version).models.generateContent({ model, contents: saying(instruction), config });
  const cases: readonly (readonly [number, string, () => Promise<unknown>])[] = [
    [400, 'a bad field', () => asked('', { temperature: 'warm' })],
    [
      401,
      'a wrong key',
      () => client(version, 'sk-nobody').models.generateContent({ model: OWN, contents: saying('') }),
    ],
    [404, 'an unknown model', () => asked('', {}, 'no/such')],
    [429, 'a rate limit', () => asked('status=429')],
    [502, 'a failure', () => asked('status=500')],
    [
      429,
      'a rate limit of a stream',
      () => client(version).models.generateContentStream({ model: OWN, contents: saying('status=429') }),
    ],
  ];

  // The error class of this SDK keeps no headers, so it has no request id.
  test.each(cases)('[E-31] partly: %d for %s is an ApiError with the status', async (status, _what, call) => {
    const failure = await failureOf(call());
    expect(failure).toBeInstanceOf(versions[version].ApiError);
    expect(failure).toMatchObject({ status });
    expect(JSON.parse(failure.message)).toMatchObject({ error: { code: status, status: expect.any(String) } });
  });
});

// Its type has 64-bit numbers as text, as Google's JSON has them.
describe.each([OWN, 'openai/gpt-4o', RESPONSES, 'anthropic/claude-sonnet-4-5'])('numbers as text, to %s', (model) => {
  const schema: Schema = {
    type: Type.OBJECT,
    properties: {
      roads: {
        type: Type.ARRAY,
        minItems: '1',
        maxItems: '3',
        items: { type: Type.STRING, minLength: '2', maxLength: '20' },
      },
    },
    required: ['roads'],
  };
  const roads = expect.arrayContaining([expect.stringMatching(/^.{2,20}$/)]);

  test.each(['2.32', '1.50'] as const)('the schema of an answer, %s', async (version) => {
    const { text } = await client(version).models.generateContent({
      model,
      contents: saying(''),
      config: { responseMimeType: 'application/json', responseSchema: schema },
    });
    expect(JSON.parse(text ?? '')).toEqual({ roads });
    // Claude takes such a keyword in the words of the schema alone.
    expect(stand.simulator.truth.last()?.bodyText).toMatch(/minItems"?: ?"?1\b/);
  });

  test.each(['2.32', '1.50'] as const)('the parameters of a function, %s', async (version) => {
    const { functionCalls } = await client(version).models.generateContent({
      model,
      contents: saying('scenario=tool-single'),
      config: { tools: [{ functionDeclarations: [{ name: 'meet', parameters: schema }] }] },
    });
    expect(functionCalls).toEqual([expect.objectContaining({ name: 'meet', args: { roads } })]);
    expect(stand.simulator.truth.last()?.bodyText).toMatch(/"maxLength":"?20"?[,}]/);
  });
});

describe.each(['2.32', '1.50'] as const)('models, %s', (version) => {
  test('[A-38] partly: models.list and models.get work', async () => {
    const names: string[] = [];
    for await (const { name } of await client(version).models.list()) names.push(name ?? '');
    expect(names.some((name) => name.endsWith('gemini-2.5-flash'))).toBe(true);
    expect((await client(version).models.get({ model: OWN })).name).toContain('gemini-2.5-flash');
    expect(await failureOf(client(version).models.get({ model: 'no/such' }))).toMatchObject({ status: 404 });
  });
});
