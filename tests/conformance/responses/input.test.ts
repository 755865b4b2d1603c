/** R: model, input items and their parts, on the accepted and on the refused side. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  BARE_REASONING,
  CHAT,
  EVERY_MODEL,
  GOOGLE,
  inputText,
  type Json,
  lossless,
  lossy,
  MESSAGES,
  OWN,
  PDF,
  PIXEL,
  PIXEL_URL,
  play,
  post,
  refused,
  responsesHosts,
  served,
  user,
  WEATHER,
} from '../../support/responses-probe.ts';
import { KEY, openStand, type Stand } from '../../support/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ alsoHosts: responsesHosts });
});
afterAll(() => stand.close());

const messagesOf = (sent: Json): Json[] => sent['messages'] as Json[];

describe('model and input', () => {
  test.each([
    [OWN, 'gpt-4o'],
    [CHAT, 'gpt-4o'],
    [MESSAGES, 'claude-sonnet-4-5'],
  ])('[R-01] %s has its own name upstream and its full id in the answer', async (model, name) => {
    const { json, sent } = await lossless(stand, ask({ model }));
    expect(sent['model']).toBe(name);
    expect(json).toMatchObject({ object: 'response', status: 'completed', model });
  });
  test.each([undefined, '', 5, null])('[R-01] model %j is refused', async (model) => {
    await refused(stand, ask({ model }), 'model');
  });
  test('[R-02] a string input is one user message', async () => {
    expect((await lossless(stand, ask())).sent['input']).toBe('Hello');
    expect(messagesOf((await lossless(stand, ask({ model: CHAT }))).sent)).toEqual([
      { role: 'user', content: 'Hello' },
    ]);
    const list = await lossless(stand, ask({ model: CHAT, input: [{ role: 'user', content: 'Hello' }] }));
    expect(messagesOf(list.sent)).toEqual([{ role: 'user', content: 'Hello' }]);
  });
  test.each([[undefined], [[]], [5], [null], [{}]])('[R-02] input %j is refused', async (input) => {
    await refused(stand, ask({ input }), 'input');
  });
});

describe('roles and parts', () => {
  const conversation = (typed: Json) => [
    { ...typed, role: 'user', content: 'one' },
    { ...typed, role: 'assistant', content: 'two' },
    { ...typed, role: 'developer', content: 'three' },
    { ...typed, role: 'system', content: 'four' },
    { ...typed, role: 'user', content: 'five' },
  ];
  test.each([{}, { type: 'message' }])('[R-03] messages of every role keep their place, with %j', async (typed) => {
    const input = conversation(typed);
    expect((await lossless(stand, ask({ input }))).sent['input']).toEqual(input);
    const chat = messagesOf((await lossless(stand, ask({ model: CHAT, input }))).sent);
    expect(chat.map(({ content }) => content)).toEqual(['one', 'two', 'three', 'four', 'five']);
    const roles = chat.map(({ role }) => role);
    expect([roles[0], roles[1], roles[4]]).toEqual(['user', 'assistant', 'user']);
    for (const role of roles.slice(2, 4)) expect(['system', 'developer']).toContain(role);
  });
  test.each(['bot', 'tool', '', 5])('[R-03] role %j is refused', async (role) => {
    await refused(
      stand,
      ask({
        input: [
          { role: 'user', content: 'a' },
          { role, content: 'b' },
        ],
      }),
      'input[1].role',
    );
  });
  test('[R-04] parts of user and assistant messages keep their meaning', async () => {
    const input = [
      user(inputText('look'), { type: 'input_image', image_url: PIXEL_URL }),
      { role: 'assistant', content: [{ type: 'output_text', text: 'a dot' }] },
      user({ type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` }),
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not' }] },
      user(inputText('why')),
    ];
    expect((await lossless(stand, ask({ input }))).sent['input']).toEqual(input);
    const chat = messagesOf((await lossless(stand, ask({ model: CHAT, input }))).sent);
    expect(chat[0]?.['content']).toEqual([
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: PIXEL_URL } },
    ]);
    expect(JSON.stringify(chat[1])).toContain('a dot');
    expect(JSON.stringify(chat[2])).toContain(PDF);
    expect(JSON.stringify(chat[3])).toContain('I will not');
    const messages = messagesOf((await served(stand, ask({ model: MESSAGES, input }))).sent);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(JSON.stringify(messages[0])).toContain(PIXEL);
    expect(JSON.stringify(messages[1])).toContain('a dot');
    expect(JSON.stringify(messages[3])).toContain('I will not');
  });
  test.each([
    ['user', { type: 'output_text', text: 'a' }],
    ['user', { type: 'refusal', refusal: 'a' }],
    ['user', { type: 'text', text: 'a' }],
    ['developer', { type: 'output_text', text: 'a' }],
    ['assistant', { type: 'input_text', text: 'a' }],
    ['assistant', { type: 'input_image', image_url: PIXEL_URL }],
    ['assistant', { type: 'text', text: 'a' }],
  ])('[R-04] a message of role %s cannot hold the part %j', async (role, part) => {
    const fitting = { type: role === 'assistant' ? 'output_text' : 'input_text', text: 'fits' };
    await refused(stand, ask({ input: [{ role, content: [fitting, part] }] }), 'input[0].content[1].type');
  });
});

describe('images and files', () => {
  const image = (members: Json) => [user(inputText('see'), { type: 'input_image', ...members })];
  const file = (members: Json) => [user(inputText('see'), { type: 'input_file', ...members })];
  test.each([PIXEL_URL, 'https://example.com/a.png', 'http://example.com/a.png'])(
    '[R-05] an image at %s arrives with its detail',
    async (image_url) => {
      const input = image({ image_url, detail: 'low' });
      expect((await lossless(stand, ask({ input }))).sent['input']).toEqual(input);
      const chat = messagesOf((await lossless(stand, ask({ model: CHAT, input }))).sent);
      expect(chat[0]?.['content']).toMatchObject([{}, { image_url: { url: image_url, detail: 'low' } }]);
    },
  );
  test('[R-05] a file arrives as bytes or by URL', async () => {
    for (const file_data of [PDF, `data:application/pdf;base64,${PDF}`]) {
      const input = file({ file_data, filename: 'a.pdf' });
      expect((await lossless(stand, ask({ input }))).sent['input']).toEqual(input);
      const { sent } = await lossless(stand, ask({ model: CHAT, input }));
      expect(messagesOf(sent)[0]?.['content']).toMatchObject([
        {},
        { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
      ]);
    }
    const input = file({ file_url: 'https://example.com/a.pdf' });
    expect((await lossless(stand, ask({ input }))).sent['input']).toEqual(input);
    const { sentText } = await served(stand, ask({ model: MESSAGES, input }));
    expect(sentText).toContain('https://example.com/a.pdf');
  });
  test.each<[string, Json[]]>([
    ['image_url', image({})],
    ['image_url', image({ image_url: 'data:image/png;base64,*' })],
    ['image_url', image({ image_url: 'ftp://example.com/a.png' })],
    ['image_url', image({ image_url: 'a.png' })],
    ['detail', image({ image_url: PIXEL_URL, detail: 'huge' })],
    ['file_data', file({ file_data: '*not base64*' })],
    ['file_url', file({ file_url: 'file:///a.pdf' })],
  ])('[R-05] a bad %s is refused: %j', async (member, input) => {
    await refused(stand, ask({ input }), `input[0].content[1].${member}`);
  });
  test('[R-05] a file part without data and URL is refused', async () => {
    await refused(stand, ask({ input: file({ filename: 'a.pdf' }) }), 'input[0].content[1]');
  });
  test.each([image, file])('[R-06] a file id is refused, null counts as absent', async (form) => {
    await refused(stand, ask({ input: form({ file_id: 'file-1' }) }), 'input[0].content[1].file_id');
    const given = form === image ? { image_url: PIXEL_URL } : { file_data: PDF, filename: 'a.pdf' };
    await refused(stand, ask({ input: form({ ...given, file_id: 'file-1' }) }), 'input[0].content[1].file_id');
    await lossless(stand, ask({ input: form({ ...given, file_id: null }) }));
  });
});

describe('instructions', () => {
  const body = {
    instructions: 'Be brief',
    input: [{ role: 'developer', content: 'Be kind' }, user(inputText('Hello'))],
  };
  test('[R-07] instructions come before everything in input', async () => {
    expect((await lossless(stand, ask(body))).sent).toMatchObject(body);
    const [first, second, ...rest] = messagesOf((await lossless(stand, ask({ ...body, model: CHAT }))).sent);
    expect(['system', 'developer']).toContain(first?.['role']);
    expect(JSON.stringify(first)).toMatch(/Be brief.*Be kind/);
    expect([second?.['role'], rest]).toEqual(['user', []]);
    const { system } = (await lossless(stand, ask({ ...body, model: MESSAGES }))).sent;
    expect(JSON.stringify(system)).toMatch(/Be brief.*Be kind/);
    const [leading, ...others] = body.input;
    const rebuilt = await served(stand, ask({ ...body, input: [leading, ...others, BARE_REASONING, ...others] }));
    expect(rebuilt.sent['instructions']).toBe('Be brief');
    expect(rebuilt.sent['input']).toMatchObject([{ role: 'developer' }, { role: 'user' }, { role: 'user' }]);
  });
  test.each([5, {}])('[R-07] instructions %j are refused', async (instructions) => {
    await refused(stand, ask({ instructions }), 'instructions');
  });
});

describe('tool results', () => {
  const call = { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Rome"}' };
  const custom = { type: 'custom_tool_call', call_id: 'call_1', name: 'shell', input: 'ls -l' };
  const answering = (asked: Json, type: string, output: unknown) => [
    user(inputText('Weather?')),
    asked,
    { type, call_id: 'call_1', output },
  ];
  const tools = { tools: [WEATHER, { type: 'custom', name: 'shell' }] };
  test.each(EVERY_MODEL)('[R-52] a tool result is matched to its call at %s', async (model) => {
    for (const output of ['21 degrees', [inputText('21 degrees')]]) {
      const input = answering(call, 'function_call_output', output);
      const { said } = await lossless(stand, ask({ model, input, tools: [WEATHER] }));
      expect(said).toContain('21 degrees');
    }
  });
  test('[R-52] results of custom tools and results with images are forwarded', async () => {
    const input = answering(custom, 'custom_tool_call_output', 'a.txt');
    for (const model of [OWN, CHAT])
      expect((await lossless(stand, ask({ model, input, ...tools }))).sentText).toContain('a.txt');
    const rich = answering(call, 'function_call_output', [
      inputText('seen'),
      { type: 'input_image', image_url: PIXEL_URL },
    ]);
    expect((await lossless(stand, ask({ input: rich, tools: [WEATHER] }))).sent['input']).toEqual(rich);
    expect((await lossless(stand, ask({ model: MESSAGES, input: rich, tools: [WEATHER] }))).sentText).toContain(PIXEL);
  });
  test('[R-52] images in a tool result are a loss where results hold text only', async () => {
    const rich = answering(call, 'function_call_output', [
      inputText('seen'),
      { type: 'input_image', image_url: PIXEL_URL },
    ]);
    const { losses, sentText } = await served(stand, ask({ model: CHAT, input: rich, tools: [WEATHER] }));
    expect(losses).toHaveLength(1);
    expect(sentText).toContain('seen');
    await lossy(stand, ask({ model: CHAT, input: rich, tools: [WEATHER] }), losses);
  });
  test.each(['function_call_output', 'custom_tool_call_output'])(
    '[R-52] a %s without its call is refused',
    async (type) => {
      await refused(
        stand,
        ask({ input: [user(inputText('a')), { type, call_id: 'call_9', output: 'x' }] }),
        'input[1].call_id',
      );
      await refused(
        stand,
        ask({ input: [user(inputText('a')), call, { type, call_id: 'call_9', output: 'x' }] }),
        'input[2].call_id',
      );
      await refused(
        stand,
        ask({ input: [user(inputText('a')), { type, call_id: 'call_1', output: 'x' }, call] }),
        'input[1].call_id',
      );
    },
  );
});

describe('other items', () => {
  test.each([{ type: 'item_reference', id: 'msg_1' }, { id: 'msg_1' }])(
    '[R-53] the item reference %j is refused with what to set in the client',
    async (item) => {
      const body = ask({ input: [user(inputText('a')), item] });
      await refused(stand, body, 'input[1]');
      const reply = await post(stand, body);
      expect((reply.json['error'] as Json)['message']).toContain('set `store: false` in the client');
      await lossless(
        stand,
        ask({
          input: [
            user(inputText('a')),
            { id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] },
            user(inputText('c')),
          ],
        }),
      );
    },
  );
  test.each([
    'file_search_call',
    'computer_call',
    'computer_call_output',
    'code_interpreter_call',
    'image_generation_call',
    'mcp_call',
    'mcp_list_tools',
    'mcp_approval_request',
    'mcp_approval_response',
    'shell_call',
    'shell_call_output',
    '',
  ])('[R-54] items of type %s are refused', async (type) => {
    await refused(stand, ask({ input: [user(inputText('a')), { type, id: 'x_1', call_id: 'c' }] }), 'input[1].type');
  });
  test.each<Json>([
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'canary' } },
    {
      type: 'local_shell_call',
      id: 'ls_1',
      call_id: 'c',
      status: 'completed',
      action: { type: 'exec', command: ['canary'], env: {} },
    },
    { type: 'local_shell_call_output', id: 'c', output: 'canary' },
    {
      type: 'apply_patch_call',
      id: 'ap_1',
      call_id: 'c',
      status: 'completed',
      operation: { type: 'delete_file', path: 'canary' },
    },
    { type: 'apply_patch_call_output', call_id: 'c', status: 'completed', output: 'canary' },
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'canary' },
    { type: 'no_such_item', id: 'x_1', call_id: 'c', text: 'canary' },
  ])('[R-54] an item of type $type reaches a host of the same dialect and is a loss elsewhere', async (item) => {
    const input = [user(inputText('a')), item, { role: 'assistant', content: 'b' }, user(inputText('c'))];
    const before = stand.simulator.truth.read().length;
    // The simulator refuses most of these types; what counts is that it received the item.
    const own = await post(stand, ask({ input }));
    expect(own.headers.get('x-trivium-losses')).toBeNull();
    expect(stand.simulator.truth.read()).toHaveLength(before + 1);
    expect(stand.simulator.truth.last()?.body).toHaveProperty('input', input);
    for (const model of [CHAT, MESSAGES, GOOGLE]) {
      const { losses, sentText } = await served(stand, ask({ model, input }));
      expect(losses).toHaveLength(1);
      await lossy(stand, ask({ model, input }), losses);
      expect(sentText).not.toContain('canary');
    }
  });
  test('[R-62] the phase of an assistant message is preserved', async () => {
    const said = (phase: string) => ({ role: 'assistant', phase, content: [{ type: 'output_text', text: phase }] });
    const input = [user(inputText('a')), said('commentary'), said('final_answer'), user(inputText('b'))];
    expect((await lossless(stand, ask({ input }))).sent['input']).toEqual(input);
    const rebuilt = (await served(stand, ask({ input: [BARE_REASONING, ...input] }))).sent['input'] as Json[];
    const phases = rebuilt.filter(({ role }) => role === 'assistant').map(({ phase }) => phase);
    expect(phases).toEqual(['commentary', 'final_answer']);
    await refused(stand, ask({ input: [said('opening')] }), 'input[0].phase');
  });
});

describe('the endpoint', () => {
  test.each([
    ['GET', 'resp_1'],
    ['DELETE', 'resp_1'],
    ['POST', 'resp_1/cancel'],
    ['GET', 'resp_1/input_items'],
  ])('[R-64] %s %s is 404, since responses are not stored', async (method, rest) => {
    const { json } = await served(stand, play('scenario=text-basic'));
    const path = rest.replace('resp_1', String(json['id']));
    const reply = await fetch(`${stand.chatUrl}/responses/${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(reply.status).toBe(404);
    expect(await reply.json()).toEqual({
      error: {
        message: expect.stringMatching(/\S/),
        type: 'invalid_request_error',
        param: null,
        code: expect.any(String),
      },
    });
  });
});
