import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { fieldOf as fieldOfFault } from '../dialect.fixture.ts';
import { openaiResponses } from './index.ts';

const body = (more: JsonObject): JsonObject => ({ model: 'o/m', input: 'hi', ...more });
const understand = (more: JsonObject) => openaiResponses.server.understand(body(more));
const fieldOf = (more: JsonObject) => fieldOfFault(() => understand(more), ['malformed', 'unsupported']);
const user = (...content: JsonObject[]): JsonObject => ({ input: [{ role: 'user', content }] });

describe('a refusal names its field', () => {
  test.each<[string, JsonObject, string]>([
    ['model empty', { model: '' }, 'model'],
    ['input missing', { input: null }, 'input'],
    ['input empty', { input: [] }, 'input'],
    ['stored state', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['stored conversation', { conversation: 'conv_1' }, 'conversation'],
    ['stored prompt', { prompt: { id: 'p' } }, 'prompt'],
    ['background work', { background: true }, 'background'],
    ['privacy of another protocol', { provider: { zdr: true } }, 'provider.zdr'],
    [
      'privacy inside routing',
      { provider: { routing: { data_collection: 'deny' } } },
      'provider.routing.data_collection',
    ],
    ['item reference', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]'],
    ['bare item reference', { input: [{ role: 'user', content: 'x' }, { id: 'msg_1' }] }, 'input[1]'],
    ['item of a hosted tool', { input: [{ type: 'mcp_call' }] }, 'input[0].type'],
    ['role', { input: [{ role: 'bot', content: 'x' }] }, 'input[0].role'],
    ['empty content', { input: [{ role: 'user', content: [] }] }, 'input[0].content'],
    ['part of chat', user({ type: 'text', text: 'x' }), 'input[0].content[0].type'],
    [
      'input part in an answer',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
      'input[0].content[0].type',
    ],
    ['image without address', user({ type: 'input_image' }), 'input[0].content[0].image_url'],
    ['image by odd address', user({ type: 'input_image', image_url: 'ftp://x' }), 'input[0].content[0].image_url'],
    ['image stored elsewhere', user({ type: 'input_image', file_id: 'f' }), 'input[0].content[0].file_id'],
    ['file stored elsewhere', user({ type: 'input_file', file_id: 'f' }), 'input[0].content[0].file_id'],
    ['file that is no base64', user({ type: 'input_file', file_data: '%%%' }), 'input[0].content[0].file_data'],
    [
      'output without a call',
      { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] },
      'input[0].call_id',
    ],
    ['call without arguments', { input: [{ type: 'function_call', call_id: 'c', name: 'f' }] }, 'input[0].arguments'],
    ['reasoning without summary', { input: [{ type: 'reasoning', id: 'rs_1' }] }, 'input[0].summary'],
    ['temperature too high', { temperature: 2.5 }, 'temperature'],
    ['top_p too high', { top_p: 1.5 }, 'top_p'],
    ['cap of zero', { max_output_tokens: 0 }, 'max_output_tokens'],
    ['top_logprobs alone', { top_logprobs: 3 }, 'top_logprobs'],
    ['hosted tool', { tools: [{ type: 'file_search', vector_store_ids: ['v'] }] }, 'tools[0].type'],
    ['tool without type', { tools: [{ name: 'nonsense' }] }, 'tools[0].type'],
    ['tool without name', { tools: [{ type: 'function', parameters: {} }] }, 'tools[0].name'],
    ['two searches', { tools: [{ type: 'web_search' }, { type: 'web_search_preview' }] }, 'tools'],
    ['required without tools', { tool_choice: 'required' }, 'tool_choice'],
    ['choice of the undeclared', { tool_choice: { type: 'function', name: 'f' } }, 'tool_choice.name'],
    ['forced search', { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }, 'tool_choice.type'],
    ['format', { text: { format: { type: 'xml' } } }, 'text.format.type'],
    ['schema without name', { text: { format: { type: 'json_schema', schema: {} } } }, 'text.format.name'],
    ['schema missing', { text: { format: { type: 'json_schema', name: 'n' } } }, 'text.format.schema'],
    ['verbosity', { text: { verbosity: 'chatty' } }, 'text.verbosity'],
    ['summary', { reasoning: { summary: 'long' } }, 'reasoning.summary'],
    ['include', { include: 'all' }, 'include'],
  ])('%s', (_name, more, field) => {
    expect(fieldOf(more)).toBe(field);
  });
});

describe('accepted', () => {
  test('null counts as absent everywhere at the top level', () => {
    const nulls = Object.fromEntries(
      [
        'instructions',
        'temperature',
        'tools',
        'tool_choice',
        'text',
        'reasoning',
        'include',
        'store',
        'background',
        'previous_response_id',
        'conversation',
        'metadata',
        'max_output_tokens',
      ].map((name) => [name, null]),
    );
    const understood = understand(nulls);
    expect(understood.losses).toEqual([]);
    expect(understood.call().sampling).toEqual({});
  });

  test('hints are accepted and reported, and so is a request to store', () => {
    const { losses } = understand({ user: 'u', service_tier: 'flex', safety_identifier: 's', store: true });
    expect(losses.map(({ path }) => path)).toEqual(['user', 'service_tier', 'safety_identifier', 'store']);
    expect(understand({ store: false }).losses).toEqual([]);
  });

  test('an unknown effort is read as medium, and reported', () => {
    const understood = understand({ reasoning: { effort: 'heroic' } });
    expect(understood.losses).toEqual([{ path: 'reasoning.effort', why: 'approximated' }]);
    expect(understood.call().reasoning?.effort).toBe('medium');
  });

  test('media are found with their paths', () => {
    const { media } = understand(
      user(
        { type: 'input_text', text: 'see' },
        { type: 'input_image', image_url: 'data:image/png;base64,QUJD' },
        { type: 'input_file', file_url: 'https://x.test/a.pdf' },
      ),
    );
    expect(media).toEqual([
      { kind: 'image', path: 'input[0].content[1]' },
      { kind: 'document', path: 'input[0].content[2]' },
    ]);
  });

  test('an envelope that is not valid any more is reported and dropped', () => {
    const understood = openaiResponses.server.understand(
      body({ input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ENV-old' }] }),
      {
        header: () => undefined,
        sealing: { wrap: () => '', unwrap: () => undefined, isEnvelope: (text) => text.startsWith('ENV') },
      },
    );
    expect(understood.losses).toEqual([{ path: 'input[0].encrypted_content', why: 'foreign-seal' }]);
    expect(understood.call().turns).toEqual([]);
  });

  test('the answer repeats the settings of the request', () => {
    const { responseOptions } = understand({ instructions: 'be kind', temperature: 0.5, metadata: { a: 'b' }, foo: 1 });
    expect(responseOptions.echo).toEqual({ instructions: 'be kind', temperature: 0.5, metadata: { a: 'b' } });
  });
});

describe('an error in the format of this dialect', () => {
  test('has message, type, param and code', () => {
    const { status, body: wire } = openaiResponses.server.encodeFault(
      { kind: 'unsupported', message: 'no', field: 'background' },
      'r',
    );
    expect(status).toBe(400);
    expect(wire).toEqual({
      error: { message: 'no', type: 'invalid_request_error', param: 'background', code: 'unsupported' },
    });
  });

  test('an upstream without credit counts as overloaded, and a refusal is passed on', () => {
    const { decodeFault } = openaiResponses.client;
    expect(decodeFault(429, { error: { code: 'insufficient_quota' } }).kind).toBe('upstream-overloaded');
    expect(decodeFault(429, {}).kind).toBe('upstream-over-rate');
    expect(decodeFault(401, { error: { message: 'bad key' } }).kind).toBe('upstream-broken');
    expect(decodeFault(400, { error: { message: 'bad', param: 'input', code: 'x' } })).toEqual({
      kind: 'refused',
      message: 'bad',
      field: 'input',
      code: 'x',
    });
  });
});

test('a tool that cannot be forced and an unknown value give different errors', () => {
  const forcing = (type: string) => () => understand({ tools: [{ type: 'web_search' }], tool_choice: { type } });
  for (const known of ['web_search', 'file_search', 'local_shell'])
    expect(forcing(known), known).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'unsupported' }) }),
    );
  expect(forcing('telepathy')).toThrow(
    expect.objectContaining({ fault: expect.objectContaining({ kind: 'malformed' }) }),
  );
});

test('the end user is read from `user`, if it is a text', () => {
  expect(understand({ user: 'u-1' }).user).toBe('u-1');
  for (const more of [{}, { user: null }]) expect('user' in understand(more)).toBe(false);
});
