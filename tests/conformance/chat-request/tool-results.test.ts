/** Tool results, in the current and in the legacy form. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelAt, peculiarHosts } from '../../support/chat-hosts.ts';
import { ask, COMPATIBLE, type Json, lossless, refused, talk, user } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: peculiarHosts });
});
afterAll(() => stand.close());

const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const called = (...ids: string[]): Json => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (members: Json = {}): Json => ({ role: 'tool', tool_call_id: 'call_1', content: 'done', ...members });
const legacy = (members: Json = {}): Json => ({ role: 'function', name: 'f', content: 'done', ...members });
const legacyCall = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } };

describe('tool messages', () => {
  test('tool messages stay matched to their calls on a host with another format of call ids', async () => {
    const id = 'call_of_a_long_form';
    const messages = [user('a'), called(id), result({ tool_call_id: id })];
    const { sent } = await lossless(stand, { ...talk(...messages), model: modelAt('short-id-host') });
    const [, assistant, answer] = sent['messages'] as [Json, { tool_calls: { id: string }[] }, Json];
    expect(assistant.tool_calls[0]?.id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(answer['tool_call_id']).toBe(assistant.tool_calls[0]?.id);
  });

  test('[C-80] tool messages answer earlier calls, in any order', async () => {
    const messages = [
      user('a'),
      called('call_1', 'call_2'),
      result({ tool_call_id: 'call_2', content: 'two' }),
      result({ content: 'one' }),
    ];
    expect((await lossless(stand, talk(...messages))).sent['messages']).toEqual(messages);
  });

  test.each([
    ['without tool_call_id', { tool_call_id: undefined }, 'tool_call_id'],
    ['with an empty tool_call_id', { tool_call_id: '' }, 'tool_call_id'],
    ['with a number as tool_call_id', { tool_call_id: 5 }, 'tool_call_id'],
    ['for an unknown call', { tool_call_id: 'call_9' }, 'tool_call_id'],
    ['without content', { content: undefined }, 'content'],
    ['with null as content', { content: null }, 'content'],
  ])('[C-80] tool messages %s are refused', (_case, members, place) =>
    refused(stand, talk(user('a'), called('call_1'), result(members)), `messages[2].${place}`),
  );

  test('[C-80] tool messages before the call they answer are refused', () =>
    refused(stand, talk(user('a'), result(), called('call_1')), 'messages[1].tool_call_id'));

  test.each([
    ['a text', 'done'],
    ['an empty text', ''],
    ['one text part', [{ type: 'text', text: 'done' }]],
    [
      'text parts',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
  ])('[C-81] tool messages may hold %s', async (_case, content) => {
    for (const model of ['openai/gpt-4o', COMPATIBLE]) {
      const messages = [user('a'), called('call_1'), result({ content })];
      expect((await lossless(stand, ask({ model, messages }))).sent['messages']).toEqual(messages);
    }
  });

  test('[C-81] tool messages may have a name, which is forwarded on both lanes', async () => {
    for (const before of [[], [{ role: 'developer', content: 'x' }]]) {
      const messages = [...before, user('a'), called('call_1'), result({ name: 'f' })];
      const { sent } = await lossless(stand, ask({ model: COMPATIBLE, messages }));
      expect((sent['messages'] as Json[]).at(-1)).toEqual(result({ name: 'f' }));
    }
  });

  test.each([
    ['an image part', [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }], 'content[0]'],
    ['a number', 5, 'content'],
    ['no parts', [], 'content'],
  ])('[C-81] tool messages with %s are refused', (_case, content, place) =>
    refused(stand, talk(user('a'), called('call_1'), result({ content })), `messages[2].${place}`),
  );
});

describe('function messages', () => {
  test.each(['openai/gpt-4o', COMPATIBLE])(
    '[C-82] function messages after a function_call are tool results upstream (%s)',
    async (model) => {
      const { sent } = await lossless(stand, ask({ model, messages: [user('a'), legacyCall, legacy(), user('b')] }));
      const [, made, answer] = sent['messages'] as [Json, { tool_calls: { id: string }[] }, Json];
      expect(answer).toMatchObject({ role: 'tool', tool_call_id: made.tool_calls[0]?.id, content: 'done' });
    },
  );

  test('[C-82] a function message with null content is an empty result', async () => {
    const { sent } = await lossless(stand, talk(user('a'), legacyCall, legacy({ content: null })));
    expect((sent['messages'] as Json[])[2]).toMatchObject({ role: 'tool', content: '' });
  });

  test.each([
    ['without name', { name: undefined }, 'messages[2].name'],
    ['with an empty name', { name: '' }, 'messages[2].name'],
    ['without content', { content: undefined }, 'messages[2].content'],
    ['with a number as content', { content: 5 }, 'messages[2].content'],
  ])('[C-82] function messages %s are refused', (_case, members, param) =>
    refused(stand, talk(user('a'), legacyCall, legacy(members)), param),
  );

  test('[C-82] function messages without a function_call before them are refused', () =>
    refused(stand, talk(user('a'), legacy()), 'messages[1]'));
});
