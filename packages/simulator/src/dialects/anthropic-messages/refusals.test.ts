// Every category of request that Anthropic refuses, over HTTP, and a similar accepted one where the border matters.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../main.ts';
import { probe } from '../../probe.fixture.ts';
import { PIXEL_PNG } from '../../scenarios/vendor-scenarios.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const OLD = 'claude-sonnet-4-5';
const NEW = 'claude-opus-5';
const user = { role: 'user', content: 'Hello' };
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const results = (...content: object[]) => ({ role: 'user', content });
const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more });
const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'r' });
const tool = (name: string, more: object = {}) => ({ name, input_schema: { type: 'object' }, ...more });
const cached = { cache_control: { type: 'ephemeral' } };
const blocks = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
const image = (media_type: string, data: string) =>
  blocks({ type: 'image', source: { type: 'base64', media_type, data } });
const thinking = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });

async function send(extra: object, options: { model?: string; vendor?: string; headers?: object; path?: string } = {}) {
  const answer = probe(
    simulator.url,
    { model: options.model ?? OLD, max_tokens: 4000, messages: [user], ...extra },
    {
      vendor: options.vendor ?? 'anthropic',
      path: options.path ?? '/v1/messages',
      headers: { authorization: '', 'x-api-key': 'k', 'anthropic-version': '2023-06-01', ...options.headers },
    },
  );
  await answer.ended;
  return { status: answer.status, body: answer.json() as { error?: { type: string; message: string } } };
}

type Case = readonly [name: string, extra: object, message: RegExp, model?: string];

const refused: readonly Case[] = [
  ['an unknown parameter', { foo: 1 }, /^foo: Extra inputs are not permitted$/],
  ['an unknown member of a block', blocks(text('x', { mood: 1 })), /^messages\.0\.content\.0\.text\.mood: Extra/],
  [
    'only deferred tools',
    { tools: [{ name: 'f', input_schema: { type: 'object' }, defer_loading: true }] },
    /^All tools have defer_loading set/,
  ],
  ['missing max_tokens', { max_tokens: undefined }, /^max_tokens: Field required$/],
  ['a cap above the model’s', { max_tokens: 64_001 }, /^max_tokens: 64001 > 64000, which is the maximum/],
  ['no messages', { messages: [] }, /^messages: List should have at least 1 item$/],
  ['a wrong type', { temperature: 'hot' }, /^temperature: Input should be a valid number$/],
  ['a temperature above 1', { temperature: 1.1 }, /^temperature: Input should be less than or equal to 1$/],
  [
    'a first message of the system',
    { messages: [{ role: 'system', content: 'x' }, user] },
    /Unexpected role|first message/,
  ],
  ['a system role', { messages: [user, { role: 'system', content: 'x' }] }, /Unexpected role "system"/],
  ['an unknown role', { messages: [{ role: 'tool', content: 'x' }] }, /^messages\.0\.role: Input should be 'user'/],
  ['empty content', { messages: [{ role: 'user', content: [] }] }, /messages\.0: all messages must have non-empty/],
  ['an empty text block', blocks(text('')), /text content blocks must be non-empty/],
  ['a blank text block', blocks(text(' \n')), /must contain non-whitespace text/],
  [
    'a call without result',
    { messages: [user, assistant(use('a')), user] },
    /ids were found without `tool_result`.*: a\./,
  ],
  [
    'one result for two calls',
    { messages: [user, assistant(use('a'), use('b')), results(result('a'))] },
    /immediately after: b\./,
  ],
  [
    'results over two messages',
    { messages: [user, assistant(use('a'), use('b')), results(result('a')), results(result('b'))] },
    /immediately after: b\./,
  ],
  [
    'text before the result',
    { messages: [user, assistant(use('a')), results(text('x'), result('a'))] },
    /immediately after: a\./,
  ],
  ['a result without call', { messages: [results(result('a'))] }, /unexpected `tool_use_id` found/],
  [
    'two results for one call',
    { messages: [user, assistant(use('a')), results(result('a'), result('a'))] },
    /each tool_use must have a single result/,
  ],
  [
    'an id used twice',
    { messages: [user, assistant(use('a')), results(result('a')), assistant(use('a')), results(result('a'))] },
    /`tool_use` ids must be unique/,
  ],
  [
    'an id with a dot',
    { messages: [user, assistant(use('a.b')), results(result('a.b'))] },
    /content\.0\.tool_use\.id: String should match pattern/,
  ],
  ['a tool name with a space', { tools: [tool('a b')] }, /^tools\.0\.custom\.name: String should match pattern/],
  [
    'a schema that is no object',
    { tools: [tool('a', { input_schema: { type: 'string' } })] },
    /input_schema\.type: Input/,
  ],
  ['two tools of one name', { tools: [tool('a'), tool('a')] }, /Tool names must be unique/],
  ['OpenAI’s form of a tool', { tools: [{ type: 'function', function: {} }] }, /^tools\.0\.type: Input should be/],
  ['a choice without tools', { tool_choice: { type: 'auto' } }, /may only be specified while providing tools/],
  ['a choice of an undeclared tool', { tools: [tool('a')], tool_choice: { type: 'tool', name: 'b' } }, /'b' not found/],
  ['a budget below 1024', thinking(1023), /^thinking\.enabled\.budget_tokens: .*greater than or equal to 1024/],
  ['a budget that is the cap', thinking(4000), /`max_tokens` must be greater than `thinking\.budget_tokens`/],
  ['thinking with a temperature', { ...thinking(1024), temperature: 0.5 }, /`temperature` may only be set to 1/],
  ['thinking with top_k', { ...thinking(1024), top_k: 5 }, /`top_k` must be unset/],
  ['thinking with top_p', { ...thinking(1024), top_p: 0.5 }, /`top_p` must be greater/],
  [
    'thinking with a forced tool',
    { ...thinking(1024), tools: [tool('a')], tool_choice: { type: 'any' } },
    /may not be enabled when tool_choice forces/,
  ],
  [
    'thinking with prefill',
    { ...thinking(1024), messages: [user, assistant(text('x'))] },
    /prefilling .* is not supported when thinking/,
  ],
  [
    'thinking without the thinking of the calling turn',
    { ...thinking(1024), messages: [user, assistant(use('a')), results(result('a'))] },
    /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
  ],
  ['adaptive thinking on an old model', { thinking: { type: 'adaptive' } }, /adaptive thinking is not supported/],
  ['thinking on a model without', { ...thinking(1024) }, /does not support thinking/, 'claude-3-5-haiku-20241022'],
  ['a budget on a new model', thinking(1024), /"thinking.type.enabled" is not supported/, NEW],
  ['temperature on a new model', { temperature: 1 }, /`temperature` is deprecated for this model/, NEW],
  ['top_k on a new model', { top_k: 1 }, /`top_k` is deprecated/, NEW],
  [
    'prefill on a new model',
    { messages: [user, assistant(text('x'))] },
    /does not support assistant message prefill/,
    NEW,
  ],
  ['two sampling parameters', { temperature: 1, top_p: 0.9 }, /cannot both be specified/],
  ['prefill that ends in a space', { messages: [user, assistant(text('x '))] }, /cannot end with trailing whitespace/],
  ['a blank stop sequence', { stop_sequences: [' '] }, /must contain non-whitespace/],
  [
    'five cache points',
    blocks(...['1', '2', '3', '4', '5'].map((one) => text(one, cached))),
    /maximum of 4 .* Found 5/,
  ],
  [
    'an hour after five minutes',
    { system: [text('s', cached)], ...blocks(text('x', { cache_control: { type: 'ephemeral', ttl: '1h' } })) },
    /must not come after a ttl='5m'/,
  ],
  ['an unsupported image type', image('image/bmp', PIXEL_PNG), /media_type: Input should be 'image\/jpeg'/],
  ['an image of another type', image('image/jpeg', PIXEL_PNG), /appears to be a image\/png image/],
  ['bytes that are no base64', image('image/png', '%%'), /invalid base64/],
  [
    'a document that is no PDF',
    blocks({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } }),
    /The PDF specified was not valid/,
  ],
  ['an effort the model lacks', { output_config: { effort: 'max' } }, /does not support effort level 'max'/],
  [
    'an open output schema',
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    /'additionalProperties' must be explicitly set to false/,
  ],
  [
    'unsigned thinking',
    { messages: [user, assistant({ type: 'thinking', thinking: 'x' }, text('y')), user] },
    /signature: Field required/,
  ],
  [
    'thinking at the end of a turn',
    { messages: [user, assistant(text('y'), { type: 'redacted_thinking', data: 'x' }), user] },
    /final block in an assistant message cannot be `thinking`/,
  ],
];

describe('refused', () => {
  test.each(refused.map((entry) => ({ name: entry[0], entry })))(
    '$name',
    async ({ entry: [, extra, message, model = OLD] }) => {
      const { status, body } = await send(extra, { model });
      expect({ status, type: body.error?.type }).toEqual({ status: 400, type: 'invalid_request_error' });
      expect(body.error?.message).toMatch(message);
      expect(body).toMatchObject({ type: 'error', request_id: expect.stringMatching(/^req_/) });
    },
  );

  test('a credential that is missing or wrong', async () => {
    expect(await send({}, { headers: { 'x-api-key': '' } })).toMatchObject({
      status: 401,
      body: { error: { type: 'authentication_error', message: 'x-api-key header is required' } },
    });
    expect((await send({}, { headers: { 'x-api-key': 'sk-invalid' } })).status).toBe(401);
    expect((await send({}, { headers: { 'x-api-key': '', authorization: 'Bearer k' } })).status).toBe(200);
  });

  test('a version that is missing or unknown', async () => {
    expect((await send({}, { headers: { 'anthropic-version': '' } })).body.error?.message).toMatch(
      /header is required/,
    );
    expect((await send({}, { headers: { 'anthropic-version': '2022-01-01' } })).status).toBe(400);
    const latest = { headers: { 'anthropic-version': '2026-10-21' } };
    expect((await send({}, latest)).status).toBe(200);
    expect((await send({ temperature: 1 }, latest)).body.error?.message).toMatch(/^temperature: Extra inputs/);
  });

  test('an unknown model', async () => {
    expect(await send({}, { model: 'claude-9' })).toMatchObject({
      status: 404,
      body: { error: { type: 'not_found_error', message: 'model: claude-9' } },
    });
  });

  test('max_tokens in a token-count request', async () => {
    const count = { path: '/v1/messages/count_tokens' };
    expect((await send({}, count)).body.error?.message).toBe('max_tokens: Extra inputs are not permitted');
    const counted = await send({ max_tokens: undefined }, count);
    expect(counted).toMatchObject({ status: 200, body: { input_tokens: expect.any(Number) } });
  });
});

describe('accepted', () => {
  test.each<[name: string, extra: object, model?: string]>([
    ['neighbours of one role', { messages: [user, user, assistant(text('a')), assistant(text('b')), user] }],
    ['results, then text', { messages: [user, assistant(use('a')), results(result('a'), text('x'))] }],
    ['a first message of the assistant', { messages: [assistant(text('x')), user] }],
    ['a blank beside a call', { messages: [user, assistant(text(' '), use('a')), results(result('a'))] }],
    [
      'tool search and newer web tools',
      {
        tools: [
          { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
          { type: 'web_fetch_20260209', name: 'web_fetch' },
        ],
      },
    ],
    [
      'compaction',
      {
        context_management: { edits: [{ type: 'compact_20260112' }] },
        messages: [user, assistant({ type: 'compaction', content: 'x' }), user],
      },
    ],
    ['prefill on an old model', { messages: [user, assistant(text('x'))] }],
    ['adaptive thinking on a new model', { thinking: { type: 'adaptive', display: 'summarized' } }, NEW],
    ['the greatest budget', thinking(3999)],
    ['a PNG', image('image/png', PIXEL_PNG)],
    ['a schema of any kind', { tools: [tool('a', { input_schema: { type: 'object', $defs: {}, x: 1 } })] }],
    ['four cache points', blocks(...['1', '2', '3', '4'].map((one) => text(one, cached)))],
    ['the vendor’s search', { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] }],
    ['a system role on a new model', { messages: [user, { role: 'system', content: 'x' }] }, NEW],
  ])('%s', async (_name, extra, model = OLD) => {
    expect(await send(extra, { model })).toMatchObject({ status: 200, body: { type: 'message' } });
  });

  test('by a compatible host: unknown parameters, any model, no version', async () => {
    const options = { vendor: 'messages-compatible', model: 'MiniMax-M2', headers: { 'anthropic-version': '' } };
    expect((await send({ foo: 1, top_k: 3 }, options)).status).toBe(200);
    expect((await send({ max_tokens: undefined }, options)).status).toBe(400);
  });
});
