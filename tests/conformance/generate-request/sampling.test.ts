/** Sampling parameters of generationConfig: their ranges, and what reaches the model. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { moreModels, NO_THINKING } from '../../support/generate-models.ts';
import {
  ALL_MODELS,
  ask,
  CHAT,
  config,
  GEMINI,
  type Json,
  lossless,
  lossy,
  MESSAGES,
  pathOf,
  play,
  post,
  RESPONSES,
  refused,
  saidIn,
  sentConfig,
  served,
  TRANSLATED,
} from '../../support/generate-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: moreModels });
});
afterAll(() => stand.close());

const at = (name: string): string => `generationConfig.${name}`;

/** Rows: rule, member, values that reach the upstream as they are, values that are refused. */
const RANGES: readonly (readonly [
  rule: string,
  member: string,
  taken: readonly unknown[],
  refused: readonly unknown[],
])[] = [
  ['G-39', 'temperature', [0, 0.7, 2], [-0.01, 2.01, '1', true]],
  ['G-41', 'topP', [0, 0.5, 1], [-0.01, 1.01, '1']],
  ['G-42', 'topK', [1, 40], [0, -1, 1.5, '40']],
  ['G-43', 'candidateCount', [1, 8], [0, 9, 1.5, '1']],
  ['G-46', 'maxOutputTokens', [1, 4000], [0, -1, 1.5, '9']],
  ['G-48', 'stopSequences', [['x'], ['a', 'B']], ['x', {}]],
  ['G-50', 'presencePenalty', [-2, 0, 1.99], [2, -2.01, '0']],
  ['G-51', 'frequencyPenalty', [-2, 0, 1.99], [2, -2.01, '0']],
  ['G-52', 'seed', [5, 0, -5], [1.5, '5']],
  ['N-07', 'stopSequences', [['1', '2', '3', '4', '5']], [['1', '2', '3', '4', '5', '6']]],
];

describe.each(RANGES)('%s: %s', (rule, member, taken, bad) => {
  test.each(taken.map((value) => [value]))(`[${rule}] ${member} %j is forwarded`, async (value) => {
    expect(sentConfig(await lossless(stand, config({ [member]: value })))).toEqual({ [member]: value });
  });
  test.each(bad.map((value) => [value]))(`[${rule}] ${member} %j is refused for every upstream`, async (value) => {
    for (const model of [GEMINI, CHAT]) await refused(stand, config({ [member]: value }), at(member), { model });
  });
});

test.each([[[1]], [['x', null]]])('[G-48] the stop sequences %j are refused', async (stopSequences) => {
  const reply = await post(stand, pathOf(GEMINI, 'generateContent'), config({ stopSequences }));
  expect(reply.status).toBe(400);
  expect(reply.text).toContain('generationConfig.stopSequences[');
});

test.each([
  ['[]', []],
  ['text', 'x'],
])('[G-38] a generation config that is %s is refused', (_case, given) =>
  refused(stand, config(given), 'generationConfig'),
);
test('[G-38] without a generation config no sampling parameter is sent', async () => {
  expect((await lossless(stand, ask())).sent).not.toHaveProperty('generationConfig');
  expect((await lossless(stand, config({}))).sent).toEqual(config({}));
});

describe('translated', () => {
  test.each([
    [
      'G-40',
      CHAT,
      ['temperature', 'top_p', 'stop', 'seed', 'max_completion_tokens', 'presence_penalty', 'frequency_penalty'],
    ],
    ['G-40', MESSAGES, ['temperature', 'top_p', 'top_k', 'stop_sequences']],
  ] as const)('[%s] to %s nothing is invented that was not asked for', async (_rule, model, names) => {
    const { sent } = await lossless(stand, ask(), { model });
    for (const name of names) expect(sent).not.toHaveProperty(name);
  });
  test('[G-40] a given temperature is forwarded', async () => {
    expect((await lossless(stand, config({ temperature: 0.3 }), { model: CHAT })).sent['temperature']).toBe(0.3);
    expect((await lossless(stand, ask())).sent).not.toHaveProperty('generationConfig');
  });
  test('[G-39, G-41] temperature and top-p reach other dialects', async () => {
    for (const model of TRANSLATED) {
      expect((await lossless(stand, config({ temperature: 0.5 }), { model })).sent['temperature']).toBe(0.5);
      expect((await lossless(stand, config({ topP: 0.5 }), { model })).sent['top_p']).toBe(0.5);
    }
  });
  test('[G-42] top-k is a loss at a dialect without it', async () => {
    expect((await lossless(stand, config({ topK: 40 }), { model: MESSAGES })).sent['top_k']).toBe(40);
    for (const model of [CHAT, RESPONSES]) await lossy(stand, config({ topK: 40 }), [at('topK')], { model });
  });
  test('[G-50, G-51] penalties are a loss at a dialect without them', async () => {
    const penalties = { presencePenalty: 1, frequencyPenalty: -1 };
    expect((await lossless(stand, config(penalties), { model: CHAT })).sent).toMatchObject({
      presence_penalty: 1,
      frequency_penalty: -1,
    });
    for (const model of [MESSAGES, RESPONSES])
      await lossy(stand, config(penalties), Object.keys(penalties).map(at), { model });
  });
  test('[G-52] a seed is forwarded or a loss, and none is sent when none is given', async () => {
    expect((await lossless(stand, config({ seed: 5 }), { model: CHAT })).sent['seed']).toBe(5);
    for (const model of [MESSAGES, RESPONSES]) await lossy(stand, config({ seed: 5 }), [at('seed')], { model });
    expect((await lossless(stand, ask(), { model: CHAT })).sent).not.toHaveProperty('seed');
  });
  test('[G-46] the cap has each dialect’s own name', async () => {
    expect((await lossless(stand, config({ maxOutputTokens: 9 }), { model: CHAT })).sent['max_completion_tokens']).toBe(
      9,
    );
    expect((await lossless(stand, config({ maxOutputTokens: 9 }), { model: MESSAGES })).sent['max_tokens']).toBe(9);
    expect((await lossless(stand, config({ maxOutputTokens: 20 }), { model: RESPONSES })).sent).toMatchObject({
      max_output_tokens: 20,
    });
  });
});

describe('candidates', () => {
  test('[G-44] three candidates have their indexes', async () => {
    const { candidates } = await lossless(stand, config({ candidateCount: 3 }));
    expect(candidates.map(({ index }) => index)).toEqual([0, 1, 2]);
    for (const candidate of candidates) expect(saidIn(candidate)).not.toBe('');
    expect((await lossless(stand, ask())).candidates.map(({ index }) => index)).toEqual([0]);
  });
  test('[G-45] several candidates cannot be streamed; one can', async () => {
    const before = stand.simulator.truth.read().length;
    const reply = await post(stand, pathOf(GEMINI, 'streamGenerateContent'), config({ candidateCount: 2 }));
    expect(reply.json).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } });
    expect(reply.text).toContain(at('candidateCount'));
    expect(stand.simulator.truth.read().length).toBe(before);
    expect((await post(stand, pathOf(GEMINI, 'streamGenerateContent'), config({ candidateCount: 1 }))).status).toBe(
      200,
    );
  });
});

describe('limits', () => {
  test.each([
    [GEMINI, 16_384, (sent: Json) => (sent['generationConfig'] as Json)['maxOutputTokens']],
    [NO_THINKING, 8192, (sent: Json) => (sent['generationConfig'] as Json)['maxOutputTokens']],
    [CHAT, 16_384, (sent: Json) => sent['max_completion_tokens']],
  ] as const)('[G-47] above what %s can give the cap is lowered and reported', async (model, limit, capOf) => {
    const { sent } = await lossy(stand, config({ maxOutputTokens: limit + 1 }), [at('maxOutputTokens')], { model });
    expect(capOf(sent)).toBe(limit);
    expect(capOf((await lossless(stand, config({ maxOutputTokens: limit }), { model })).sent)).toBe(limit);
  });
});

describe('stop sequences', () => {
  test.each(ALL_MODELS)('[G-49] the text of %s ends before the first match, which is case-sensitive', async (model) => {
    const whole = await served(stand, play('scenario=text-basic'), { model });
    const word = whole.said.split(' ').find((each) => /^[a-z]{4,}$/.test(each)) ?? '';
    expect(word).not.toBe('');
    const wrongCase = config({ stopSequences: [word.toUpperCase()] });
    const uncut = await served(stand, { ...play('scenario=text-basic'), ...only(wrongCase) }, { model });
    expect(uncut.said).toBe(whole.said);
    const cut = await served(
      stand,
      { ...play('scenario=text-basic'), ...only(config({ stopSequences: [word] })) },
      { model },
    );
    expect(cut.said).toBe(whole.said.slice(0, whole.said.indexOf(word)));
    expect(cut.candidate.finishReason).toBe('FINISH_REASON_STOP');
  });
});

const only = ({ generationConfig }: Json): Json => ({ generationConfig });

test('unknown field names that a header cannot hold do not fail the request', async () => {
  for (const model of ALL_MODELS) {
    const odd = await served(stand, config({ 'größe,\r\nx-injected: 1': 1, '\ud800': 1, plain: 1 }), { model });
    expect(odd.losses).toEqual([at('gr%C3%B6%C3%9Fe%2C%0D%0Ax-injected: 1'), at('%EF%BF%BD'), at('plain')]);
  }
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`member${index}`, 1]));
  const { losses } = await served(stand, config(many));
  expect([losses[0], losses.at(-1)]).toEqual([at('member0'), '...']);
});
