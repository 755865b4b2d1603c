/** Sampling parameters: what is accepted, what is refused, what reaches the model. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelAt, peculiarHosts } from '../../support/chat-hosts.ts';
import {
  ask,
  COMPATIBLE,
  COMPATIBLE_THINKER,
  lossless,
  lossy,
  OPENAI_THINKER,
  refused,
  served,
  user,
} from '../../support/chat-probe.ts';
import { OWN, responsesHosts } from '../../support/responses-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({
    alsoHosts: (url) => {
      const [own, others] = [peculiarHosts(url), responsesHosts(url)];
      return {
        providers: { ...own.providers, ...others.providers },
        models: [...(own.models ?? []), ...(others.models ?? [])],
      };
    },
  });
});
afterAll(() => stand.close());

describe('max_completion_tokens', () => {
  test('[C-04] max_completion_tokens is the cap upstream, under the host’s own name', async () => {
    expect((await lossless(stand, ask({ max_completion_tokens: 10 }))).sent).toMatchObject({
      max_completion_tokens: 10,
    });
    const { sent } = await lossless(stand, ask({ model: COMPATIBLE, max_completion_tokens: 10 }));
    expect(sent).toMatchObject({ max_tokens: 10 });
    expect(sent).not.toHaveProperty('max_completion_tokens');
  });

  test.each([
    ['null', { max_completion_tokens: null }],
    ['absent', {}],
  ])('[C-04] max_completion_tokens that is %s sends no cap', async (_case, members) => {
    const { sent } = await lossless(stand, ask(members));
    expect(sent).not.toHaveProperty('max_completion_tokens');
    expect(sent).not.toHaveProperty('max_tokens');
  });

  test.each([['10'], [1.5], [0], [-1], [true], [[10]]])('[C-04] max_completion_tokens %j is refused', (value) =>
    refused(stand, ask({ max_completion_tokens: value }), 'max_completion_tokens'),
  );

  test('[C-04] a cap above the model’s maximum is lowered and reported', async () => {
    const { sent } = await lossy(stand, ask({ max_completion_tokens: 16_385 }), 'max_completion_tokens');
    expect(sent['max_completion_tokens']).toBe(16_384);
    expect((await lossless(stand, ask({ max_completion_tokens: 16_384 }))).sent['max_completion_tokens']).toBe(16_384);
  });

  test('[C-05] the cap covers reasoning: a reasoning model gets it as the limit of all output', async () => {
    expect(
      (await lossless(stand, ask({ model: OPENAI_THINKER, max_completion_tokens: 100 }))).sent['max_completion_tokens'],
    ).toBe(100);
    expect(
      (await lossless(stand, ask({ model: COMPATIBLE_THINKER, max_completion_tokens: 100 }))).sent['max_tokens'],
    ).toBe(100);
  });

  test('[C-05] reasoning tokens count towards the cap', async () => {
    const messages = [user('Think. @simulate scenario=reasoning')];
    const { reply, message } = await served(
      stand,
      ask({ model: COMPATIBLE_THINKER, messages, max_completion_tokens: 5 }),
    );
    expect(reply.json).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 5 } });
    expect(message['content'] ?? '').toBe('');
  });
});

describe('temperature', () => {
  test.each([0, 0.7, 2])('[C-06] temperature %d is forwarded', async (temperature) => {
    expect((await lossless(stand, ask({ temperature }))).sent['temperature']).toBe(temperature);
  });

  test.each([
    ['above the format', 'openai/gpt-4o', 3.5, 2],
    ['above the host', modelAt('cool-host'), 1.8, 1],
  ])(
    '[C-06] a temperature above the range (%s) is lowered to the target’s maximum, and reported',
    async (_case, model, temperature, lowered) => {
      expect((await lossy(stand, ask({ model, temperature }), 'temperature')).sent['temperature']).toBe(lowered);
    },
  );

  test.each([
    ['google/gemini-2.5-flash', 'generationConfig'],
    [OWN, undefined],
  ])('[C-06] a temperature above 2 is lowered at %s, and reported', async (model, member) => {
    const { sent } = await lossy(stand, ask({ model, temperature: 3.5 }), 'temperature');
    expect((member === undefined ? sent : (sent[member] as Record<string, unknown>))['temperature']).toBe(2);
  });

  test('[C-06] a model with a fixed temperature gets none, and the loss is reported', async () => {
    expect(
      (await lossy(stand, ask({ model: OPENAI_THINKER, temperature: 0.5 }), 'temperature')).sent,
    ).not.toHaveProperty('temperature');
  });

  test.each([['1'], [true], [[1]], [{}]])('[C-06] temperature %j is refused', (temperature) =>
    refused(stand, ask({ temperature }), 'temperature'),
  );

  test('[C-06] an absent or null temperature is not sent', async () => {
    expect((await lossless(stand, ask())).sent).not.toHaveProperty('temperature');
    expect((await lossless(stand, ask({ temperature: null }))).sent).not.toHaveProperty('temperature');
  });
});

describe('top_p', () => {
  test('[C-07] top_p is forwarded; absent or null, it is not sent', async () => {
    expect((await lossless(stand, ask({ top_p: 0.5 }))).sent['top_p']).toBe(0.5);
    expect((await lossless(stand, ask())).sent).not.toHaveProperty('top_p');
    expect((await lossless(stand, ask({ top_p: null }))).sent).not.toHaveProperty('top_p');
  });

  test.each([['1'], [false], [[0.5]]])('[C-07] top_p %j is refused', (top_p) =>
    refused(stand, ask({ top_p }), 'top_p'),
  );

  test('[C-07] a model with a fixed top_p gets none, and the loss is reported', async () => {
    expect((await lossy(stand, ask({ model: OPENAI_THINKER, top_p: 0.5 }), 'top_p')).sent).not.toHaveProperty('top_p');
  });
});

describe('n', () => {
  test('[C-08] n null counts as one', async () => {
    const { reply, sent } = await lossless(stand, ask({ n: null }));
    expect(sent).not.toHaveProperty('n');
    expect(reply.json['choices']).toHaveLength(1);
  });

  test.each([['1'], [1.5], [true]])('[C-08] n %j is refused', (n) => refused(stand, ask({ n }), 'n'));
});

describe.each([
  ['C-09', 'frequency_penalty'],
  ['C-10', 'presence_penalty'],
])('[%s] %s', (id, field) => {
  test.each([-2, 0, 0.5, 2])(`[${id}] %d is forwarded`, async (value) => {
    expect((await lossless(stand, ask({ [field]: value }))).sent[field]).toBe(value);
  });

  test(`[${id}] null or absent, it is not sent`, async () => {
    expect((await lossless(stand, ask({ [field]: null }))).sent).not.toHaveProperty(field);
    expect((await lossless(stand, ask())).sent).not.toHaveProperty(field);
  });

  test.each([[2.01], [-2.01], ['0'], [true]])(`[${id}] %j is refused`, (value) =>
    refused(stand, ask({ [field]: value }), field),
  );

  test(`[${id}] a target without penalties gets none, and the loss is reported`, async () => {
    const { sent } = await lossy(stand, ask({ model: modelAt('penalty-free-host'), [field]: 1 }), field);
    expect(sent).not.toHaveProperty(field);
  });
});
