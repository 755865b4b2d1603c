/** What chat callers are answered, and what they may say without effect, at a host of each format. */
import { inputTokens, outputTokens } from '@trivium/protocol/canonical';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, HINTS, type Json, lossless, lossy, served, user } from '../../support/chat-probe.ts';
import { assemble, type StreamReply, streamChat } from '../../support/chat-stream.ts';
import { EVERY_DESTINATION, withConverse } from '../../support/converse-host.ts';
import { responsesHosts } from '../../support/responses-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: withConverse(responsesHosts) });
});
afterAll(() => stand.close());

const WEATHER = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } };
const play = (instruction: string): Json => ({
  messages: [user(`Where do three roads meet? @simulate ${instruction}`)],
});
const choicesOf = (json: Json): readonly Json[] => json['choices'] as Json[];

describe.each(EVERY_DESTINATION)('chat at $dialect', ({ model, thinker }) => {
  const stream = (instruction: string, members: Json = {}): Promise<StreamReply> =>
    streamChat(stand, { model, ...play(instruction), ...members });

  test.each(HINTS)('[%s] %j is accepted, not forwarded, and reported as a loss', async (_id, members) => {
    const [first = '', ...rest] = Object.keys(members);
    const { sent } = await lossy(stand, ask({ model, ...members }), first, ...rest);
    // The gateway itself forbids a Responses host to store; no value of the caller arrives.
    for (const [field, value] of Object.entries(members)) expect(sent[field]).not.toEqual(value);
  });

  test('[C-01][CR-01][CR-02] a minimal body is answered by a chat.completion with one choice', async () => {
    const { reply } = await lossless(stand, ask({ model }));
    expect(reply.json).toMatchObject({
      object: 'chat.completion',
      id: expect.stringMatching(/^chatcmpl-/),
      created: expect.any(Number),
    });
    expect(Number.isInteger(reply.json['created'])).toBe(true);
    expect(choicesOf(reply.json)).toHaveLength(1);
    expect(choicesOf(reply.json)[0]?.['index']).toBe(0);
  });

  test('[CR-06][CR-13][CR-15] calls of tools have their form, and finish as tool_calls', async () => {
    const called = await served(stand, ask({ model, tools: [WEATHER], ...play('scenario=tools-parallel') }));
    expect(choicesOf(called.reply.json)[0]?.['finish_reason']).toBe('tool_calls');
    expect(called.message).toMatchObject({ role: 'assistant', content: null });
    const calls = called.message['tool_calls'] as readonly Json[];
    expect(calls.length).toBeGreaterThan(1);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
    for (const call of calls)
      expect(call).toEqual({
        id: expect.stringMatching(/./),
        type: 'function',
        function: { name: expect.stringMatching(/./), arguments: expect.any(String) },
      });
    const { message } = await served(stand, ask({ model }));
    expect(message).toMatchObject({ role: 'assistant', content: expect.stringMatching(/\S/) });
    expect(message).not.toHaveProperty('tool_calls');
  });

  test('[CR-16] reasoning and reasoning_content are the same text, or both absent', async () => {
    const thinking = { reasoning: { effort: 'medium' }, ...play('scenario=reasoning') };
    const { message } = await served(stand, ask({ model: thinker, ...thinking }));
    expect(message['reasoning']).toMatch(/\S/);
    expect(message['reasoning_content']).toBe(message['reasoning']);
    const plain = await served(stand, ask({ model }));
    expect(plain.message['reasoning']).toBeUndefined();
    expect(plain.message['reasoning_content']).toBeUndefined();
  });

  test('[CS-01][CS-02] a stream has data lines and blank lines, and [DONE] last', async () => {
    const { text } = await stream('scenario=unicode');
    expect(text).toMatch(/^(?:data: \{[^\n\r]*\}\n\n)+data: \[DONE\]\n\n$/);
  });

  test('[CS-03][CS-04][CS-09] a stream has one id, time and model, the role first, and one finish reason', async () => {
    const { chunks } = await stream('scenario=text-basic');
    for (const name of ['object', 'id', 'created', 'model'] as const)
      expect(new Set(chunks.map((chunk) => chunk[name])).size).toBe(1);
    expect(chunks[0]).toMatchObject({ object: 'chat.completion.chunk', model });
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    const finishes = chunks.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason));
    expect(finishes.filter((finish) => finish !== null)).toEqual(['stop']);
    expect(finishes.at(-1)).toBe('stop');
  });

  test('[CS-05][CR-21] the pieces of a stream join to the text of the whole answer', async () => {
    const { reply, message } = await served(stand, ask({ model, ...play('scenario=unicode') }));
    const joined = assemble((await stream('scenario=unicode')).chunks);
    expect(joined).toMatchObject({ content: message['content'] });
    expect(choicesOf(reply.json)[0]?.['finish_reason']).toBe('stop');
  });

  test('[CS-07][CS-08] parallel calls have indexes of their own, and a first fragment that is complete', async () => {
    const { chunks } = await stream('scenario=tools-parallel', { tools: [WEATHER] });
    const fragments = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
    const indexes = [...new Set(fragments.map(({ index }) => index))];
    expect(indexes).toEqual([0, 1, 2]);
    for (const index of indexes) {
      const [first, ...later] = fragments.filter((fragment) => fragment.index === index);
      expect(first).toMatchObject({ id: expect.stringMatching(/./), type: 'function', function: { arguments: '' } });
      for (const fragment of later) expect(Object.keys(fragment).sort()).toEqual(['function', 'index']);
      const joined = later.map((fragment) => fragment.function?.arguments ?? '').join('');
      expect(JSON.parse(joined)).toEqual(expect.any(Object));
    }
  });

  test('[CS-10][CS-11] usage comes in a chunk of its own after the finish, and only if asked', async () => {
    const { chunks } = await stream('scenario=text-basic', { stream_options: { include_usage: true } });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    const unasked = await stream('scenario=text-basic', { stream_options: { include_usage: false } });
    expect(unasked.chunks.every(({ choices }) => choices.length === 1)).toBe(true);
    const { usage = {}, estimated } = stand.records.at(-1)?.bill ?? {};
    expect(estimated).toBe(false);
    expect(stand.simulator.truth.last()?.billed).toMatchObject({
      prompt: inputTokens(usage),
      completion: outputTokens(usage),
    });
  });

  test('[CS-14] a failure before the first event keeps its status', async () => {
    expect((await stream('status=503')).status).toBe(503);
  });
});
