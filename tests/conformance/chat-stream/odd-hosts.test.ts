// CS: host streams outside the simulator's scenarios.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CANNED_LANES, openCannedStand } from '../../support/canned-stand.ts';
import { type CannedStand, streamedAnswer } from '../../support/canned-upstream.ts';
import { assemble, type StreamReply, streamChat } from '../../support/chat-stream.ts';
import { asking } from '../../support/lanes.ts';

let stand: CannedStand;
beforeAll(async () => {
  stand = await openCannedStand();
});
afterAll(() => stand.close());

const chunk = (delta: object, choice: object = {}): object => ({
  id: 'up-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'any',
  choices: [{ index: 0, delta, finish_reason: null, ...choice }],
});
const STOP = chunk({}, { finish_reason: 'stop' });

describe.each(CANNED_LANES)('$lane lane', (road) => {
  const stream = (chunks: readonly (object | string)[], extra: object = {}): Promise<StreamReply> => {
    stand.say(streamedAnswer([...chunks, '[DONE]']));
    return streamChat(stand, asking(road, '', extra));
  };

  test('[CS-03] callers see one id, time and model in all chunks, whatever the host sends', async () => {
    const bare = (delta: object, finish: string | null = null) => ({
      id: String(Math.random()),
      choices: [{ delta, finish_reason: finish }],
    });
    const { chunks } = await stream([bare({ content: 'a' }), bare({ content: 'b' }), bare({}, 'stop')]);
    expect(stand.records.at(-1)?.lane).toBe(road.lane);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(['chat.completion.chunk']));
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set([road.model]));
    expect(new Set(chunks.map(({ created }) => created)).size).toBe(1);
    expect(chunks.every(({ choices }) => choices[0]?.index === 0)).toBe(true);
    expect(assemble(chunks)).toMatchObject({ content: 'ab', finishes: ['stop'] });
  });

  test('[CS-04] the first chunk has the role, whether the host sends it never, late or in every chunk', async () => {
    for (const [first, second] of [
      [{}, {}],
      [{}, { role: 'assistant' }],
      [{ role: 'assistant' }, { role: 'assistant' }],
    ]) {
      const { chunks } = await stream([chunk({ ...first, content: 'a' }), chunk({ ...second, content: 'b' }), STOP]);
      expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
      expect(assemble(chunks).content).toBe('ab');
    }
  });

  test('[CS-06] signed reasoning keeps its signature', async () => {
    const detail = { type: 'reasoning.text', signature: 'c2lnbmVk', format: 'unknown', index: 0 };
    const { chunks } = await stream([
      chunk({ role: 'assistant', reasoning: 'Because.' }),
      chunk({ reasoning_details: [detail] }),
      chunk({ content: 'Yes.' }),
      STOP,
    ]);
    const details = chunks.flatMap(({ choices }) => choices[0]?.delta.reasoning_details ?? []);
    const expected = road.lane === 'verbatim' ? 'c2lnbmVk' : expect.stringMatching(/^VFJWM/);
    expect(details.flatMap(({ signature }) => signature ?? [])).toEqual([expected]);
    expect(assemble(chunks)).toMatchObject({ reasoning: 'Because.', content: 'Yes.' });
    const hidden = await stream([chunk({ reasoning_details: [detail] }), chunk({ content: 'Yes.' }), STOP], {
      reasoning: { exclude: true },
    });
    expect(hidden.text).not.toMatch(/c2lnbmVk|VFJWM/);
    expect(assemble(hidden.chunks).content).toBe('Yes.');
  });

  test('[CS-07] a call sent in one chunk begins with a chunk without arguments', async () => {
    const whole = { id: 'c1', function: { name: 'f', arguments: '{"a":1}' } };
    const { chunks } = await stream([
      chunk({ role: 'assistant', tool_calls: [whole] }),
      chunk({}, { finish_reason: 'stop' }),
    ]);
    const fragments = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(fragments).toEqual([
      { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{"a":1}' } },
    ]);
    expect(assemble(chunks).finishes).toEqual(['tool_calls']);
  });

  test('[CS-08] several call fragments in one chunk stay separate', async () => {
    const opening = (index: number) => ({
      index,
      id: `c${index}`,
      type: 'function',
      function: { name: `f${index}`, arguments: '' },
    });
    const more = (index: number) => ({ index, function: { arguments: `{"n":${index}}` } });
    const { chunks } = await stream([
      chunk({ role: 'assistant', tool_calls: [opening(0), opening(1)] }),
      chunk({ tool_calls: [more(1), more(0)] }),
      chunk({}, { finish_reason: 'tool_calls' }),
    ]);
    expect(assemble(chunks).calls).toEqual([
      { id: 'c0', name: 'f0', arguments: '{"n":0}' },
      { id: 'c1', name: 'f1', arguments: '{"n":1}' },
    ]);
  });

  test('[CS-09] a repeated finish reason is sent once, and an empty one is ignored', async () => {
    const { chunks } = await stream([chunk({ content: 'a' }, { finish_reason: '' }), STOP, STOP]);
    expect(assemble(chunks).finishes.filter((finish) => finish !== '')).toEqual(['stop']);
    expect(chunks[0]?.choices[0]?.finish_reason).toBeNull();
  });

  test('[CR-07] finish reason function_call passes unchanged on the verbatim lane and is never sent on the translated one', async () => {
    const call = { name: 'f', arguments: '{}' };
    const { chunks } = await stream([chunk({ function_call: call }), chunk({}, { finish_reason: 'function_call' })]);
    expect(assemble(chunks).finishes).toEqual([road.lane === 'verbatim' ? 'function_call' : 'tool_calls']);
  });

  test('[CS-12] log probabilities that were not requested are not returned', async () => {
    const logprobs = { content: [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [] }], refusal: null };
    const said = [chunk({ role: 'assistant', content: 'a' }, { logprobs }), STOP];
    const unasked = await stream(said);
    expect(unasked.text).not.toContain('"token"');
    expect(assemble(unasked.chunks).content).toBe('a');
    const asked = await stream(said, { logprobs: true });
    expect(asked.chunks.flatMap(({ choices }) => choices[0]?.logprobs?.content ?? [])).toEqual(logprobs.content);
  });

  test('[CS-13] a finish reason that means failure is an error', async () => {
    const reply = await stream([chunk({ role: 'assistant', content: 'a' }), chunk({}, { finish_reason: 'error' })]);
    expect(reply.text).not.toContain('[DONE]');
    if (reply.status === 200) expect(reply.chunks.at(-1)?.error?.type).toBe('server_error');
    else expect(reply.status).toBe(502);
  });
});
