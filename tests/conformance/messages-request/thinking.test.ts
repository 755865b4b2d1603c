/** Thinking: its forms, its budget, and models without it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ADAPTIVE,
  ask,
  CLAUDE,
  COMPATIBLE,
  EVERY_MODEL,
  GEMINI,
  type Json,
  lossless,
  lossy,
  messagesHosts,
  OPENAI,
  OPENAI_THINKER,
  refused,
  served,
  simulate,
} from '../../support/messages-probe.ts';
import { OWN_THINKER, responsesHosts } from '../../support/responses-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (url) => {
      const [own, others] = [messagesHosts(url), responsesHosts(url)];
      return {
        providers: { ...own.providers, ...others.providers },
        models: [...own.models, ...(others.models ?? [])],
      };
    },
  });
});
afterAll(() => stand.close());

const enabled = (budget_tokens: unknown): Json => ({ type: 'enabled', budget_tokens });
const THINKERS = [CLAUDE, OPENAI_THINKER, 'compatible/thinker', OWN_THINKER, GEMINI];
const configOf = (sent: Json): Json => ((sent['generationConfig'] as Json)['thinkingConfig'] ?? {}) as Json;

describe('forms', () => {
  test.each([
    ['enabled without a budget', { type: 'enabled' }, 'thinking.budget_tokens'],
    ['a budget of text', enabled('2000'), 'thinking.budget_tokens'],
    ['a budget of a fraction', enabled(1024.5), 'thinking.budget_tokens'],
  ])('[M-11] %s is refused', async (_label, thinking, field) => {
    for (const model of THINKERS) await refused(stand, ask({ model, max_tokens: 4000, thinking }), field);
  });

  test('[M-11] enabled turns thinking on, in each upstream’s own form', async () => {
    const thinking = enabled(2000);
    const asked = (model: string) => served(stand, ask({ model, max_tokens: 4000, thinking }));
    expect((await asked(CLAUDE)).sent['thinking']).toEqual(thinking);
    expect(configOf((await asked(GEMINI)).sent)).toMatchObject({ thinkingBudget: 2000, includeThoughts: true });
    for (const model of [OPENAI_THINKER, 'compatible/thinker'])
      expect((await asked(model)).sent['reasoning_effort']).toMatch(/^(low|medium|high)$/);
  });

  test.each(['anthropic/claude-sonnet-4.6', 'anthropic/claude-opus-4.6'])(
    '[M-11] a budget reaches %s, which also thinks adaptively, as a budget',
    async (model) => {
      const thinking = enabled(2000);
      expect((await lossless(stand, ask({ model, max_tokens: 4000, thinking }))).sent['thinking']).toEqual(thinking);
    },
  );

  test.each([undefined, { type: 'disabled' }, null])(
    '[M-12] thinking %j does not turn thinking on',
    async (thinking) => {
      const { sent: claude } = await lossless(stand, ask({ thinking }));
      expect([undefined, { type: 'disabled' }]).toContainEqual(claude['thinking']);
      for (const model of [OPENAI, COMPATIBLE])
        expect((await lossless(stand, ask({ model, thinking }))).sentText).not.toMatch(/reasoning|thinking/);
      const { sent: gemini } = await lossless(stand, ask({ model: GEMINI, thinking }));
      expect(configOf(gemini)).toEqual(thinking == null ? {} : { thinkingBudget: 0 });
    },
  );

  test.each([
    ['x', { type: 'x' }],
    ['no type', {}],
    ['a number as type', { type: 5 }],
  ])('[M-13] thinking of type %s is refused', async (_label, thinking) => {
    for (const model of [...THINKERS, ADAPTIVE]) await refused(stand, ask({ model, thinking }), 'thinking.type');
  });

  test('[M-13] adaptive thinking is forwarded to a model that has it', async () => {
    const { sent } = await lossless(stand, ask({ model: ADAPTIVE, thinking: { type: 'adaptive' } }));
    expect(sent['thinking']).toEqual({ type: 'adaptive' });
  });

  test.each([OPENAI, COMPATIBLE])(
    '[M-14] for %s, which does not reason, enabled thinking is refused and adaptive thinking is a loss',
    async (model) => {
      await refused(stand, ask({ model, max_tokens: 4000, thinking: enabled(1024) }), 'thinking');
      await lossy(stand, ask({ model, max_tokens: 4000, thinking: { type: 'adaptive' } }), 'thinking');
      await served(stand, ask({ model, max_tokens: 4000, thinking: { type: 'disabled' } }));
    },
  );

  test.each(['x', 5, [], true])('[M-13] %j as thinking is refused', async (thinking) => {
    for (const model of EVERY_MODEL) await refused(stand, ask({ model, thinking }), 'thinking');
  });
});

describe('budget', () => {
  test.each(THINKERS)('[N-02] a thinking budget of 1024 is accepted for %s and 1023 is refused', async (model) => {
    await served(stand, ask({ model, max_tokens: 2000, thinking: enabled(1024) }));
    await refused(stand, ask({ model, max_tokens: 2000, thinking: enabled(1023) }), 'thinking.budget_tokens');
  });

  test.each(THINKERS)(
    '[N-03] a thinking budget of 1999 with max_tokens 2000 is accepted for %s, one of 2000 is refused',
    async (model) => {
      await served(stand, ask({ model, max_tokens: 2000, thinking: enabled(1999) }));
      await refused(stand, ask({ model, max_tokens: 2000, thinking: enabled(2000) }), 'thinking.budget_tokens');
    },
  );

  test.each(THINKERS)('[M-03] max_tokens caps thinking and answer together (%s)', async (model) => {
    const messages = [simulate('scenario=text-long words=3000')];
    const { reply } = await served(stand, ask({ model, max_tokens: 1100, thinking: enabled(1024), messages }));
    expect(reply.json['stop_reason']).toBe('max_tokens');
    expect(stand.simulator.truth.last()?.tokensProduced).toBeLessThanOrEqual(1100);
    expect((reply.json['usage'] as Json)['output_tokens']).toBe(1100);
  });
});
