/** Earlier answers given back as history: text, refusals, calls and thinking. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, COMPATIBLE, type Json, lossless, OPENAI, refused, talk, user } from '../../support/chat-probe.ts';
import { openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const call = (members: Json = {}, id: unknown = 'call_1') => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{}', ...members },
});
const result = { role: 'tool', tool_call_id: 'call_1', content: 'done' };
const assistant = (members: Json): Json => ({ role: 'assistant', ...members });
/** A conversation; the message under test is the second. */
const following = (message: Json, ...more: Json[]): Json[] => [
  user('a'),
  message,
  ...(more.length > 0 ? more : [user('b')]),
];
const messagesAt = async (model: string, messages: readonly Json[]): Promise<unknown> =>
  (await lossless(stand, ask({ model, messages }))).sent['messages'];

describe('content', () => {
  test.each([
    ['none of content, tool_calls and function_call', {}],
    ['null alone', { content: null }],
    ['null beside an empty list of calls', { content: null, tool_calls: [] }],
    ['null beside null', { content: null, tool_calls: null, function_call: null }],
    ['a number', { content: 5 }],
  ])('[C-70] assistant content is refused: %s', (_case, members) =>
    refused(stand, talk(...following(assistant(members))), 'messages[1].content'),
  );

  test.each([
    ['null', { content: null, tool_calls: [call()] }],
    ['absent', { tool_calls: [call()] }],
    ['text', { content: 'Calling.', tool_calls: [call()] }],
  ])('[C-70] assistant content that is %s beside tool_calls is served', async (_case, members) => {
    expect(await messagesAt(OPENAI, following(assistant(members), result))).toEqual(
      following(assistant(members), result),
    );
  });

  test('[C-70] null content beside function_call is served', async () => {
    const messages = following(assistant({ content: null, function_call: { name: 'f', arguments: '{}' } }), {
      role: 'function',
      name: 'f',
      content: 'done',
    });
    await lossless(stand, talk(...messages));
  });

  test.each([
    ['text', 'Hello.'],
    [
      'text parts',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
    ['one refusal part', [{ type: 'refusal', refusal: 'No.' }]],
  ])('[C-71] assistant content that is %s is forwarded unchanged', async (_case, content) => {
    expect(await messagesAt(OPENAI, following(assistant({ content })))).toEqual(following(assistant({ content })));
  });

  test.each([
    [
      'two refusal parts',
      [
        { type: 'refusal', refusal: 'a' },
        { type: 'refusal', refusal: 'b' },
      ],
      'content',
    ],
    ['an image part', [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }], 'content[0]'],
    ['a refusal part without text', [{ type: 'refusal' }], 'content[0].refusal'],
  ])('[C-71] assistant content that is %s is refused', (_case, content, place) =>
    refused(stand, talk(...following(assistant({ content }))), `messages[1].${place}`),
  );

  test('[C-71] a refusal part survives a rebuilt request', async () => {
    const message = assistant({ content: [{ type: 'refusal', refusal: 'No.' }] });
    const rebuilt = (await messagesAt(COMPATIBLE, [
      { role: 'developer', content: 'x' },
      ...following(message),
    ])) as Json[];
    expect(JSON.stringify(rebuilt[2])).toContain('"refusal":"No."');
  });

  test.each([['No.'], [null]])('[C-72] refusal %j is served', async (refusal) => {
    expect(await messagesAt(OPENAI, following(assistant({ content: 'x', refusal })))).toMatchObject([
      {},
      { content: 'x', ...(refusal !== null && { refusal }) },
      {},
    ]);
  });

  test('[C-72] a refusal needs no content', async () => {
    expect(await messagesAt(OPENAI, following(assistant({ refusal: 'No.' })))).toMatchObject([
      {},
      { refusal: 'No.' },
      {},
    ]);
  });

  test.each([[5], [[]], [true]])('[C-72] refusal %j is refused', (refusal) =>
    refused(stand, talk(...following(assistant({ content: 'x', refusal }))), 'messages[1].refusal'),
  );

  test('[C-73] audio null is served', () =>
    lossless(stand, talk(...following(assistant({ content: 'x', audio: null })))));

  test.each([
    ['an id, which no target can look up,', { id: 'a' }, 'messages[1].audio'],
    ['no id', {}, 'messages[1].audio.id'],
    ['a text', 'a', 'messages[1].audio'],
  ])('[C-73] audio with %s is refused', (_case, audio, param) =>
    refused(stand, talk(...following(assistant({ content: 'x', audio }))), param),
  );
});

describe('tool calls', () => {
  const BYTES = '{ "b" : 1,\t"a": 12345678901234567890, "c":1.0e2,"é":"\\u00e9" }';

  test('[C-74] function calls in history are forwarded', async () => {
    const messages = following(assistant({ content: null, tool_calls: [call({ arguments: '{"x":1}' })] }), result);
    expect(await messagesAt(OPENAI, messages)).toEqual(messages);
    expect(await messagesAt(COMPATIBLE, [{ role: 'developer', content: 'x' }, ...messages])).toEqual([
      { role: 'system', content: 'x' },
      ...messages,
    ]);
  });

  test.each([
    ['arguments as an object', call({ arguments: {} }), 'function.arguments'],
    ['no arguments', { id: 'call_1', type: 'function', function: { name: 'f' } }, 'function.arguments'],
    ['no name', { id: 'call_1', type: 'function', function: { arguments: '{}' } }, 'function.name'],
    ['no function', { id: 'call_1', type: 'function' }, 'function'],
    ['no id', { type: 'function', function: { name: 'f', arguments: '{}' } }, 'id'],
    ['an empty id', call({}, ''), 'id'],
    ['an id that is no text', call({}, 5), 'id'],
    ['no type', { id: 'call_1', function: { name: 'f', arguments: '{}' } }, 'type'],
    ['another type', { id: 'call_1', type: 'x' }, 'type'],
  ])('[C-74] %s is refused', (_case, one, place) =>
    refused(stand, talk(...following(assistant({ tool_calls: [one] }), result)), `messages[1].tool_calls[0].${place}`),
  );

  test('[C-74] tool_calls that is not a list is refused', () =>
    refused(stand, talk(...following(assistant({ content: 'x', tool_calls: {} }))), 'messages[1].tool_calls'));

  test.each([[null], [[]]])('[C-74] tool_calls %j beside content counts as absent', async (tool_calls) => {
    expect(await messagesAt(OPENAI, following(assistant({ content: 'x', tool_calls })))).toEqual(
      following(assistant({ content: 'x' })),
    );
  });

  test.each([
    ['as it stands', OPENAI, []],
    ['in a rebuilt request', COMPATIBLE, [{ role: 'developer', content: 'x' }]],
  ])('[C-75] tool call arguments are kept byte for byte, %s', async (_case, model, before) => {
    const messages = [
      ...before,
      ...following(assistant({ content: null, tool_calls: [call({ arguments: BYTES })] }), result),
    ];
    const sent = (await messagesAt(model, messages)) as { tool_calls?: { function: { arguments: string } }[] }[];
    expect(sent.flatMap(({ tool_calls = [] }) => tool_calls.map((one) => one.function.arguments))).toEqual([BYTES]);
  });

  const custom = { id: 'call_1', type: 'custom', custom: { name: 'write', input: 'free  text' } };

  test('[C-76] custom tool calls in history are forwarded to a target that supports them', async () => {
    const messages = following(assistant({ content: null, tool_calls: [custom] }), result);
    expect(await messagesAt(OPENAI, messages)).toEqual(messages);
  });

  test('[C-76] custom tool calls in history are calls of the function that stands for the tool elsewhere', async () => {
    const messages = following(assistant({ content: null, tool_calls: [custom] }), result);
    const [, called] = (await messagesAt(COMPATIBLE, messages)) as { tool_calls?: unknown }[];
    const stands = { name: 'write', arguments: '{"input":"free  text"}' };
    expect(called?.tool_calls).toEqual([{ id: 'call_1', type: 'function', function: stands }]);
  });

  test.each([
    ['no input', { name: 'write' }, 'custom.input'],
    ['no name', { input: 'x' }, 'custom.name'],
  ])('[C-76] a custom call with %s is refused', (_case, value, place) =>
    refused(
      stand,
      talk(...following(assistant({ tool_calls: [{ id: 'call_1', type: 'custom', custom: value }] }), result)),
      `messages[1].tool_calls[0].${place}`,
    ),
  );

  test('[C-77] a legacy function_call becomes a tool call with a generated id', async () => {
    const messages = following(
      assistant({ content: null, function_call: { name: 'f', arguments: BYTES } }),
      { role: 'function', name: 'f', content: 'done' },
      user('b'),
    );
    const [, made, answer] = (await messagesAt(OPENAI, messages)) as [Json, { tool_calls: { id: string }[] }, Json];
    expect(made).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: expect.stringMatching(/\S/), type: 'function', function: { name: 'f', arguments: BYTES } }],
    });
    expect(answer).toMatchObject({ role: 'tool', tool_call_id: made.tool_calls[0]?.id, content: 'done' });
  });

  test('[C-77] two legacy function_calls get two different ids', async () => {
    const turn = (name: string) => [
      assistant({ content: null, function_call: { name, arguments: '{}' } }),
      { role: 'function', name, content: name },
    ];
    const sent = (await messagesAt(OPENAI, [user('a'), ...turn('f'), ...turn('g')])) as {
      tool_calls?: { id: string }[];
      tool_call_id?: string;
    }[];
    const made = sent.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    expect(new Set(made).size).toBe(2);
    expect(sent.flatMap(({ tool_call_id = [] }) => tool_call_id)).toEqual(made);
  });

  test.each([
    ['no name', { arguments: '{}' }, 'messages[1].function_call.name'],
    ['arguments as an object', { name: 'f', arguments: {} }, 'messages[1].function_call.arguments'],
    ['no object', 'f', 'messages[1].function_call'],
  ])('[C-77] a function_call with %s is refused', (_case, function_call, param) =>
    refused(stand, talk(...following(assistant({ content: 'x', function_call }))), param),
  );
});
