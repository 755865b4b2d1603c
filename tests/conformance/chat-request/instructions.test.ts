/** System and developer messages, and names on messages. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelAt, peculiarHosts } from '../../support/chat-hosts.ts';
import { ask, COMPATIBLE, lossless, lossy, OPENAI, refused, talk, user } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: peculiarHosts });
});
afterAll(() => stand.close());

const IMAGE = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
const PARTS = [
  { type: 'text', text: 'Be brief.' },
  { type: 'text', text: 'Be kind.' },
];

describe.each([
  ['C-61', 'developer'],
  ['C-62', 'system'],
])('[%s] %s message', (id, role) => {
  test.each([
    ['a text', 'Be brief.', {}],
    ['text parts', PARTS, {}],
    ['one text part', PARTS.slice(0, 1), {}],
    ['a name', 'Be brief.', { name: 'boss' }],
  ])(`[${id}] a message with %s is an instruction upstream`, async (_case, content, members) => {
    const message = { role, content, ...members };
    expect((await lossless(stand, talk(message, user('x')))).sent['messages']).toEqual([message, user('x')]);
    const elsewhere = await lossless(stand, ask({ model: COMPATIBLE, messages: [message, user('x')] }));
    expect(elsewhere.sent['messages']).toEqual([{ ...message, role: 'system' }, user('x')]);
  });

  test(`[${id}] a message in the middle of the conversation keeps its place`, async () => {
    const messages = [user('a'), { role: 'assistant', content: 'b' }, { role, content: 'Be brief.' }, user('c')];
    const { sent } = await lossless(stand, ask({ model: COMPATIBLE, messages }));
    expect(sent['messages']).toEqual(
      messages.map((message) => (message['role'] === role ? { ...message, role: 'system' } : message)),
    );
  });

  test.each([
    ['an image part', { content: [PARTS[0], IMAGE] }, 'content[1]'],
    ['a refusal part', { content: [{ type: 'refusal', refusal: 'no' }] }, 'content[0]'],
    ['no content', {}, 'content'],
    ['null as content', { content: null }, 'content'],
    ['a number as content', { content: 5 }, 'content'],
    ['no parts', { content: [] }, 'content'],
    ['a name that is no text', { content: 'x', name: 5 }, 'name'],
  ])(`[${id}] with %s is refused`, (_case, members, place) =>
    refused(stand, talk({ role, ...members }, user('x')), `messages[0].${place}`),
  );
});

test('[C-61] [C-62] a host that takes only one instruction gets all of them joined into one', async () => {
  const messages = [{ role: 'system', content: 'One.' }, { role: 'developer', content: 'Two.' }, user('x')];
  const { sent } = await lossless(stand, ask({ model: modelAt('instruction-host'), messages }));
  expect(sent['messages']).toEqual([
    {
      role: 'system',
      content: [
        { type: 'text', text: 'One.' },
        { type: 'text', text: 'Two.' },
      ],
    },
    user('x'),
  ]);
});

describe('names', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const conversation = (name: unknown) => [
    { role: 'system', content: 's', name },
    user('a', { name }),
    { role: 'assistant', content: 'b', name },
    user('c'),
  ];

  test('[C-84] the name of each message is forwarded', async () => {
    expect((await lossless(stand, talk(...conversation('ada')))).sent['messages']).toEqual(conversation('ada'));
    expect((await lossless(stand, ask({ model: COMPATIBLE, messages: conversation('ada') }))).sent['messages']).toEqual(
      conversation('ada'),
    );
  });

  test('[C-84] names are dropped for a target without them, and reported once', async () => {
    const { sent } = await lossy(
      stand,
      ask({ model: modelAt('nameless-host'), messages: conversation('ada') }),
      'messages.name',
    );
    expect(sent['messages']).toEqual(conversation(undefined).map(({ role, content }) => ({ role, content })));
  });

  test.each([
    ['a strict home', OPENAI],
    ['a host without names', modelAt('nameless-host')],
  ])('[C-84] a null name counts as absent for %s', async (_case, model) => {
    const { sent } = await lossless(stand, ask({ model, messages: conversation(null) }));
    expect(sent['messages']).toEqual(conversation(undefined).map(({ role, content }) => ({ role, content })));
  });

  test.each([
    ['system', { role: 'system', content: 'x', name: 5 }],
    ['user', user('x', { name: 5 })],
    ['assistant', { role: 'assistant', content: 'x', name: [] }],
  ])('[C-84] a name that is not a string on a %s message is refused', (_role, message) =>
    refused(stand, talk(user('x'), message), 'messages[1].name'),
  );

  test('[C-84] a name that is not a string on a tool message is refused', () =>
    refused(
      stand,
      talk(
        user('x'),
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'x', name: {} },
      ),
      'messages[2].name',
    ));
});
