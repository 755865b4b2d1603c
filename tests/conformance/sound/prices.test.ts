// Sound for accounts that pay: without a price it is refused before its host sees it, and what a chat model says costs
// what its sound costs.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../../support/admin-stand.ts';
import { formOf, silence } from '../../support/sound-probe.ts';

const usd = (value: string, unit = 'perMTokens') => [{ value, unit, currency: 'USD' }];
const TEXT = { prompt: usd('0.3'), completion: usd('2.5') };
/** Sound is dearer than text. */
const SPOKEN = { ...TEXT, audio: usd('12') };
const LIMIT = 8192;

const chatty = (id: string, pricings: object) => ({
  id: `google/${id}`,
  contextLength: 32_768,
  maxOutputTokens: LIMIT,
  outputModalities: ['text', 'audio'],
  endpoints: [
    { provider: 'google', dialect: 'google-generate', upstreamModel: 'gemini-2.5-flash-preview-tts', pricings },
  ],
});

const [PRICED, SILENTLY_PRICED] = ['google/priced-tts', 'google/text-priced-tts'];

const unpriced = (id: string, outputModalities: readonly string[]) => ({
  id,
  outputModalities,
  endpoints: [{ provider: 'openai', upstreamModel: id === 'own/unpriced-voice' ? 'tts-1' : 'whisper-1' }],
});

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand({
    alsoHosts: () => ({
      providers: {},
      models: [
        chatty('priced-tts', SPOKEN),
        chatty('text-priced-tts', TEXT),
        unpriced('own/unpriced-voice', ['speech']),
        unpriced('own/unpriced-ear', ['transcription']),
      ],
    }),
  });
});
afterAll(() => stand.close());

async function keyOf(account: string, credit: string): Promise<string> {
  await stand.admin('POST', '/accounts', { id: account, name: account, kind: 'prepaid' });
  await stand.admin('POST', `/accounts/${account}/credits`, { usd: credit });
  const { json } = await stand.admin('POST', `/accounts/${account}/keys`, { name: 'k' });
  return String(json['secret']);
}

const sent = (): number => stand.simulator.truth.read().length;
const json = { 'content-type': 'application/json' };
const post = (path: string, secret: string, body: string | FormData): Promise<Response> =>
  fetch(`${stand.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, ...(typeof body === 'string' && json) },
    body,
  });

describe('without a price', () => {
  test.each(['json', 'text', 'srt'])('a recording as %s is refused with 402, and not sent', async (form) => {
    const secret = await keyOf(`ear-${form}`, '100');
    const before = sent();
    const fields = { model: 'own/unpriced-ear', response_format: form };
    const answer = await post('/api/v1/audio/transcriptions', secret, formOf(silence(1), fields));
    expect(answer.status).toBe(402);
    expect(sent()).toBe(before);
  });

  test.each([{}, { stream_format: 'sse' }])('speech with %j is refused with 402, and not sent', async (how) => {
    const secret = await keyOf(`voice-${Object.keys(how).length}`, '100');
    const before = sent();
    const body = { model: 'own/unpriced-voice', input: 'Hello.', voice: 'alloy', ...how };
    expect((await post('/api/v1/audio/speech', secret, JSON.stringify(body))).status).toBe(402);
    expect(sent()).toBe(before);
  });
});

describe('what a chat model says', () => {
  const SAID = 'Say hello to everyone.';
  /** The host counts four characters of a prompt as a token, and speaks two tokens for each. */
  const [PROMPT, AUDIO] = [Math.ceil(SAID.length / 4), 2 * SAID.length];

  const say = (secret: string, model: string, config: object, isStream = false): Promise<Response> => {
    const action = isStream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const body = { contents: [{ role: 'user', parts: [{ text: SAID }] }], generationConfig: config };
    return post(`/api/vertex-ai/v1/publishers/google/models/${model.slice(7)}:${action}`, secret, JSON.stringify(body));
  };
  const ALOUD = { responseModalities: ['AUDIO'] };

  test.each([false, true])('[G-65] is charged at the price of sound (streamed: %j)', async (isStream) => {
    const secret = await keyOf(`talker-${isStream}`, '100');
    const answer = await say(secret, PRICED, ALOUD, isStream);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('"inlineData":{"mimeType":"audio/L16;codec=pcm;rate=24000","data":"');
    const { bill } = stand.records.at(-1) ?? {};
    expect(bill?.cost.lines.map(({ meter, kind, quantity }) => [meter, kind, quantity])).toEqual([
      ['prompt', 'prompt', PROMPT],
      ['outputAudio', 'audio', AUDIO],
    ]);
    expect(bill?.cost.unpriced).toEqual([]);
    // 0.3 and 12 USD a million tokens.
    expect(bill?.cost.nanoUsd).toBe(BigInt(PROMPT) * 300n + BigInt(AUDIO) * 12_000n);
  });

  test.each([[['AUDIO']], [['TEXT', 'AUDIO']]])('is refused with 402 without a price of sound: %j', async (made) => {
    const secret = await keyOf(`mute-${made.length}`, '100');
    const before = sent();
    for (const isStream of [false, true])
      expect((await say(secret, SILENTLY_PRICED, { responseModalities: made }, isStream)).status).toBe(402);
    expect(sent()).toBe(before);
  });

  test('is held at the price of sound and up to the limit of the model, whatever cap is asked for', async () => {
    // 8,192 tokens of sound cost 0.098304 USD; as text they would cost 0.02048.
    const [poor, rich] = [await keyOf('poor', '0.098'), await keyOf('rich', '0.1')];
    const before = sent();
    for (const isStream of [false, true])
      expect((await say(poor, PRICED, { ...ALOUD, maxOutputTokens: 10 }, isStream)).status).toBe(402);
    expect(sent()).toBe(before);
    expect((await say(rich, PRICED, { ...ALOUD, maxOutputTokens: 10 })).status).toBe(200);
  });

  test('must fit into a budget at the price of sound', async () => {
    const secret = await keyOf('bounded', '100');
    const budget = { scope: 'account', span: 'day', usd: '0.05' };
    expect((await stand.admin('POST', '/accounts/bounded/budgets', budget)).status).toBe(200);
    const before = sent();
    await vi.waitFor(async () => expect((await say(secret, PRICED, ALOUD)).status).toBe(402), 20_000);
    expect(sent()).toBe(before);
  });
});
