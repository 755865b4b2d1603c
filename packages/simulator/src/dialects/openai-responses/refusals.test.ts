// Every category of request that the Responses API refuses, over HTTP, and a similar accepted one where it matters.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../main.ts';
import { probe } from '../../probe.fixture.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const user = { role: 'user', content: 'Hello' };
const call = (call_id: string, more: object = {}) => ({
  type: 'function_call',
  call_id,
  name: 'f',
  arguments: '{}',
  ...more,
});
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'r' });
const tool = (name: string, more: object = {}) => ({ type: 'function', name, parameters: { type: 'object' }, ...more });
const schema = (more: object) => ({ text: { format: { type: 'json_schema', name: 'n', schema: {}, ...more } } });

interface ErrorBody {
  readonly error?: { readonly message: string; readonly type: string; readonly param: unknown; readonly code: unknown };
}

async function send(extra: object, model = 'gpt-4o') {
  const answer = probe(simulator.url, { model, input: [user], ...extra }, { path: '/v1/responses' });
  await answer.ended;
  return { status: answer.status, body: answer.json() as ErrorBody };
}

type Case = readonly [
  name: string,
  extra: object,
  param: string | null,
  code: string | null,
  message?: RegExp,
  model?: string,
];

const refused: readonly Case[] = [
  ['an unknown parameter', { stop: ['x'] }, 'stop', 'unknown_parameter', /^Unknown parameter: 'stop'\.$/],
  ['messages of the chat API', { messages: [user] }, 'messages', 'unknown_parameter'],
  ['no input', { input: undefined }, 'input', 'missing_required_parameter'],
  ['a small cap', { max_output_tokens: 15 }, 'max_output_tokens', 'integer_below_min_value', />= 16, but got 15/],
  ['a wrong type', { temperature: 'hot' }, 'temperature', 'invalid_type', /expected a decimal, but got a string/],
  ['an unknown item', { input: [{ type: 'poem' }] }, 'input[0].type', 'invalid_value', /'function_call_output'/],
  [
    'a chat part',
    { input: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
    'input[0].content[0].type',
    'invalid_value',
    /'input_text'/,
  ],
  [
    'an input part of the assistant',
    { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
    'input[0].content[0].type',
    'invalid_value',
  ],
  ['a tool role', { input: [{ role: 'tool', content: 'x' }] }, 'input[0].role', 'invalid_value'],
  ['an unknown member of an item', { input: [{ ...user, mood: 1 }] }, 'input[0].mood', 'unknown_parameter'],
  [
    'an output without call',
    { input: [user, output('a')] },
    'input',
    null,
    /^No tool call found for function call output with call_id a\.$/,
  ],
  [
    'a call without output',
    { input: [user, call('a')] },
    'input',
    null,
    /^No tool output found for function call a\.$/,
  ],
  ['an output before its call', { input: [user, output('a'), call('a')] }, 'input', null, /No tool call found/],
  [
    'an id of another kind',
    { input: [user, call('a', { id: 'call_a' }), output('a')] },
    'input[1].id',
    'invalid_value',
    /begins with 'fc'/,
  ],
  [
    'a long call id',
    { input: [user, call('a'.repeat(65)), output('a')] },
    'input[1].call_id',
    'string_above_max_length',
  ],
  [
    'the chat form of a tool',
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    'tools[0].name',
    'missing_required_parameter',
  ],
  ['two tools of one name', { tools: [tool('f'), tool('f')] }, 'tools', null],
  [
    'a strict tool with an open object',
    { tools: [tool('f', { strict: true })] },
    'tools[0].parameters',
    'invalid_function_parameters',
  ],
  [
    'a choice of an undeclared tool',
    { tools: [tool('f')], tool_choice: { type: 'function', name: 'g' } },
    'tool_choice',
    null,
  ],
  [
    'the chat form of a choice',
    { tools: [tool('f')], tool_choice: { type: 'function', function: {} } },
    'tool_choice.name',
    'missing_required_parameter',
  ],
  ['a format without name', schema({ name: undefined }), 'text.format.name', 'missing_required_parameter'],
  [
    'a strict format that is open',
    schema({ strict: true, schema: { type: 'object', properties: {} } }),
    'text.format.schema',
    null,
  ],
  ['json_object without the word', { text: { format: { type: 'json_object' } } }, 'input', null, /word 'json'/],
  ['an unknown include', { include: ['everything'] }, 'include[0]', 'invalid_value'],
  ['stream_options without stream', { stream_options: {} }, 'stream_options', null],
  [
    'an unknown previous response',
    { previous_response_id: 'resp_1' },
    'previous_response_id',
    'previous_response_not_found',
  ],
  ['effort on a plain model', { reasoning: { effort: 'low' } }, 'reasoning.effort', 'unsupported_parameter'],
  [
    'sealed reasoning on a plain model',
    { include: ['reasoning.encrypted_content'] },
    'include',
    null,
    /Encrypted content is not supported/,
  ],
  [
    'temperature on a reasoning model',
    { temperature: 1 },
    'temperature',
    'unsupported_parameter',
    /not supported with this model/,
    'gpt-5',
  ],
  [
    'an effort the model lacks',
    { reasoning: { effort: 'xhigh' } },
    'reasoning.effort',
    'unsupported_value',
    /'low', 'medium'/,
    'o3',
  ],
  ['background', { background: true }, 'background', null],
];

describe('refused', () => {
  test.each(refused.map((entry) => ({ name: entry[0], entry })))(
    '$name',
    async ({ entry: [, extra, param, code, message = /./, model = 'gpt-4o'] }) => {
      const { status, body } = await send(extra, model);
      expect({ status, param: body.error?.param, code: body.error?.code, type: body.error?.type }).toEqual({
        status: 400,
        param,
        code,
        type: 'invalid_request_error',
      });
      expect(body.error?.message).toMatch(message);
    },
  );

  test('an unknown model and a bad credential', async () => {
    expect(await send({}, 'gpt-x')).toMatchObject({ status: 400, body: { error: { code: 'model_not_found' } } });
    const answer = probe(simulator.url, {}, { path: '/v1/responses', headers: { authorization: '' } });
    await answer.ended;
    expect(answer.status).toBe(401);
  });
});

describe('accepted', () => {
  test.each<[name: string, extra: object, model?: string]>([
    ['input as text', { input: 'Hello' }],
    ['calls and outputs', { input: [user, call('a'), call('b'), output('b'), output('a')] }],
    [
      'an image in an output',
      { input: [user, call('a'), { ...output('a'), output: [{ type: 'input_text', text: 'x' }] }] },
    ],
    ['assistant text', { input: [user, { role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }, user] }],
    ['temperature without effort', { temperature: 1, reasoning: { effort: 'none' } }, 'gpt-5.1'],
    [
      'a search tool',
      {
        tools: [
          { type: 'web_search', search_context_size: 'low', external_web_access: true, search_content_types: ['text'] },
        ],
      },
    ],
  ])('%s', async (_name, extra, model = 'gpt-4o') => {
    expect(await send(extra, model)).toMatchObject({ status: 200, body: { object: 'response', status: 'completed' } });
  });
});
