/** Thinking budgets and levels: each model tier's range, and models that do not reason. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  LIGHT_TIER,
  moreModels,
  NO_THINKING,
  THIRD_FLASH,
  THIRD_PRO,
  TOP_TIER,
} from '../../support/generate-models.ts';
import {
  ask,
  CHAT,
  config,
  expectError,
  GEMINI,
  type Json,
  lossless,
  MESSAGES,
  model as modelTurn,
  pathOf,
  play,
  post,
  refused,
  sentConfig,
  served,
  TOOLS,
  TRANSLATED,
  text,
  user,
} from '../../support/generate-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: moreModels });
});
afterAll(() => stand.close());

const PLACE = 'generationConfig.thinkingConfig';
const thinking = (thinkingConfig: unknown): Json => config({ thinkingConfig });
const THOUGHTS = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

describe('models that do not think', () => {
  test.each([NO_THINKING, CHAT])('[G-67, E-29] %s refuses any thinking config on both calls', async (model) => {
    for (const given of [{ thinkingBudget: 100 }, { includeThoughts: true }, {}, { thinkingLevel: 'LOW' }])
      await refused(stand, thinking(given), PLACE, { model });
    const before = stand.simulator.truth.read().length;
    const reply = await post(stand, pathOf(model, 'streamGenerateContent'), thinking({ thinkingBudget: 100 }));
    expect(expectError(reply, 400, 'INVALID_ARGUMENT').message).toContain(PLACE);
    expect(stand.simulator.truth.read().length).toBe(before);
  });
  test('[G-67, E-29] a thinking config is accepted on both calls for a model that thinks', async () => {
    await lossless(stand, thinking({ thinkingBudget: 100 }));
    expect((await post(stand, pathOf(GEMINI, 'streamGenerateContent'), thinking({ thinkingBudget: 100 }))).status).toBe(
      200,
    );
    await lossless(stand, ask(), { model: NO_THINKING });
  });
});

describe('budgets', () => {
  const BUDGETS = [
    ['G-69', TOP_TIER, [128, 32_768], [127, 32_769, 0, 1.5, '128']],
    ['G-70', GEMINI, [0, 1, 24_576], [24_577, 1.5]],
    ['G-71', LIGHT_TIER, [512, 24_576], [511, 24_577]],
  ] as const;
  test.each(BUDGETS)('[%s] %s', async (_rule, model, taken, bad) => {
    for (const thinkingBudget of taken)
      expect(sentConfig(await lossless(stand, thinking({ thinkingBudget }), { model }))).toEqual({
        thinkingConfig: { thinkingBudget },
      });
    for (const thinkingBudget of bad)
      await refused(stand, thinking({ thinkingBudget }), `${PLACE}.thinkingBudget`, { model });
  });
  test('[G-70] a thinking budget of 0 gives no thoughts', async () => {
    const off = { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } };
    const { candidate } = await lossless(stand, play('scenario=text-basic', off));
    expect(candidate.content.parts.some(({ thought }) => thought === true)).toBe(false);
  });
  test.each([TOP_TIER, GEMINI, LIGHT_TIER, THIRD_PRO, THIRD_FLASH])(
    '[G-72] %s accepts the thinking budget -1 and refuses -2',
    async (model) => {
      expect(sentConfig(await lossless(stand, thinking({ thinkingBudget: -1 }), { model }))).toEqual({
        thinkingConfig: { thinkingBudget: -1 },
      });
      await refused(stand, thinking({ thinkingBudget: -2 }), `${PLACE}.thinkingBudget`, { model });
    },
  );
  test('[G-68] a thinking budget and a thinking level together are refused', async () => {
    for (const model of [GEMINI, THIRD_FLASH])
      await refused(stand, thinking({ thinkingBudget: 512, thinkingLevel: 'LOW' }), `${PLACE}.thinkingLevel`, {
        model,
      });
    await lossless(stand, thinking({ thinkingBudget: 512 }), { model: THIRD_FLASH });
    await lossless(stand, thinking({ thinkingLevel: 'LOW' }), { model: THIRD_FLASH });
  });
  test('[G-70] a thinking budget is translated to other dialects', async () => {
    const body = config({ thinkingConfig: { thinkingBudget: 2048 }, maxOutputTokens: 4096 });
    expect((await served(stand, body, { model: MESSAGES })).sent).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 2048 },
    });
  });
});

describe('levels', () => {
  test.each(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'])(
    '[G-73] thinkingLevel %s is accepted by a model that has it',
    async (thinkingLevel) => {
      expect(sentConfig(await lossless(stand, thinking({ thinkingLevel }), { model: THIRD_FLASH }))).toEqual({
        thinkingConfig: { thinkingLevel },
      });
    },
  );
  test('[G-73] the unspecified thinkingLevel counts as absent', async () => {
    const body = thinking({ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' });
    const { sentText } = await served(stand, body, { model: THIRD_FLASH });
    expect(sentText).not.toMatch(/MINIMAL|LOW|MEDIUM|HIGH/);
  });
  test.each(['XHIGH', 'NONE', '', 1])('[G-73] thinkingLevel %j is refused', (thinkingLevel) =>
    refused(stand, thinking({ thinkingLevel }), `${PLACE}.thinkingLevel`, { model: THIRD_FLASH }),
  );
  test.each(['MINIMAL', 'MEDIUM'])(
    '[G-74] thinkingLevel %s on a model without it is refused with the allowed levels',
    async (thinkingLevel) => {
      const reply = await post(stand, pathOf(THIRD_PRO, 'generateContent'), thinking({ thinkingLevel }));
      const { message } = expectError(reply, 400, 'INVALID_ARGUMENT');
      expect(message).toContain(`${PLACE}.thinkingLevel`);
      expect(message).toContain('LOW, HIGH');
      await lossless(stand, thinking({ thinkingLevel }), { model: THIRD_FLASH });
    },
  );
  test('[G-75] without a thinkingLevel none is sent', async () => {
    for (const model of [THIRD_PRO, THIRD_FLASH]) {
      expect((await lossless(stand, ask(), { model })).sent).toEqual(ask());
      expect(sentConfig(await lossless(stand, config({ topP: 1 }), { model }))).toEqual({ topP: 1 });
    }
    expect(sentConfig(await lossless(stand, thinking({ thinkingLevel: 'LOW' }), { model: THIRD_PRO }))).toEqual({
      thinkingConfig: { thinkingLevel: 'LOW' },
    });
  });
});

describe('thoughts', () => {
  test('[G-76] an answer without the requested thoughts is not a failure', async () => {
    const { candidate } = await lossless(stand, play('scenario=text-basic', THOUGHTS));
    expect(candidate.content.parts.some(({ thought }) => thought === true)).toBe(false);
    const given = await lossless(stand, play('scenario=reasoning', THOUGHTS));
    expect(given.candidate.content.parts[0]).toMatchObject({ thought: true });
  });
  test.each(['x', 1])('[G-76] includeThoughts %j is refused', (includeThoughts) =>
    refused(stand, thinking({ includeThoughts }), `${PLACE}.includeThoughts`),
  );

  type Call = { id?: string; name: string };
  type Signed = { turn: Json; signature: string; calls: Call[] };
  /** A signed turn of a model, as the caller got it. */
  const signedTurn = async (model: string): Promise<Signed> => {
    const { candidate } = await served(stand, play('scenario=reasoning-tools', { ...TOOLS, ...THOUGHTS }), { model });
    const { parts } = candidate.content;
    const signature = parts.find(({ thoughtSignature }) => thoughtSignature !== undefined)?.thoughtSignature ?? '';
    expect(signature).not.toBe('');
    const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall as Call]));
    expect(calls.length).toBeGreaterThan(0);
    return { turn: candidate.content, signature, calls };
  };
  const resultOf = ({ id, name }: Call): Json => ({
    functionResponse: { ...(id !== undefined && { id }), name, response: { ok: 1 } },
  });
  const replay = ({ turn, calls }: Signed): Json => ({
    contents: [user(text('Weather?')), turn, user(...calls.map(resultOf))],
    ...TOOLS,
    ...THOUGHTS,
  });

  test.each([GEMINI, THIRD_FLASH])('[G-21] a signed turn goes back to %s unchanged', async (model) => {
    const signed = await signedTurn(model);
    const { turn, signature } = signed;
    const { sent, losses } = await served(stand, replay(signed), { model });
    expect((sent['contents'] as Json[])[1]).toEqual(turn);
    expect(JSON.stringify(sent)).toContain(JSON.stringify(signature));
    expect(losses).toEqual([]);
  });
  test('[G-21] the turn of a messages model returns to it with its original signature', async () => {
    const signed = await signedTurn(MESSAGES);
    const { sent, losses } = await served(stand, replay(signed), { model: MESSAGES });
    const [thought] = (sent['messages'] as { content: Json[] }[])[1]?.content ?? [];
    expect(thought).toMatchObject({ type: 'thinking', signature: expect.stringMatching(/\S/) });
    expect(thought?.['signature']).not.toBe(signed.signature);
    expect(losses).toEqual([]);
  });
  test.each([
    [GEMINI, CHAT],
    [GEMINI, MESSAGES],
    [MESSAGES, GEMINI],
    [MESSAGES, CHAT],
  ])('[G-21] a turn signed by %s is not sent to %s, and reported as a loss', async (from, to) => {
    const signed = await signedTurn(from);
    const { generationConfig: _, ...body } = replay(signed);
    const { sentText, losses } = await served(stand, body, { model: to });
    expect(sentText).not.toContain(signed.signature);
    expect(losses.some((path) => path.startsWith('contents.parts'))).toBe(true);
  });

  const played = {
    contents: [
      user(text('Count.')),
      modelTurn(
        { executableCode: { language: 'PYTHON', code: 'print(1)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
        text('1'),
      ),
      user(text('Again.')),
    ],
  };
  test('[G-22] executed code and its result are forwarded in history', async () => {
    expect((await lossless(stand, played)).sent).toEqual(played);
  });
  test.each(TRANSLATED)(
    '[G-22] executed code and its result are a loss at %s, and the rest of the turn is kept',
    async (model) => {
      const { sent, losses } = await served(stand, played, { model });
      expect(sent['messages'] ?? sent['input']).toHaveLength(3);
      expect(losses).toEqual(['contents.parts']);
    },
  );
});
