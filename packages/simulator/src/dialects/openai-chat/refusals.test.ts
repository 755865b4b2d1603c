// Every category of request that OpenAI refuses, over HTTP, and a similar accepted one where the border matters.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../main.ts';
import { probe } from '../../probe.fixture.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const user = { role: 'user', content: 'Hello' };
const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const calling = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' });
const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } });
const schemaFormat = (more: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'n', ...more } },
});
const image = (url: string) => ({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] });
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface ErrorBody {
  readonly error: { readonly message: string; readonly type: string; readonly param: unknown; readonly code: unknown };
}

async function ask(extra: object, vendor = 'openai', model = 'gpt-4o') {
  const answer = probe(simulator.url, { model, messages: [user], ...extra }, { vendor });
  await answer.ended;
  return { status: answer.status, error: (answer.json() as Partial<ErrorBody>).error };
}

type Case = readonly [name: string, extra: object, param: string | null, code: string | null, message?: RegExp];

const refused: readonly Case[] = [
  ['an unknown parameter', { top_k: 3 }, null, null, /^Unrecognized request argument supplied: top_k$/],
  ['missing messages', { messages: undefined }, 'messages', 'missing_required_parameter'],
  ['a missing model', { model: undefined }, null, null, /must provide a model/],
  ['empty messages', { messages: [] }, 'messages', 'empty_array'],
  ['a wrong type', { temperature: 'hot' }, 'temperature', 'invalid_type', /expected a decimal, but got a string/],
  ['a value above its range', { temperature: 2.1 }, 'temperature', 'decimal_above_max_value', /<= 2, but got 2.1/],
  ['a value below its range', { presence_penalty: -3 }, 'presence_penalty', 'decimal_below_min_value'],
  ['n = 0', { n: 0 }, 'n', 'integer_below_min_value'],
  ['n = 129', { n: 129 }, 'n', 'integer_above_max_value'],
  ['a fractional token cap', { max_tokens: 1.5 }, 'max_tokens', 'invalid_type'],
  ['two token caps', { max_tokens: 5, max_completion_tokens: 5 }, 'max_tokens', 'invalid_parameter_combination'],
  ['five stop strings', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'array_above_max_length'],
  ['a stop that is no text', { stop: ['a', 1] }, 'stop[1]', 'invalid_type'],
  ['an unknown word', { service_tier: 'gold' }, 'service_tier', 'invalid_value', /Supported values are: 'auto'/],
  ['top_logprobs alone', { top_logprobs: 2 }, 'top_logprobs', null],
  ['stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options', null],
  [
    'an unknown stream option',
    { stream: true, stream_options: { loud: true } },
    'stream_options.loud',
    'unknown_parameter',
  ],
  [
    'nine unknown stream options',
    { stream: true, stream_options: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1 } },
    'stream_options.a',
    'unknown_parameter',
  ],
  ['17 metadata pairs', { metadata: pairs(17) }, 'metadata', 'object_above_max_properties'],
  ['a long metadata value', { metadata: { k: 'x'.repeat(513) } }, 'metadata.k', 'string_above_max_length'],
  ['a long metadata name', { metadata: { ['k'.repeat(65)]: 'v' } }, 'metadata', 'property_name_above_max_length'],
  ['an empty tool list', { tools: [] }, 'tools', 'empty_array'],
  ['a tool name with a space', { tools: [tool('a b')] }, 'tools[0].function.name', 'invalid_value'],
  ['a tool name of 65', { tools: [tool('a'.repeat(65))] }, 'tools[0].function.name', 'string_above_max_length'],
  ['an empty tool name', { tools: [tool('')] }, 'tools[0].function.name', 'empty_string'],
  ['two tools of one name', { tools: [tool('a'), tool('a')] }, 'tools[1].function.name', 'invalid_value'],
  ['an unknown tool type', { tools: [{ type: 'retrieval' }] }, 'tools[0].type', 'invalid_value'],
  [
    'arguments that are no object',
    { tools: [tool('a', { parameters: { type: 'string' } })] },
    'tools[0].function.parameters',
    'invalid_function_parameters',
  ],
  [
    'a strict tool with an open object',
    { tools: [tool('a', { strict: true, parameters: { type: 'object', properties: {} } })] },
    'tools[0].function.parameters',
    'invalid_function_parameters',
    /'additionalProperties' is required to be supplied and to be false/,
  ],
  ['a choice of an undeclared tool', { tools: [tool('a')], tool_choice: named('b') }, 'tool_choice', null],
  ['an unknown choice', { tools: [tool('a')], tool_choice: 'any' }, 'tool_choice', 'invalid_value'],
  ['a choice without tools', { tool_choice: 'auto' }, 'tool_choice', null],
  ['parallel_tool_calls without tools', { parallel_tool_calls: false }, 'parallel_tool_calls', null],
  ['an unknown format', { response_format: { type: 'xml' } }, 'response_format.type', 'invalid_value'],
  [
    'a format without schema',
    { response_format: { type: 'json_schema' } },
    'response_format.json_schema',
    'missing_required_parameter',
  ],
  [
    'a schema name with a space',
    schemaFormat({ name: 'a b', schema: {} }),
    'response_format.json_schema.name',
    'invalid_value',
  ],
  [
    'a strict schema that leaves out a member',
    schemaFormat({
      strict: true,
      schema: { type: 'object', properties: { a: {} }, required: [], additionalProperties: false },
    }),
    'response_format',
    null,
    /Missing 'a'/,
  ],
  ['json_object without the word', { response_format: { type: 'json_object' } }, 'messages', null, /word 'json'/],
  ['an unknown role', { messages: [{ role: 'bot', content: 'x' }] }, 'messages[0].role', 'invalid_value'],
  ['a message without role', { messages: [{ content: 'x' }] }, 'messages[0].role', 'missing_required_parameter'],
  ['a message that is text', { messages: ['x'] }, 'messages[0]', 'invalid_type'],
  ['null content', { messages: [{ role: 'user', content: null }] }, 'messages.[0].content', null, /got null/],
  ['a silent assistant', { messages: [user, { role: 'assistant' }] }, 'messages.[1].content', null],
  ['an unknown member', { messages: [{ ...user, mood: 1 }] }, 'messages[0].mood', 'unknown_parameter'],
  [
    'a part without type',
    { messages: [{ role: 'user', content: [{ text: 'x' }] }] },
    'messages[0].content[0].type',
    'missing_required_parameter',
  ],
  ['an empty part list', { messages: [{ role: 'user', content: [] }] }, 'messages[0].content', 'empty_array'],
  [
    'an unknown part',
    { messages: [{ role: 'user', content: [{ type: 'video' }] }] },
    'messages[0].content[0].type',
    'invalid_value',
  ],
  [
    'an image from the system',
    {
      messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] }],
    },
    'messages[0].content[0].type',
    'invalid_value',
  ],
  [
    'a part without text',
    { messages: [{ role: 'user', content: [{ type: 'text' }] }] },
    'messages[0].content[0].text',
    'missing_required_parameter',
  ],
  [
    'an image address without scheme',
    image('picture.png'),
    'messages[0].content[0].image_url.url',
    'invalid_image_url',
  ],
  [
    'an image that is not base64',
    image('data:image/png;base64,***'),
    'messages[0].content[0].image_url.url',
    'invalid_base64',
  ],
  ['an image of another format', image(`data:image/tiff;base64,${PNG}`), null, 'invalid_image_format'],
  ['bytes that are no image', image('data:image/png;base64,aGVsbG8gd29ybGQ='), null, 'invalid_image_format'],
  ['a tool result without call', { messages: [user, result('a')] }, 'messages.[1].role', null, /preceeding message/],
  [
    'a tool result for another call',
    { messages: [user, calling('a'), result('b')] },
    'messages.[2].tool_call_id',
    null,
  ],
  ['a late tool result', { messages: [user, calling('a'), result('a'), user, result('a')] }, 'messages.[4].role', null],
  [
    'an unanswered call',
    { messages: [user, calling('a', 'b'), result('a'), user] },
    'messages.[3].role',
    null,
    /response messages: b$/,
  ],
  ['an unanswered call at the end', { messages: [user, calling('a')] }, 'messages.[2].role', null],
  ['a call id given twice', { messages: [user, calling('a', 'a'), result('a')] }, 'messages.[1].tool_calls', null],
  [
    'a call id of 41',
    { messages: [user, calling('c'.repeat(41)), result('c'.repeat(41))] },
    'messages[1].tool_calls[0].id',
    'string_above_max_length',
  ],
  [
    'calls without function',
    { messages: [user, { role: 'assistant', tool_calls: [{ id: 'a', type: 'function' }] }, result('a')] },
    'messages[1].tool_calls[0].function',
    'missing_required_parameter',
  ],
  [
    'effort on a plain model',
    { reasoning_effort: 'low' },
    null,
    null,
    /Unrecognized request argument supplied: reasoning_effort/,
  ],
  ['verbosity on a plain model', { verbosity: 'low' }, 'verbosity', 'unsupported_value'],
];

function pairs(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
}

function named(name: string): object {
  return { type: 'function', function: { name } };
}

function toNamed([name, extra, param, code, message = /./]: Case) {
  return { name, extra, param, code, message };
}

describe('openai refuses', () => {
  test.each(refused.map(toNamed))('$name', async ({ extra, param, code, message }) => {
    const { status, error } = await ask(extra);
    expect({ status, error }).toEqual({
      status: 400,
      error: { message: expect.stringMatching(message), type: 'invalid_request_error', param, code },
    });
    expect(simulator.truth.last()?.refusal).toBe(error?.message);
  });

  test.each([
    ['the highest values', { n: 4, temperature: 2, top_p: 1, stop: ['a', 'b', 'c', 'd'], metadata: pairs(16) }],
    ['null for optional parameters', { temperature: null, stop: null, max_tokens: null, stream_options: null }],
    ['an answered conversation', { messages: [user, calling('a', 'b'), result('b'), result('a'), user] }],
    ['a call id of 40', { messages: [user, calling('c'.repeat(40)), result('c'.repeat(40))] }],
    ['a png', image(`data:image/png;base64,${PNG}`)],
    ['a web image', image('https://example.com/a.png')],
    [
      'json_object with the word',
      { messages: [{ role: 'user', content: 'As JSON' }], response_format: { type: 'json_object' } },
    ],
    ['a declared choice', { tools: [tool('a')], tool_choice: named('a') }],
    ['a tool name of 64', { tools: [tool('a'.repeat(64))] }],
  ])('but accepts %s', async (_name, extra) => {
    expect(await ask(extra)).toEqual({ status: 200, error: undefined });
  });
});

describe('reasoning models', () => {
  test.each([
    ['max_tokens', 5, 'unsupported_parameter'],
    ['temperature', 0.5, 'unsupported_value'],
    ['top_p', 0.5, 'unsupported_value'],
    ['presence_penalty', 1, 'unsupported_value'],
    ['frequency_penalty', 1, 'unsupported_value'],
    ['logprobs', true, 'unsupported_parameter'],
    ['logit_bias', { 5: 1 }, 'unsupported_parameter'],
    ['stop', 'x', 'unsupported_parameter'],
  ])('refuse %s', async (name, value, code) => {
    for (const model of ['o3', 'o4-mini', 'gpt-5', 'gpt-6-mini']) {
      const { status, error } = await ask({ [name]: value }, 'openai', model);
      expect({ status, param: error?.param, code: error?.code }).toEqual({ status: 400, param: name, code });
    }
    expect(await ask({ [name]: value })).toMatchObject({ status: 200 });
  });

  test('accept default values, an output limit and an effort they support', async () => {
    const fine = { temperature: 1, top_p: 1, max_completion_tokens: 50, reasoning_effort: 'low' };
    expect(await ask(fine, 'openai', 'o3')).toMatchObject({ status: 200 });
    const { error } = await ask({ reasoning_effort: 'minimal' }, 'openai', 'o3');
    expect(error?.code).toBe('unsupported_value');
  });
});

test('compatible servers take 16 stop strings, and no more', async () => {
  const stops = (count: number) => ({ stop: Array.from({ length: count }, (_, at) => `s${at}`) });
  expect(await ask(stops(16), 'compatible', 'deepseek-chat')).toMatchObject({ status: 200 });
  expect(await ask(stops(17), 'compatible', 'deepseek-chat')).toMatchObject({ status: 400 });
});

describe('models, credentials and bodies', () => {
  test('answers 404 for an unknown model', async () => {
    const { status, error } = await ask({}, 'openai', 'llama-9');
    expect({ status, code: error?.code }).toEqual({ status: 404, code: 'model_not_found' });
  });

  test.each([
    ['none', { authorization: '' }, null],
    ['another scheme', { authorization: 'Basic abc' }, null],
    ['an invalid one', { authorization: 'Bearer sk-invalid-1234567890' }, 'invalid_api_key'],
  ])('refuses %s as credential', async (_name, headers, code) => {
    const answer = probe(simulator.url, { model: 'gpt-4o', messages: [user] }, { headers });
    await answer.ended;
    expect(answer.status).toBe(401);
    expect((answer.json() as ErrorBody).error.code).toBe(code);
    expect(answer.text()).not.toContain('1234567890');
  });

  test('accepts only the configured credential', async () => {
    const guarded = await startSimulator({ credential: 'sk-right' });
    const statuses: unknown[] = [];
    for (const key of ['sk-wrong', 'sk-right']) {
      for (const vendor of ['openai', 'compatible']) {
        const headers = { authorization: `Bearer ${key}` };
        const answer = probe(guarded.url, { model: 'gpt-4o', messages: [user] }, { headers, vendor });
        await answer.ended;
        statuses.push(answer.status);
      }
    }
    await guarded.close();
    expect(statuses).toEqual([401, 401, 200, 200]);
  });

  test.each([
    ['broken JSON', '{"model":'],
    ['a list', '[]'],
    ['a repeated member', '{"model":"gpt-4o","model":"gpt-4o","messages":[{"role":"user","content":"x"}]}'],
    ['a repeated inner member', '{"model":"gpt-4o","messages":[{"role":"user","content":"x","rol\\u0065":"user"}]}'],
    ['nothing', ''],
  ])('refuses %s', async (_name, body) => {
    const answer = probe(simulator.url, body);
    await answer.ended;
    expect(answer.status).toBe(400);
    expect((answer.json() as ErrorBody).error.message).toContain('could not parse the JSON body');
  });

  test('refuses another content type and another method', async () => {
    const body = { model: 'gpt-4o', messages: [user] };
    const typed = probe(simulator.url, body, { headers: { 'content-type': 'text/plain' } });
    const got = probe(simulator.url, undefined, { method: 'GET' });
    await Promise.all([typed.ended, got.ended]);
    expect([typed.status, got.status]).toEqual([400, 405]);
  });
});

describe('compatible', () => {
  test('ignores unknown members, everywhere', async () => {
    const messages = [{ ...user, mood: 1 }, { role: 'assistant', content: 'a', reasoning_content: 'r' }, user];
    const extra = { messages, top_k: 3, whatever: true, max_tokens: 50, reasoning_effort: 'low' };
    expect(await ask(extra, 'compatible', 'qwen3-32b')).toEqual({ status: 200, error: undefined });
  });

  test.each([
    ['a wrong type', { top_k: 'many' }, 400],
    ['a wrong order', { messages: [user, result('a')] }, 400],
    ['an unknown model', { model: 'unknown-model' }, 404],
  ])('refuses %s with the status as code', async (_name, extra, status) => {
    const refusal = await ask(extra, 'compatible', 'qwen3-32b');
    expect(refusal).toMatchObject({ status, error: { code: status } });
  });
});

describe('lenient', () => {
  test('checks nothing but JSON', async () => {
    const lenient = await startSimulator({ lenient: true });
    const odd = probe(lenient.url, { messages: 'x', foo: 1, n: 'many' }, { headers: { authorization: '' } });
    const broken = probe(lenient.url, '{');
    await Promise.all([odd.ended, broken.ended]);
    await lenient.close();
    expect([odd.status, broken.status]).toEqual([200, 400]);
  });
});
