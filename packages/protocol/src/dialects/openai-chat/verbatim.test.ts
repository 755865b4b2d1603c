import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { NO_OPTIONS, targetFacts } from '../dialect.fixture.ts';
import type { AnswerContext, Edit, ResponseOptions, TargetFacts } from '../dialect.ts';
import { openaiChat } from './index.ts';
import { type ChatQuirks, chatQuirks } from './quirks.ts';
import { readAnswer } from './verbatim-answer.ts';
import { verbatimFrames } from './verbatim-frames.ts';

const target = (quirks: Partial<ChatQuirks> = {}): TargetFacts =>
  targetFacts({ dialect: 'openai-chat', family: 'f' }, chatQuirks({ systemRole: 'as-given', ...quirks }));
const context = (responseOptions: Partial<ResponseOptions> = {}): AnswerContext => ({
  requestId: 'r',
  model: 'm',
  createdAtSeconds: 9,
  responseOptions: { ...NO_OPTIONS, ...responseOptions },
});
const HEAD = ['id', 'object', 'created', 'model'];
const membersOf = (edits: readonly Edit[]): Record<string, Json | undefined> =>
  Object.fromEntries(
    edits.map((edit) => [edit.name, 'value' in edit && edit.value !== undefined ? JSON.parse(edit.value) : undefined]),
  );

describe('a request is rebuilt', () => {
  const user = { role: 'user', content: 'x' };
  const system = { role: 'system', content: 'x' };
  const called = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const answered = [
    user,
    { role: 'assistant', content: null, tool_calls: [called] },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
  ];
  const thought = (more: JsonObject) => ({ messages: [user, { role: 'assistant', content: 'x', ...more }] });
  const custom = { type: 'custom', custom: { name: 'c' } };
  const customCall = { id: 'a', type: 'custom', custom: { name: 'c', input: 'x' } };
  const tools = (more: JsonObject) => ({ tools: [{ type: 'function', function: { name: 'f', ...more } }] });
  const schema = { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } } };
  const signed = { reasoning_details: [{ type: 'reasoning.text', text: 't', signature: 's' }] };
  const hidden = { reasoning_details: [{ type: 'reasoning.encrypted', data: 'd' }] };
  const DETAILS: Partial<ChatQuirks> = { reasoningRead: ['reasoning_details'] };
  type Row = [string, JsonObject, rebuilt: Partial<ChatQuirks>, passed: Partial<ChatQuirks>];
  test.each<Row>([
    ['names', { messages: [{ ...user, name: 'n' }] }, { messageNames: false }, {}],
    ['developer', { messages: [{ ...system, role: 'developer' }, user] }, { systemRole: 'system' }, {}],
    ['one system message', { messages: [system, system, user] }, { multipleSystem: false }, {}],
    ['wants developer', { messages: [system, user] }, { systemRole: 'developer' }, { multipleSystem: false }],
    ['earlier reasoning', thought({ reasoning: 't' }), { reasoningReplay: 'forbidden' }, {}],
    ['earlier reasoning', thought({ reasoning_content: 't' }), { reasoningReplay: 'forbidden' }, {}],
    ['earlier reasoning', thought(signed), { ...DETAILS, reasoningReplay: 'forbidden' }, DETAILS],
    ['sealed', thought(signed), {}, DETAILS],
    ['sealed', thought(hidden), {}, DETAILS],
    ['custom tools', { tools: [custom] }, {}, { customTools: true }],
    ['custom tools', thought({ content: null, tool_calls: [customCall] }), {}, { customTools: true }],
    ['strict tools', tools({ strict: true }), { strictTools: false }, {}],
    ['no schemas', schema, { jsonMode: 'object' }, {}],
    ['no JSON mode', { response_format: { type: 'json_object' } }, { jsonMode: 'none' }, { jsonMode: 'object' }],
    ['tool call ids', { messages: answered }, { toolCallIdLength: 9 }, {}],
    ['in parts', {}, { reasoningRead: ['thinking-parts'] }, {}],
  ])('%s', (why, more, rebuilt, passed) => {
    const understood = openaiChat.server.understand({ model: 'm', messages: [user], ...more });
    expect(understood.verbatim(target(rebuilt))).toEqual({ why: expect.stringContaining(why) });
    expect(understood.verbatim(target(passed))).toHaveProperty('edits');
  });
  test('if it contains functions of the deprecated form', () => {
    const messages = [user, { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }];
    const understood = openaiChat.server.understand({ model: 'm', messages });
    expect(understood.verbatim(target())).toEqual({ why: expect.stringContaining('old form') });
  });
  test.each<[string, JsonObject, Partial<ChatQuirks>]>([
    ['no names', {}, { messageNames: false }],
    ['tools that say nothing of strictness', tools({}), { strictTools: false }],
    ['no results of tools', {}, { toolCallIdLength: 9 }],
    ['no thinking', thought({}), { reasoningReplay: 'forbidden' }],
    ['thinking without a seal', thought({ reasoning: 't' }), {}],
    ['plain text', { response_format: { type: 'text' } }, { jsonMode: 'none' }],
  ])('but not with %s', (_name, more, quirks) => {
    const understood = openaiChat.server.understand({ model: 'm', messages: [user], ...more });
    expect(understood.verbatim(target(quirks))).toHaveProperty('edits');
  });
});

describe('a complete answer', () => {
  const complete = { role: 'assistant', content: 'x', refusal: null };
  const choice = (more: JsonObject = {}, message: JsonObject = complete): JsonObject => ({
    index: 0,
    message,
    finish_reason: 'stop',
    ...more,
  });
  const changed = (
    choices: Json,
    responseOptions: Partial<ResponseOptions> = {},
    head: JsonObject = { system_fingerprint: 'f' },
  ) => {
    const { patch } = readAnswer({ ...head, choices }, context(responseOptions), target());
    if (patch.kind === 'drop') throw new Error('dropped');
    return membersOf(patch.edits);
  };
  const head = { id: 'chatcmpl-r', object: 'chat.completion', created: 9, model: 'm' };

  test('[CR-13] content that the host sends as an object becomes its JSON text', () => {
    const message = { role: 'assistant', content: { city: 'Rome' }, refusal: null };
    const [shown] = changed([{ index: 0, message, finish_reason: 'stop' }])['choices'] as JsonObject[];
    expect(shown?.['message']).toEqual({ ...message, content: '{"city":"Rome"}' });
  });

  test('that is well-formed changes only in its head', () => {
    expect(changed([choice()])).toEqual(head);
    expect(changed([choice()], {}, {})).toEqual({ ...head, system_fingerprint: null });
    expect(changed([choice({ logprobs: null })])).toEqual(head);
    expect(changed([choice({ logprobs: {} })], { logprobs: true })).toEqual(head);
  });
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const withCalls = (...calls: Json[]): JsonObject => ({ ...complete, tool_calls: calls });
  const both = { reasoning: 't', reasoning_content: 't' };
  test.each<[string, Json, JsonObject, Partial<ResponseOptions>]>([
    ['another index', [choice({ index: 1 })], choice(), {}],
    ['two choices', [choice(), choice()], choice(), {}],
    ['unrequested log probabilities', [choice({ logprobs: {} })], choice({ logprobs: null }), {}],
    ['a finish reason of the host', [choice({ finish_reason: 'eos' })], choice(), {}],
    ['members left out', [choice({}, {})], choice({}, { ...complete, content: null }), {}],
    ['a role left out', [choice({}, { content: 'x', refusal: null })], choice(), {}],
    [
      'content left out',
      [choice({}, { role: 'assistant', refusal: 'n' })],
      choice({}, { role: 'assistant', content: null, refusal: 'n' }),
      {},
    ],
    ['no calls after all', [choice({}, withCalls())], choice(), {}],
    [
      'calls that end with stop',
      [choice({}, withCalls(call))],
      choice({ finish_reason: 'tool_calls' }, withCalls(call)),
      {},
    ],
    [
      'calls with gaps',
      [
        choice(
          {},
          withCalls({ function: { name: 'f', arguments: {} } }, { id: '', type: 'function', function: {} }, 1),
        ),
      ],
      choice(
        { finish_reason: 'tool_calls' },
        withCalls(
          { id: 'call_0', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: 'call_1', type: 'function', function: { arguments: '' } },
          1,
        ),
      ),
      {},
    ],
    [
      'reasoning under one name',
      [choice({}, { ...complete, reasoning: 't' })],
      choice({}, { ...complete, ...both }),
      {},
    ],
    [
      'unwanted reasoning',
      [choice({}, { ...complete, ...both, reasoning_details: [] })],
      choice(),
      { hideReasoning: true },
    ],
    [
      'reasoning under another name',
      [choice({}, { ...complete, reasoning_text: 't' })],
      choice({}, { ...complete, ...both }),
      {},
    ],
    ['empty reasoning', [choice({}, { ...complete, reasoning: '' })], choice(), {}],
  ])('with %s', (_name, choices, expected, responseOptions) => {
    expect(changed(choices, responseOptions)).toEqual({ ...head, choices: [expected] });
  });
  test.each<[string, JsonObject]>([
    [
      'calls that are whole',
      choice({ finish_reason: 'tool_calls' }, withCalls(call, { ...call, id: 'b', type: 'custom' })),
    ],
    ['the old word for calls', choice({ finish_reason: 'function_call' })],
    ['reasoning under both names', choice({}, { ...complete, ...both })],
  ])('with %s stays unchanged', (_name, whole) => {
    expect(changed([whole])).toEqual(head);
  });
  test('is read for its usage', () => {
    const body = { usage: { prompt_tokens: 2 }, choices: [choice()] };
    expect(readAnswer(body, context(), target()).usage).toEqual({ prompt: 2 });
    expect(readAnswer({ choices: [choice()] }, context(), target())).not.toHaveProperty('usage');
  });
});

describe('a chunk', () => {
  const chunk = (delta: JsonObject, more: JsonObject = {}, top: JsonObject = {}): string =>
    JSON.stringify({ ...top, choices: [{ index: 0, delta, finish_reason: null, ...more }] });
  const opened = (responseOptions: Partial<ResponseOptions> = {}) => {
    const frames = verbatimFrames(context(responseOptions), target());
    frames.read({ data: chunk({ role: 'assistant' }) });
    return frames;
  };
  const read = (data: string, responseOptions: Partial<ResponseOptions> = {}) => opened(responseOptions).read({ data });
  const editsOf = (data: string, responseOptions: Partial<ResponseOptions> = {}) => {
    const { patch } = read(data, responseOptions);
    return patch.kind === 'drop' ? 'drop' : membersOf(patch.edits);
  };

  test('of plain text changes only in its head, and can be recognised', () => {
    const reading = read(chunk({ content: 'abc' }));
    expect(reading).toMatchObject({ producedCharacters: 3, hole: { text: 'abc', copies: 1 } });
    expect(Object.keys(editsOf(chunk({ content: 'abc' })))).toEqual(HEAD);
  });
  test('of reasoning under both names can be recognised', () => {
    const both = { reasoning: 'ab', reasoning_content: 'ab' };
    expect(read(chunk(both))).toMatchObject({ producedCharacters: 2, hole: { text: 'ab', copies: 2 } });
    expect(read(chunk({ ...both, x: 1 }))).not.toHaveProperty('hole');
    expect(read(chunk({ content: 'x', x: 1 }))).not.toHaveProperty('hole');
    expect(read(chunk({ content: 'x' }, { finish_reason: 'stop' }))).not.toHaveProperty('hole');
  });
  test('of a call counts its arguments', () => {
    const calls = [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"a"}' } }, 1];
    expect(read(chunk({ tool_calls: calls }))).toMatchObject({ producedCharacters: 5 });
    const custom = [{ index: 0, id: 'a', type: 'custom', custom: { name: 'f', input: 'abcd' } }];
    expect(read(chunk({ tool_calls: custom }))).toMatchObject({ producedCharacters: 4 });
  });
  test('of a refusal counts its text', () => {
    expect(read(chunk({ refusal: 'No.' }))).toMatchObject({ producedCharacters: 3 });
  });

  const corrected = (delta: JsonObject, more: JsonObject = {}) => [{ index: 0, delta, finish_reason: null, ...more }];
  test.each<[string, string, Json, Partial<ResponseOptions>]>([
    ['another index', chunk({ content: 'x' }, { index: 2 }), corrected({ content: 'x' }), {}],
    ['usage in the choice', chunk({ content: 'x' }, { usage: {} }), corrected({ content: 'x' }), {}],
    [
      'unrequested log probabilities',
      chunk({ content: 'x' }, { logprobs: {} }),
      corrected({ content: 'x' }, { logprobs: null }),
      {},
    ],
    ['a reason that is empty', chunk({ content: 'x' }, { finish_reason: '' }), corrected({ content: 'x' }), {}],
    ['a finish reason of the host', chunk({}, { finish_reason: 'eos' }), corrected({}, { finish_reason: 'stop' }), {}],
    [
      'unwanted reasoning',
      chunk({ content: 'x', reasoning: 't' }),
      corrected({ content: 'x' }),
      { hideReasoning: true },
    ],
  ])('with %s is corrected', (_name, data, choices, responseOptions) => {
    expect(editsOf(data, responseOptions)).toMatchObject({ choices });
  });
  test('with requested log probabilities, or nothing wrong, is not corrected', () => {
    expect(editsOf(chunk({ content: 'x' }, { logprobs: {} }), { logprobs: true })).not.toHaveProperty('choices');
    expect(editsOf(chunk({}, { finish_reason: 'stop' }))).not.toHaveProperty('choices');
  });
  test('loses its usage, which is sent in a chunk of its own, and only if there is any', () => {
    const usage = { prompt_tokens: 2 };
    expect(editsOf(chunk({ content: 'x' }, {}, { usage }))).toHaveProperty('usage', undefined);
    expect(editsOf(chunk({ content: 'x' }, {}, { usage: null }))).not.toHaveProperty('usage');
    expect(read(chunk({ content: 'x' }, {}, { usage }))).toMatchObject({ usage: { prompt: 2 } });
    expect(read(JSON.stringify({ choices: [], usage }))).toEqual({ patch: { kind: 'drop' }, usage: { prompt: 2 } });
  });
  test('that only holds unwanted content is dropped, unless it ends the answer', () => {
    const hide = { hideReasoning: true };
    expect(editsOf(chunk({ reasoning: 't' }), hide)).toBe('drop');
    expect(editsOf(chunk({ reasoning: 't' }, { finish_reason: 'stop' }), hide)).toMatchObject({
      choices: corrected({}, { finish_reason: 'stop' }),
    });
    expect(editsOf(chunk({}))).not.toBe('drop');
    expect(editsOf('[DONE]')).toBe('drop');
    expect(read('[DONE]')).toHaveProperty('last', true);
    expect(read(' ')).not.toHaveProperty('last');
  });
  test('that comes first has the role', () => {
    const first = (delta: JsonObject) => {
      const { patch } = verbatimFrames(context(), target()).read({ data: chunk(delta) });
      return patch.kind === 'drop' ? 'drop' : membersOf(patch.edits);
    };
    expect(first({ content: 'x' })).toMatchObject({ choices: corrected({ role: 'assistant', content: 'x' }) });
    expect(first({ role: 'assistant', content: 'x' })).not.toHaveProperty('choices');
  });
  test('that reports a failure of the host is a fault', () => {
    expect(read(chunk({}, { finish_reason: 'error' }))).toMatchObject({ fault: { kind: 'upstream-broken' } });
    expect(read('{')).toMatchObject({ fault: { kind: 'upstream-broken' } });
  });
  test('after the finish has no finish of its own', () => {
    const frames = opened();
    frames.read({ data: chunk({}, { finish_reason: 'stop' }) });
    const { patch } = frames.read({ data: chunk({}, { finish_reason: 'stop' }) });
    expect(patch.kind === 'pass' && membersOf(patch.edits)).toMatchObject({ choices: corrected({}) });
  });
  test('of usage follows the last one if it was requested and is known', () => {
    const ended = (responseOptions: Partial<ResponseOptions>, top: JsonObject) => {
      const frames = opened(responseOptions);
      frames.read({ data: chunk({}, { finish_reason: 'stop' }, top) });
      return frames.end().frames.map(({ data }) => (data === '[DONE]' ? data : JSON.parse(data)));
    };
    const usage = { prompt_tokens: 2 };
    const usageChunk = {
      id: 'chatcmpl-r',
      object: 'chat.completion.chunk',
      created: 9,
      model: 'm',
      choices: [],
      usage,
    };
    expect(ended({ usageInStream: true }, { usage })).toEqual([usageChunk, '[DONE]']);
    expect(ended({}, { usage })).toEqual(['[DONE]']);
    expect(ended({ usageInStream: true }, {})).toEqual(['[DONE]']);
    expect(opened().end()).toMatchObject({ frames: [], fault: { kind: 'upstream-broken' } });
  });
});
