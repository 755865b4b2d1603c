// CR: the whole answer, on both lanes, in the documented form.
import { type ScenarioName, scenarioNames } from '@trivium/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf } from '../../support/chat-answer.ts';
import { asking, LANES } from '../../support/lanes.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const TOOLS = {
  tools: [
    {
      type: 'function',
      function: {
        name: 'weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  ],
};

/** Scenarios that call tools need declared tools where the host checks for them. */
const extraFor = (scenario: ScenarioName): object =>
  scenario.startsWith('tool') || scenario === 'function-call-finish' || scenario === 'length-mid-arguments'
    ? TOOLS
    : {};

describe.each(LANES)('$lane lane', (road) => {
  const answer = (scenario: ScenarioName, extra: object = {}) =>
    answerOf(stand, asking(road, `scenario=${scenario}`, { ...extraFor(scenario), ...extra }));

  test('the request takes the lane under test', async () => {
    await answer('text-basic');
    expect(stand.records.at(-1)?.lane).toBe(road.lane);
  });

  test('[CR-01] the body is a chat.completion with the gateway’s own id and time', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { body, headers } = await answer('text-basic');
    expect(body.object).toBe('chat.completion');
    expect(body.id).toBe(`chatcmpl-${headers.get('x-request-id')}`);
    expect(body.id).toMatch(/^chatcmpl-.{10,}$/);
    expect(Number.isInteger(body.created)).toBe(true);
    expect(body.created).toBeGreaterThanOrEqual(before);
    expect(body.created).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
    expect(body.system_fingerprint === null || typeof body.system_fingerprint === 'string').toBe(true);
  });

  test.each(scenarioNames())('[CR-02] %s has exactly one choice, with index 0', async (scenario) => {
    const { body } = await answer(scenario);
    expect(body.choices).toHaveLength(1);
    expect(body.choices[0]?.index).toBe(0);
  });

  test.each([
    ['CR-03', 'text-basic', 'stop'],
    ['CR-04', 'length', 'length'],
    ['CR-05', 'content-filter', 'content_filter'],
  ] as const)('[%s] partly: a chat upstream’s %s finishes with %s', async (_rule, scenario, finish) => {
    expect((await answer(scenario)).choice.finish_reason).toBe(finish);
  });

  test.each(['tool-single', 'tools-parallel', 'tools-finish-stop', 'tools-with-text'] as const)(
    '[CR-06] %s finishes with tool_calls',
    async (scenario) => {
      expect((await answer(scenario)).choice.finish_reason).toBe('tool_calls');
    },
  );

  test('[CR-06] an answer without calls does not finish with tool_calls', async () => {
    expect((await answer('text-basic')).choice.finish_reason).toBe('stop');
  });

  test('[CR-08] an answer has no log probabilities unless the caller asks for them', async () => {
    const unasked = await answer('logprobs');
    expect(unasked.choice.logprobs ?? null).toBeNull();
    const asked = await answer('logprobs', { logprobs: true });
    expect(asked.choice.logprobs).toBeTypeOf('object');
    expect(asked.choice.logprobs).not.toBeNull();
  });

  test('[CR-09] requested log probabilities are complete', async () => {
    const { choice, message } = await answer('logprobs', { logprobs: true, top_logprobs: 2 });
    const tokens = choice.logprobs?.content ?? [];
    expect(tokens.map(({ token }) => token).join('')).toBe(message.content);
    for (const token of tokens) {
      for (const one of [token, ...token.top_logprobs]) {
        expect(one.token).toBeTypeOf('string');
        expect(one.logprob).toBeTypeOf('number');
        expect(one.bytes).toEqual([...Buffer.from(one.token)]);
      }
    }
  });

  test('[CR-11] log probabilities have as many alternatives as requested, and no more', async () => {
    const lengths = async (extra: object) =>
      new Set((await answer('logprobs', extra)).choice.logprobs?.content?.map((token) => token.top_logprobs.length));
    expect(await lengths({ logprobs: true, top_logprobs: 3 })).toEqual(new Set([3]));
    expect(await lengths({ logprobs: true })).toEqual(new Set([0]));
  });

  test('[CR-12] a log probability of -9999.0 is passed on', async () => {
    const { choice, text } = await answer('logprobs', { logprobs: true });
    expect(choice.logprobs?.content?.map(({ logprob }) => logprob)).toContain(-9999);
    if (road.lane === 'verbatim') expect(text).toContain('"logprob":-9999.0,');
  });

  test('[CR-13] the message has the role assistant, and its content is text or null', async () => {
    const said = (await answer('text-basic')).message;
    expect(said.role).toBe('assistant');
    expect(said.content).toContain('Where do three roads meet?');
    const called = (await answer('tool-single')).message;
    expect(called.role).toBe('assistant');
    expect(called.content).toBeNull();
    expect((await answer('empty-answer')).message.content).toBe('');
  });

  test('[CR-14] refusal is text when the model declines, else null', async () => {
    const declined = (await answer('refusal')).message;
    expect(declined.refusal).toBe('I cannot help with that request.');
    expect(declined.content).toBeNull();
    expect((await answer('text-basic')).message.refusal ?? null).toBeNull();
  });

  test('[CR-15] tool calls have id, type, name and arguments as text; without calls the key is absent', async () => {
    const { message } = await answer('tools-parallel');
    expect(message.tool_calls).toHaveLength(3);
    for (const call of message.tool_calls ?? []) {
      expect(Object.keys(call).sort()).toEqual(['function', 'id', 'type']);
      expect(call.id).not.toBe('');
      expect(call.type).toBe('function');
      expect(call.function.name).toBe('weather');
      expect(JSON.parse(call.function.arguments)).toHaveProperty('city');
    }
    expect(new Set(message.tool_calls?.map(({ id }) => id)).size).toBe(3);
    expect((await answer('text-basic')).message).not.toHaveProperty('tool_calls');
  });

  test('[CR-15] tool call arguments arrive byte for byte, big integers and spacing included', async () => {
    const { message } = await answer('tool-large-integers');
    expect(message.tool_calls?.[0]?.function.arguments).toBe(
      '{ "z_id" :12345678901234567890,"precise": 9007199254740993,  "a":[1e3, -0.0,1.50],"text":"\\u00e9\\/" }',
    );
    expect((await answer('tool-empty-arguments')).message.tool_calls?.[0]?.function.arguments).toBe('');
  });

  test.each(['reasoning', 'reasoning-field', 'reasoning-both-fields', 'reasoning-only'] as const)(
    '[CR-16] the reasoning of %s is given under both names',
    async (scenario) => {
      const { message } = await answer(scenario);
      expect(message.reasoning).toBe('The question is simple. I compare the options and pick the first.');
      expect(message.reasoning_content).toBe(message.reasoning);
    },
  );

  test('[CR-16] without reasoning, both names for it are absent', async () => {
    const { message } = await answer('text-basic');
    expect(message).not.toHaveProperty('reasoning');
    expect(message).not.toHaveProperty('reasoning_content');
  });

  test.each(['reasoning', 'reasoning-field', 'reasoning-both-fields'] as const)(
    '[CR-18] partly: reasoning.exclude removes every name of %s, and nothing else',
    async (scenario) => {
      const { message } = await answerOf(stand, {
        ...asking(road, `scenario=${scenario}`, { reasoning: { exclude: true } }),
        model: road.thinker,
      });
      expect(Object.keys(message).filter((name) => name.startsWith('reasoning'))).toEqual([]);
      expect(message.content).toBe('The first option is the better one.');
    },
  );

  test('[CR-19] usage has its totals and details', async () => {
    const { usage } = (await answer('cached-usage')).body;
    expect(usage).toMatchObject({
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 5 },
    });
    expect(stand.records.at(-1)?.reading?.usage).toEqual({
      prompt: 60,
      inputCacheRead: 40,
      completion: 15,
      internalReasoning: 5,
    });
  });

  test('[CR-20] partly: the answer has the caller’s model name, not the host’s', async () => {
    const { body } = await answer('text-basic');
    expect(body.model).toBe(road.model);
    expect(stand.simulator.truth.last()?.body).toMatchObject({ model: 'any' });
  });
});
