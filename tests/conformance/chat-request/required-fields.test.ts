/** What every chat request must have, and what it may have besides. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, COMPATIBLE, lossless, OPENAI, refused, served, talk, user } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

test('[C-01] a minimal body is served, and only the model name changes on the way', async () => {
  const { reply, sent, losses, message } = await served(stand, ask());
  expect(reply.json).toMatchObject({ object: 'chat.completion', model: OPENAI });
  expect(message).toMatchObject({ role: 'assistant', content: expect.stringContaining('Hello') });
  expect(sent).toEqual({ model: 'gpt-4o', messages: [user('Hello')] });
  expect(losses).toEqual([]);
});

describe('messages', () => {
  test.each([
    ['missing', { model: OPENAI }],
    ['null', ask({ messages: null })],
    ['an object', ask({ messages: {} })],
    ['a text', ask({ messages: 'x' })],
    ['empty', ask({ messages: [] })],
  ])('[C-02] %s is refused', (_case, body) => refused(stand, body, 'messages'));

  test.each([
    ['a text', 'x'],
    ['null', null],
    ['a list', [user('x')]],
  ])('[C-02] a message that is %s is refused at its place', (_case, message) =>
    refused(stand, talk(user('x'), message), 'messages[1]'),
  );

  test('[C-02] a list of several messages is served in order', async () => {
    const messages = [user('one'), { role: 'assistant', content: 'two' }, user('three')];
    expect((await served(stand, talk(...messages))).sent['messages']).toEqual(messages);
  });
});

describe('model', () => {
  test.each([
    ['missing', { messages: [user('x')] }],
    ['null', ask({ model: null })],
    ['a number', ask({ model: 5 })],
    ['empty', ask({ model: '' })],
  ])('[C-03] %s is refused', (_case, body) => refused(stand, body, 'model'));

  test('[C-03] a model name that is a string is served', async () => {
    expect((await served(stand, ask({ model: COMPATIBLE }))).sent['model']).toBe('any');
  });
});

describe('unknown fields', () => {
  test('[C-60] unknown fields reach a target of the same dialect unchanged, which is no loss', async () => {
    const body = ask({ model: COMPATIBLE, foo: 1, top_k: 40, nested: { a: [1, { b: null }] } });
    const { sent } = await lossless(stand, body);
    expect(sent).toMatchObject({ foo: 1, top_k: 40, nested: { a: [1, { b: null }] } });
  });

  test('[C-60] unknown fields are kept where the request has to be rebuilt, too', async () => {
    const { sent } = await lossless(
      stand,
      ask({ model: COMPATIBLE, foo: 1, messages: [{ role: 'developer', content: 'Be brief.' }, user('x')] }),
    );
    expect(sent['foo']).toBe(1);
  });
});

test.each([
  ['another role', 'bot'],
  ['no text', 5],
  ['missing', undefined],
])('[C-83] a message with role %s is refused', (_case, role) =>
  refused(stand, talk(user('x'), { role, content: 'x' }), 'messages[1].role'),
);

test('[C-83] every role of the format is served', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const messages = [
    { role: 'system', content: 'a' },
    { role: 'developer', content: 'b' },
    user('c'),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'd' },
  ];
  expect((await served(stand, talk(...messages))).sent['messages']).toEqual(messages);
});
