/** Stop sequences, token biases, log probabilities, verbosity and search: forwarded where supported, never dropped silently. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelAt, peculiarHosts } from '../../support/chat-hosts.ts';
import {
  ask,
  COMPATIBLE,
  framesOf,
  lossless,
  lossy,
  OPENAI_THINKER,
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

describe('stop', () => {
  test.each([
    ['a text', 'END'],
    ['a list', ['END', 'STOP']],
  ])('[C-11] stop that is %s is forwarded unchanged', async (_case, stop) => {
    expect((await lossless(stand, ask({ stop }))).sent['stop']).toEqual(stop);
  });

  test('[C-11] a null or absent stop is not sent', async () => {
    expect((await lossless(stand, ask({ stop: null }))).sent).not.toHaveProperty('stop');
    expect((await lossless(stand, ask())).sent).not.toHaveProperty('stop');
  });

  test.each([
    ['a number', 5, 'stop'],
    ['a list with a number', [1], 'stop'],
    ['an object', {}, 'stop'],
  ])('[C-11] stop that is %s is refused', (_case, stop, param) => refused(stand, ask({ stop }), param));

  test('[C-11] the gateway enforces all stop sequences when there are more than the target takes', async () => {
    const messages = [user('Count. @simulate scenario=stop-sequence')];
    for (const stop of [
      ['zzz', 'four'],
      ['four', 'zzz'],
    ]) {
      const { sent, message } = await lossless(stand, ask({ model: modelAt('one-stop-host'), messages, stop }));
      expect(sent).not.toHaveProperty('stop');
      expect(message['content']).toMatch(/^one two three\s*$/);
    }
    expect((await lossless(stand, ask({ model: modelAt('one-stop-host'), stop: ['a'] }))).sent['stop']).toEqual(['a']);
  });

  test('[C-12] the stop text is not in the output', async () => {
    const messages = [user('Count. @simulate scenario=stop-sequence')];
    const free = await served(stand, ask({ messages }));
    expect(free.message['content']).toMatch(/three four five/);
    const stopped = await served(stand, ask({ messages, stop: 'END' }));
    expect(stopped.message['content']).toMatch(/^one two three\s*$/);
    expect(stopped.reply.json).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    const streamed = await served(stand, ask({ messages, stop: ['END'], stream: true }));
    const text = framesOf(streamed.reply)
      .map((frame) => (frame['choices'] as { delta: { content?: string } }[])[0]?.delta.content ?? '')
      .join('');
    expect(text).toBe(stopped.message['content']);
  });

  test('[C-13] stop is not sent to a reasoning model that refuses it, and its answer still ends there', async () => {
    const messages = [user('Count. @simulate scenario=stop-sequence')];
    const asked = ask({ model: OPENAI_THINKER, messages, stop: 'four' });
    const { sent, message, reply } = await lossless(stand, asked);
    expect(sent).not.toHaveProperty('stop');
    expect(message['content']).toMatch(/^one two three\s*$/);
    expect(reply.json).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    const free = await served(stand, ask({ model: OPENAI_THINKER, messages }));
    expect(free.message['content']).toMatch(/three four five/);
  });
});

describe('logit_bias', () => {
  test.each([[{ '50256': -100 }], [{ '1': 100 }], [{}]])('[C-14] logit_bias %j is forwarded', async (logit_bias) => {
    expect((await lossless(stand, ask({ logit_bias }))).sent['logit_bias']).toEqual(logit_bias);
  });

  test.each([
    ['a value above 100', { '1': 101 }, 'logit_bias[1]'],
    ['a value below -100', { '1': -100.5 }, 'logit_bias[1]'],
    ['a text value', { '1': 'x' }, 'logit_bias[1]'],
    ['a list', [], 'logit_bias'],
    ['a number', 5, 'logit_bias'],
  ])('[C-14] logit_bias is refused: %s', (_case, logit_bias, param) => refused(stand, ask({ logit_bias }), param));

  test('[C-14] logit_bias null is not sent', async () => {
    expect((await lossless(stand, ask({ logit_bias: null }))).sent).not.toHaveProperty('logit_bias');
  });

  test('[C-14] a target without logit_bias gets none, and the loss is reported', async () => {
    expect(
      (await lossy(stand, ask({ model: COMPATIBLE, logit_bias: { '1': 1 } }), 'logit_bias')).sent,
    ).not.toHaveProperty('logit_bias');
  });
});

describe('logprobs', () => {
  test('[C-15] logprobs true is forwarded, and the answer has log probabilities', async () => {
    const { sent, reply } = await lossless(stand, ask({ logprobs: true }));
    expect(sent['logprobs']).toBe(true);
    const [choice] = reply.json['choices'] as { logprobs: { content: unknown[] } }[];
    expect(choice?.logprobs.content.length).toBeGreaterThan(0);
    expect(choice?.logprobs.content[0]).toMatchObject({ token: expect.any(String), logprob: expect.any(Number) });
  });

  test.each([[false], [null], [undefined]])(
    '[C-15] logprobs %j gives an answer without log probabilities',
    async (logprobs) => {
      const { reply } = await lossless(stand, ask({ logprobs }));
      expect((reply.json['choices'] as { logprobs?: unknown }[])[0]?.logprobs ?? null).toBeNull();
    },
  );

  test.each([['x'], [1], [{}]])('[C-15] logprobs %j is refused', (logprobs) =>
    refused(stand, ask({ logprobs }), 'logprobs'),
  );

  test('[C-16] top_logprobs is an integer, and forwarded', async () => {
    expect((await lossless(stand, ask({ logprobs: true, top_logprobs: 5 }))).sent['top_logprobs']).toBe(5);
    expect((await lossless(stand, ask({ logprobs: true, top_logprobs: null }))).sent).not.toHaveProperty(
      'top_logprobs',
    );
  });

  test.each([
    ['a fraction', { logprobs: true, top_logprobs: 1.5 }],
    ['a text', { logprobs: true, top_logprobs: '5' }],
    ['a number without logprobs', { top_logprobs: 5 }],
    ['a number with logprobs false', { logprobs: false, top_logprobs: 5 }],
    ['a number with logprobs null', { logprobs: null, top_logprobs: 0 }],
  ])('[C-16] %s is refused', (_case, members) => refused(stand, ask(members), 'top_logprobs'));

  test.each([
    ['a thinking model', OPENAI_THINKER],
    ['a host without them', modelAt('bias-free-host')],
  ])('[C-17] logprobs are refused for %s, which cannot provide them', async (_case, model) => {
    await refused(stand, ask({ model, logprobs: true }), 'logprobs');
    await refused(stand, ask({ model, logprobs: true, top_logprobs: 2 }), 'logprobs');
    await lossless(stand, ask({ model, logprobs: false }));
  });
});

describe('verbosity', () => {
  test.each(['low', 'medium', 'high'])(
    '[C-26] verbosity %s is forwarded, or reported as a loss where the model has none',
    async (verbosity) => {
      expect((await lossless(stand, ask({ model: OPENAI_THINKER, verbosity }))).sent['verbosity']).toBe(verbosity);
      expect((await lossy(stand, ask({ model: COMPATIBLE, verbosity }), 'verbosity')).sent).not.toHaveProperty(
        'verbosity',
      );
    },
  );

  test('[C-26] only verbosity medium is forwarded to a model of one length', async () => {
    const model = 'openai/gpt-4o-mini';
    for (const verbosity of ['low', 'high'])
      expect((await lossy(stand, ask({ model, verbosity }), 'verbosity')).sent).not.toHaveProperty('verbosity');
    expect((await lossless(stand, ask({ model, verbosity: 'medium' }))).sent['verbosity']).toBe('medium');
  });

  test.each([['max'], [''], [1]])('[C-26] verbosity %j is refused', (verbosity) =>
    refused(stand, ask({ verbosity }), 'verbosity'),
  );

  test('[C-26] verbosity null is not sent', async () => {
    expect((await lossless(stand, ask({ verbosity: null }))).sent).not.toHaveProperty('verbosity');
  });
});

describe('web_search_options', () => {
  test.each([[{}], [{ search_context_size: 'high' }]])(
    '[C-27] web_search_options %j turns search on where the target has it',
    async (web_search_options) => {
      expect((await lossless(stand, ask({ web_search_options }))).sent['web_search_options']).toEqual(
        web_search_options,
      );
    },
  );

  test('[C-27] web_search_options is a loss for a target without search', async () => {
    const { sent } = await lossy(stand, ask({ model: COMPATIBLE, web_search_options: {} }), 'web_search_options');
    expect(sent).not.toHaveProperty('web_search_options');
  });

  test.each([['x'], [5], [[]], [true]])('[C-27] web_search_options %j is refused', (web_search_options) =>
    refused(stand, ask({ web_search_options }), 'web_search_options'),
  );

  test('[C-27] web_search_options null means no search', async () => {
    expect((await lossless(stand, ask({ model: COMPATIBLE, web_search_options: null }))).sent).not.toHaveProperty(
      'web_search_options',
    );
  });
});
