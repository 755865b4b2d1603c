/** The two ways a caller asks for reasoning, and the form in which each target receives it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelAt, peculiarHosts } from '../../support/chat-hosts.ts';
import {
  ask,
  COMPATIBLE,
  COMPATIBLE_THINKER,
  framesOf,
  type Json,
  lossless,
  lossy,
  OPENAI,
  OPENAI_THINKER,
  recordOf,
  refused,
  served,
  user,
} from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: peculiarHosts });
});
afterAll(() => stand.close());

const BUDGET = modelAt('budget-host');
const SWITCH = modelAt('switch-host');

describe('reasoning_effort', () => {
  test.each([
    ['low', 'low'],
    ['medium', 'medium'],
    ['high', 'high'],
    ['minimal', 'low'],
    ['xhigh', 'high'],
    ['max', 'high'],
  ])('[C-24] reasoning_effort %s becomes the nearest level of the model, %s', async (reasoning_effort, level) => {
    expect((await served(stand, ask({ model: OPENAI_THINKER, reasoning_effort }))).sent['reasoning_effort']).toBe(
      level,
    );
  });

  test.each(['low', 'medium', 'high'])(
    '[C-24] reasoning_effort %s is no loss where the model has that level',
    async (reasoning_effort) => {
      await lossless(stand, ask({ model: COMPATIBLE_THINKER, reasoning_effort }));
    },
  );

  test.each(['minimal', 'xhigh'])(
    '[C-24] reasoning_effort %s is a loss where the model has only a nearby level',
    async (reasoning_effort) => {
      await lossy(stand, ask({ model: COMPATIBLE_THINKER, reasoning_effort }), 'reasoning_effort');
    },
  );

  test('[C-24] reasoning_effort none switches reasoning off where that is possible', async () => {
    expect((await lossless(stand, ask({ model: BUDGET, reasoning_effort: 'none' }))).sent['enable_thinking']).toBe(
      false,
    );
  });

  test('[C-24] an unknown reasoning_effort counts as medium and does not fail', async () => {
    expect(
      (await lossy(stand, ask({ model: OPENAI_THINKER, reasoning_effort: 'colossal' }), 'reasoning_effort')).sent[
        'reasoning_effort'
      ],
    ).toBe('medium');
  });

  test('[C-24] a host with reasoning budgets receives a share of its output cap', async () => {
    const { sent } = await lossless(stand, ask({ model: BUDGET, reasoning_effort: 'high' }));
    expect(sent).toMatchObject({ enable_thinking: true, thinking_budget: Math.round(0.75 * 16_384) });
    expect(sent).not.toHaveProperty('reasoning_effort');
  });

  test.each([[5], [true], [{}]])('[C-24] reasoning_effort %j is refused', (reasoning_effort) =>
    refused(stand, ask({ model: OPENAI_THINKER, reasoning_effort }), 'reasoning_effort'),
  );

  test.each([OPENAI, COMPATIBLE])('[C-25] reasoning_effort is a loss on %s, which does not reason', async (model) => {
    expect((await lossy(stand, ask({ model, reasoning_effort: 'high' }), 'reasoning_effort')).sent).not.toHaveProperty(
      'reasoning_effort',
    );
    // The loss names the member that was sent.
    await lossy(stand, ask({ model, reasoning: { effort: 'high' } }), 'reasoning.effort');
  });

  test('[C-25] reasoning_effort none is no loss on a model that does not reason', async () => {
    expect((await lossless(stand, ask({ reasoning_effort: 'none' }))).sent).not.toHaveProperty('reasoning_effort');
  });
});

describe('reasoning', () => {
  test.each([
    ['on, by switch', SWITCH, true, { thinking: { type: 'enabled' } }],
    ['off, by switch', SWITCH, false, { thinking: { type: 'disabled' } }],
    ['on, by budget', BUDGET, true, { enable_thinking: true }],
    ['off, by budget', BUDGET, false, { enable_thinking: false }],
    ['on, by effort', modelAt('detail-host'), true, { reasoning_effort: 'medium' }],
    ['off, by effort', modelAt('detail-host'), false, { reasoning_effort: 'none' }],
  ])('[C-43] reasoning.enabled: %s', async (_case, model, enabled, expected) => {
    const { sent } = await lossless(stand, ask({ model, reasoning: { enabled } }));
    expect(sent).toMatchObject(expected);
    expect(sent).not.toHaveProperty('reasoning');
  });

  test('[C-43] reasoning.enabled false is a loss where the model cannot switch reasoning off', async () => {
    const { sent } = await lossy(
      stand,
      ask({ model: OPENAI_THINKER, reasoning: { enabled: false } }),
      'reasoning.enabled',
    );
    expect(sent['reasoning_effort']).not.toBe('none');
  });

  test('[C-43] reasoning.enabled true is a loss where the model does not reason', () =>
    lossy(stand, ask({ reasoning: { enabled: true } }), 'reasoning.enabled'));

  test.each([['x'], [1]])('[C-43] reasoning.enabled %j is refused', (enabled) =>
    refused(stand, ask({ reasoning: { enabled } }), 'reasoning.enabled'),
  );

  test.each([['x'], [5], [[]]])('[C-43] reasoning %j is refused', (reasoning) =>
    refused(stand, ask({ reasoning }), 'reasoning'),
  );

  test.each(['low', 'medium', 'high'])('[C-44] reasoning.effort %s is forwarded', async (effort) => {
    const { sent } = await lossless(stand, ask({ model: OPENAI_THINKER, reasoning: { effort } }));
    expect(sent['reasoning_effort']).toBe(effort);
    expect(sent).not.toHaveProperty('reasoning');
  });

  test.each([['xhigh'], ['none'], ['minimal'], [1]])('[C-44] reasoning.effort %j is refused', (effort) =>
    refused(stand, ask({ model: OPENAI_THINKER, reasoning: { effort } }), 'reasoning.effort'),
  );

  test('[C-45] reasoning.max_tokens is the budget upstream', async () => {
    expect((await lossless(stand, ask({ model: BUDGET, reasoning: { max_tokens: 2000 } }))).sent).toMatchObject({
      enable_thinking: true,
      thinking_budget: 2000,
    });
  });

  test('[C-45] a target without budgets receives the nearest effort for reasoning.max_tokens', async () => {
    const { sent } = await lossy(
      stand,
      ask({ model: OPENAI_THINKER, reasoning: { max_tokens: 2000 } }),
      'reasoning.max_tokens',
    );
    expect(sent['reasoning_effort']).toBe('low');
  });

  test('[C-45] reasoning.max_tokens is a loss on a model that does not reason', () =>
    lossy(stand, ask({ reasoning: { max_tokens: 2000 } }), 'reasoning.max_tokens'));

  test.each([['x'], [0], [-5], [true]])('[C-45] reasoning.max_tokens %j is refused', (max_tokens) =>
    refused(stand, ask({ model: BUDGET, reasoning: { max_tokens } }), 'reasoning.max_tokens'),
  );

  test('[C-47] two efforts that disagree are refused', () =>
    refused(
      stand,
      ask({ model: OPENAI_THINKER, reasoning_effort: 'low', reasoning: { effort: 'high' } }),
      'reasoning.effort',
    ));

  test.each([
    ['equal', { reasoning_effort: 'high', reasoning: { effort: 'high' } }],
    ['one of them null', { reasoning_effort: 'high', reasoning: { effort: null } }],
  ])('[C-47] two efforts, %s, are served', async (_case, members) => {
    expect((await lossless(stand, ask({ model: OPENAI_THINKER, ...members }))).sent['reasoning_effort']).toBe('high');
  });
});

describe('reasoning.exclude', () => {
  const HIDDEN = ['reasoning', 'reasoning_content', 'reasoning_details'] as const;
  const messages = (scenario: string): Json[] => [user(`Think. @simulate scenario=${scenario}`)];

  test.each(['reasoning', 'reasoning-field', 'reasoning-both-fields'])(
    '[C-46] reasoning.exclude hides the reasoning of an answer (%s), which is still billed',
    async (scenario) => {
      const body = { model: COMPATIBLE_THINKER, messages: messages(scenario) };
      const shown = await served(stand, ask(body));
      expect(shown.message['reasoning']).toMatch(/\S/);
      const hidden = await served(stand, ask({ ...body, reasoning: { exclude: true } }));
      for (const field of HIDDEN) expect(hidden.message).not.toHaveProperty(field);
      expect(hidden.message['content']).toBe(shown.message['content']);
      expect(hidden.reply.json['usage']).toEqual(shown.reply.json['usage']);
      expect((await recordOf(stand, hidden.reply)).reading?.usage).toEqual(
        (await recordOf(stand, shown.reply)).reading?.usage,
      );
      expect(hidden.sent).not.toHaveProperty('reasoning');
    },
  );

  test.each(['reasoning', 'reasoning-field', 'reasoning-both-fields'])(
    '[C-46] reasoning.exclude hides the reasoning of a stream (%s)',
    async (scenario) => {
      const body = { model: COMPATIBLE_THINKER, messages: messages(scenario), stream: true };
      const deltas = async (more: Json): Promise<Json[]> =>
        framesOf((await served(stand, ask({ ...body, ...more }))).reply).flatMap((frame) =>
          (frame['choices'] as { delta: Json }[]).map(({ delta }) => delta),
        );
      const textOf = (list: readonly Json[]): string => list.map((delta) => delta['content'] ?? '').join('');
      const shown = await deltas({});
      const hidden = await deltas({ reasoning: { exclude: true } });
      expect(shown.some((delta) => 'reasoning' in delta)).toBe(true);
      for (const delta of hidden) for (const field of HIDDEN) expect(delta).not.toHaveProperty(field);
      expect(textOf(hidden)).toBe(textOf(shown));
    },
  );

  test('[C-46] reasoning.exclude false hides nothing, other values are refused', async () => {
    const { message } = await lossless(
      stand,
      ask({ model: COMPATIBLE_THINKER, messages: messages('reasoning'), reasoning: { exclude: false } }),
    );
    expect(message['reasoning_content']).toMatch(/\S/);
    await refused(stand, ask({ reasoning: { exclude: 'x' } }), 'reasoning.exclude');
  });
});
