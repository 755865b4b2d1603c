import { describe, expect, test } from 'vitest';
import { textCall } from '../../canonical/call.fixture.ts';
import type { OutputFormat, TextCall, Tool } from '../../canonical/call.ts';
import type { FieldLoss } from '../../canonical/fields.ts';
import type { Json } from '../../canonical/json.ts';
import { targetFacts } from '../dialect.fixture.ts';
import type { TargetFacts } from '../dialect.ts';
import { encodeCall } from './encode-call.ts';
import { type ChatQuirks, chatQuirks } from './quirks.ts';

const facts = (quirks: Partial<ChatQuirks> = {}): TargetFacts =>
  targetFacts({ dialect: 'openai-chat', family: 'f' }, chatQuirks({ logitBias: true, verbosity: true, ...quirks }));
const CALL: TextCall = textCall({ turns: [{ role: 'user', blocks: [{ kind: 'text', text: 'x' }] }] });
const BARE = { model: 'up', messages: [{ role: 'user', content: 'x' }] };
/** The body without model and messages, which every case shares, and the losses. */
function encoded(more: Partial<TextCall>, quirks: Partial<ChatQuirks> = {}) {
  const { body, losses } = encodeCall({ ...CALL, ...more }, facts(quirks));
  const { model, messages, ...rest } = body as Record<string, Json>;
  expect(model).toBe('up');
  return { messages, rest, losses };
}
const lost = (field: FieldLoss['field'], why: FieldLoss['why'] = 'no-equivalent'): FieldLoss => ({ field, why });

test('a call without options is a model and messages, and nothing is lost', () => {
  expect(encodeCall(CALL, facts())).toEqual({ body: BARE, losses: [] });
});

test.each<[Partial<TextCall>, Record<string, Json>]>([
  [{ sampling: { maxOutputTokens: 5 } }, { max_tokens: 5 }],
  [{ sampling: { temperature: 0 } }, { temperature: 0 }],
  [{ sampling: { topP: 0.5 } }, { top_p: 0.5 }],
  [{ sampling: { stopSequences: ['s'] } }, { stop: ['s'] }],
  [{ sampling: { frequencyPenalty: 1 } }, { frequency_penalty: 1 }],
  [{ sampling: { presencePenalty: 1 } }, { presence_penalty: 1 }],
  [{ sampling: { logitBias: { 1: 2 } } }, { logit_bias: { 1: 2 } }],
  [{ sampling: { logprobs: true, topLogprobs: 2 } }, { logprobs: true, top_logprobs: 2 }],
  [{ sampling: { verbosity: 'low' } }, { verbosity: 'low' }],
  [{ sampling: { seed: 7 } }, { seed: 7 }],
  [{ sampling: { candidates: 1 } }, {}],
  [{ stream: true }, { stream: true, stream_options: { include_usage: true } }],
  [{ extras: { 'openai-chat': { min_p: 0.1 } } }, { min_p: 0.1 }],
  [{ modalities: ['text'] }, {}],
  [{ safety: [] }, {}],
])('%j becomes %j', (more, rest) => {
  expect(encoded(more)).toMatchObject({ rest, losses: [] });
  expect(Object.keys(encoded(more).rest)).toEqual(Object.keys(rest));
});

describe('seed and top-k use the host’s names, or are lost', () => {
  test.each<[Partial<ChatQuirks>, Record<string, Json>, FieldLoss[]]>([
    [{}, { seed: 7 }, [lost('sampling.topK')]],
    [{ seedField: 'random_seed', topKField: 'top_k' }, { random_seed: 7, top_k: 3 }, []],
    [{ seedField: 'none', topKField: 'top_k' }, { top_k: 3 }, [lost('sampling.seed')]],
  ])('%j', (quirks, rest, losses) => {
    expect(encoded({ sampling: { seed: 7, topK: 3 } }, quirks)).toMatchObject({ rest, losses });
    expect(Object.keys(encoded({ sampling: { seed: 7, topK: 3 } }, quirks).rest).sort()).toEqual(Object.keys(rest));
  });
});

test.each<[Partial<TextCall>, FieldLoss['field']]>([
  [{ imageOutput: {} }, 'call.imageOutput'],
  [{ speech: {} }, 'call.speech'],
  [{ mediaResolution: 'low' }, 'call.mediaResolution'],
  [{ audioTimestamp: true }, 'call.audioTimestamp'],
  [{ autoCache: {} }, 'call.autoCache'],
  [{ safety: [{ category: 'c', threshold: 't' }] }, 'call.safety'],
  [{ extras: { 'google-generate': { x: 1 } } }, 'extras'],
])('%j is lost as %s', (more, field) => {
  expect(encoded(more)).toMatchObject({ rest: {}, losses: [lost(field)] });
});

describe('tools', () => {
  const plain: Tool = { kind: 'function', name: 'f' };
  const full: Tool = { kind: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: true };
  const custom: Tool = { kind: 'custom', name: 'c' };
  test('functions with all their members', () => {
    const { rest, losses } = encoded({ tools: [plain, full] });
    expect(rest).toEqual({
      tools: [
        { type: 'function', function: { name: 'f' } },
        {
          type: 'function',
          function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
        },
      ],
    });
    expect(losses).toEqual([]);
  });
  test('strictness is lost if the host does not support it', () => {
    const strictless = { strictTools: false };
    const { rest, losses } = encoded({ tools: [full] }, strictless);
    expect(rest).toMatchObject({ tools: [{ function: { name: 'f', description: 'd' } }] });
    expect(JSON.stringify(rest)).not.toContain('strict');
    expect(losses).toEqual([lost('tool.strict')]);
    expect(encoded({ tools: [plain] }, strictless).losses).toEqual([]);
  });
  test('free-form tools if the host supports them', () => {
    const described: Tool = { ...custom, description: 'd', format: { type: 'text' } };
    expect(encoded({ tools: [custom, described] }, { customTools: true }).rest).toEqual({
      tools: [
        { type: 'custom', custom: { name: 'c' } },
        { type: 'custom', custom: { name: 'c', description: 'd', format: { type: 'text' } } },
      ],
    });
    expect(encoded({ tools: [custom] }).rest).toMatchObject({
      tools: [{ type: 'function', function: { name: 'c', parameters: { required: ['input'] } } }],
    });
  });
  test.each<[TextCall['toolChoice'], Json]>([
    [{ mode: 'auto' }, 'auto'],
    [{ mode: 'none' }, 'none'],
    [{ mode: 'any' }, 'required'],
    [{ mode: 'validated' }, 'auto'],
    [
      { mode: 'one', name: 'f' },
      { type: 'function', function: { name: 'f' } },
    ],
    [
      { mode: 'one', name: 'c' },
      { type: 'custom', custom: { name: 'c' } },
    ],
    [
      { mode: 'some', names: ['f', 'c'], required: true },
      {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: [
            { type: 'function', function: { name: 'f' } },
            { type: 'custom', custom: { name: 'c' } },
          ],
        },
      },
    ],
    [
      { mode: 'some', names: ['f'], required: false },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
    ],
  ])('the choice %j', (toolChoice, expected) => {
    const call = { tools: [plain, custom], ...(toolChoice !== undefined && { toolChoice }) };
    expect(encoded(call, { customTools: true }).rest).toMatchObject({ tool_choice: expected });
  });
  test('calls one at a time', () => {
    expect(encoded({ tools: [plain], parallelToolCalls: false }).rest).toMatchObject({ parallel_tool_calls: false });
    expect(encoded({ tools: [plain] }).rest).not.toHaveProperty('parallel_tool_calls');
    expect(encoded({ tools: [plain] }).rest).not.toHaveProperty('tool_choice');
  });
});

describe('output', () => {
  const schema: OutputFormat = { kind: 'schema', schema: { type: 'object' } };
  const named: OutputFormat = { ...schema, name: 'n', description: 'd', strict: false };
  const oneOf: OutputFormat = { kind: 'enum', values: ['a', 'b'] };
  const jsonObject = { response_format: { type: 'json_object' } };
  const schemaFormat = (json_schema: Json) => ({ response_format: { type: 'json_schema', json_schema } });
  const words = {
    json: 'Answer with one JSON object.',
    schema: 'Answer with one JSON object that matches this JSON Schema: {"type":"object"}',
    enum: 'Answer with a JSON object {"value": …} whose value is one of: ["a","b"]',
  };
  const chosen = {
    name: 'choice',
    schema: {
      type: 'object',
      properties: { value: { type: 'string', enum: ['a', 'b'] } },
      required: ['value'],
      additionalProperties: false,
    },
    strict: true,
  };
  type Row = [OutputFormat, ChatQuirks['jsonMode'], object, string | undefined, FieldLoss[]];
  test.each<Row>([
    [{ kind: 'text' }, 'schema', {}, undefined, []],
    [{ kind: 'text' }, 'none', {}, undefined, []],
    [{ kind: 'json' }, 'schema', jsonObject, words.json, []],
    [{ kind: 'json' }, 'object', jsonObject, words.json, []],
    [{ kind: 'json' }, 'none', {}, words.json, [lost('output.json', 'approximated')]],
    [schema, 'schema', schemaFormat({ name: 'response', schema: { type: 'object' } }), undefined, []],
    [
      named,
      'schema',
      schemaFormat({ name: 'n', schema: { type: 'object' }, strict: false, description: 'd' }),
      undefined,
      [],
    ],
    [schema, 'object', jsonObject, words.schema, [lost('output.schema', 'approximated')]],
    [schema, 'none', {}, words.schema, [lost('output.schema', 'approximated')]],
    [oneOf, 'schema', schemaFormat(chosen), undefined, []],
    [oneOf, 'object', jsonObject, words.enum, [lost('output.enum', 'approximated')]],
    [oneOf, 'none', {}, words.enum, [lost('output.enum', 'approximated')]],
  ])('%j for a host of mode %s', (output, jsonMode, rest, instruction, losses) => {
    const request = encoded({ output }, { jsonMode });
    expect(request.rest).toEqual(rest);
    expect(request.losses).toEqual(losses);
    const instructions = instruction === undefined ? [] : [{ role: 'system', content: instruction }];
    expect(request.messages).toEqual([...BARE.messages, ...instructions]);
  });
});

test('a call that mentions JSON gets no further instruction', () => {
  const turns: TextCall['turns'] = [{ role: 'user', blocks: [{ kind: 'text', text: 'In Json, please.' }] }];
  expect(encoded({ output: { kind: 'json' }, turns }).messages).toEqual([
    { role: 'user', content: 'In Json, please.' },
  ]);
});

test('web search with its size and location; domain filters are refused, either way', () => {
  const searching = (webSearch: TextCall['webSearch']) =>
    encoded(webSearch === undefined ? {} : { webSearch }, { webSearchOptions: true }).rest;
  expect(searching({})).toEqual({ web_search_options: {} });
  expect(searching({ contextSize: 'low', location: { city: 'Ulm' } })).toEqual({
    web_search_options: {
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { city: 'Ulm' } },
    },
  });
  expect(searching(undefined)).toEqual({});
  expect(() => searching({ allowedDomains: ['a'] })).toThrow('domains');
  expect(() => searching({ blockedDomains: ['a'] })).toThrow('domains');
});
