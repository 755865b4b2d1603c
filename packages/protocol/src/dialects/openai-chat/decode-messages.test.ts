import { describe, expect, test } from 'vitest';
import type { Block, Turn } from '../../canonical/content.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { openaiChat } from './index.ts';

const understood = (messages: readonly Json[], more: JsonObject = {}) =>
  openaiChat.server.understand({ model: 'm', messages, ...more });
const turnsOf = (...messages: Json[]): readonly Turn[] => understood(messages).call().turns;
const user = { role: 'user', content: 'x' };
const text = (words: string): Block => ({ kind: 'text', text: words });

describe('system messages', () => {
  test('that lead become the call’s, marked with their original form', () => {
    const { system, turns } = understood([
      { role: 'system', content: 'a' },
      { role: 'developer', content: [{ type: 'text', text: 'b' }], name: 'n' },
      { role: 'system', content: '' },
      user,
    ]).call();
    expect(system).toEqual([
      text('a'),
      {
        ...text('b'),
        extras: { 'openai-chat': { asArray: true, newMessage: true, role: 'developer', name: 'n' } },
      },
    ]);
    expect(turns).toEqual([{ role: 'user', blocks: [text('x')] }]);
  });
  test('without anything after them give a call without turns', () => {
    expect(understood([{ role: 'system', content: 'a' }]).call()).toMatchObject({ system: [text('a')], turns: [] });
  });
  test('between turns stay there', () => {
    expect(turnsOf(user, { role: 'developer', content: 'a', name: 'n' }, { role: 'system', content: 'b' })).toEqual([
      { role: 'user', blocks: [text('x')] },
      { role: 'system', blocks: [text('a')], name: 'n', extras: { 'openai-chat': { role: 'developer' } } },
      { role: 'system', blocks: [text('b')] },
    ]);
  });
});

describe('user messages', () => {
  const partOf = (part: JsonObject) => turnsOf({ role: 'user', content: [part] })[0]?.blocks[0];
  test.each<[string, JsonObject, object]>([
    ['text', { type: 'text', text: 'x' }, { ...text('x'), extras: { 'openai-chat': { asArray: true } } }],
    [
      'a picture by address',
      { type: 'image_url', image_url: { url: 'http://x/y', detail: 'low' } },
      { kind: 'media', media: 'image', source: { via: 'url', url: 'http://x/y' }, detail: 'low' },
    ],
    [
      'a picture',
      { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
      { kind: 'media', media: 'image', mimeType: 'image/png', source: { via: 'inline', base64: 'QUJD' } },
    ],
    [
      'sound',
      { type: 'input_audio', input_audio: { data: 'QUJD', format: 'mp3' } },
      { kind: 'media', media: 'audio', mimeType: 'audio/mp3', source: { via: 'inline', base64: 'QUJD' } },
    ],
    [
      'a file with a type',
      { type: 'file', file: { file_data: 'data:text/csv;base64,QUJD', filename: 'n' } },
      { kind: 'media', media: 'document', mimeType: 'text/csv', source: { via: 'inline', base64: 'QUJD' }, name: 'n' },
    ],
    [
      'a file without one',
      { type: 'file', file: { file_data: 'QUJD' } },
      { kind: 'media', media: 'document', mimeType: 'application/pdf', source: { via: 'inline', base64: 'QUJD' } },
    ],
  ])('%s', (_name, part, block) => {
    expect(partOf(part)).toStrictEqual(block);
  });
  test('several parts are not marked', () => {
    const part = { type: 'text', text: 'x' };
    expect(turnsOf({ role: 'user', content: [part, part] })[0]?.blocks).toEqual([text('x'), text('x')]);
  });
});

describe('calls and their results', () => {
  const called = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
  const block = (id: string) => ({ kind: 'tool-call', id, name: 'f', form: 'function', argumentsJson: '{}' });
  const result = (callId: string, more: object = {}) => ({
    kind: 'tool-result',
    callId,
    content: [text('r')],
    isError: false,
    ...more,
  });
  const toolMessage = (id: string, more: JsonObject = {}) => ({
    role: 'tool',
    tool_call_id: id,
    content: 'r',
    ...more,
  });
  test('results of one turn are grouped, apart from later text', () => {
    const turns = turnsOf(
      user,
      { role: 'assistant', content: null, tool_calls: [called('a'), called('b')] },
      toolMessage('a', { name: 'n' }),
      toolMessage('b'),
      user,
      toolMessage('a'),
    );
    expect(turns).toEqual([
      { role: 'user', blocks: [text('x')] },
      { role: 'assistant', blocks: [block('a'), block('b')] },
      { role: 'user', blocks: [result('a', { name: 'n', extras: { 'openai-chat': { named: true } } }), result('b')] },
      { role: 'user', blocks: [text('x')] },
      { role: 'user', blocks: [result('a')] },
    ]);
  });
  test('free-form calls', () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'c', input: 'x' } };
    expect(turnsOf(user, { role: 'assistant', tool_calls: [custom] })[1]?.blocks).toEqual([
      { kind: 'tool-call', id: 'a', name: 'c', form: 'custom', argumentsJson: 'x' },
    ]);
  });
  test('functions of the deprecated form get an id that their result repeats', () => {
    const legacy = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } };
    expect(turnsOf(user, legacy, { role: 'function', name: 'f', content: 'r' }).slice(1)).toEqual([
      { role: 'assistant', blocks: [{ ...block('call_1_0'), idMinted: true }] },
      { role: 'user', blocks: [result('call_1_0')] },
    ]);
  });
});

describe('earlier reasoning', () => {
  const said = (more: JsonObject) =>
    turnsOf(user, { role: 'assistant', content: 'x', ...more })[1]?.blocks.slice(0, -1);
  test('plain, under either name', () => {
    const thought = [{ kind: 'thinking', text: 't', form: 'full' }];
    expect(said({ reasoning_content: 't' })).toEqual(thought);
    expect(said({ reasoning: 't' })).toEqual(thought);
    expect(said({ reasoning: '' })).toEqual([]);
    expect(said({})).toEqual([]);
  });
  test.each<[string, object]>([
    ['anthropic-claude-v1', { dialect: 'anthropic-messages', family: 'claude' }],
    ['google-gemini-v1', { dialect: 'google-generate', family: 'gemini' }],
    ['openai-responses-v1', { dialect: 'openai-responses', family: 'gpt' }],
    ['other', { dialect: 'openai-chat', family: 'unknown' }],
  ])('sealed in the format %s belongs to its owner', (format, owner) => {
    const signed = { type: 'reasoning.text', text: 't', signature: 's', format };
    const hidden = { type: 'reasoning.encrypted', data: 'd', format, id: 'of no call' };
    const summary = { type: 'reasoning.summary', summary: 'u', format };
    const extras = (detail: object) => ({ 'openai-chat': { detail } });
    const itemId = format === 'openai-responses-v1' ? { itemId: 'of no call' } : {};
    expect(said({ reasoning_details: [signed, hidden, summary] })).toEqual([
      {
        kind: 'thinking',
        text: 't',
        form: 'full',
        seal: { owner, kind: 'signature', data: 's' },
        extras: extras(signed),
      },
      { kind: 'redacted', seal: { owner, kind: 'sealed', data: 'd', ...itemId }, extras: extras(hidden) },
      { kind: 'thinking', text: 'u', form: 'summary', extras: extras(summary) },
    ]);
  });
  describe('state attached to a block', () => {
    const seal = { owner: { dialect: 'google-generate', family: 'gemini' }, kind: 'carry', data: 'd' };
    const detail = { type: 'reasoning.encrypted', data: 'd', format: 'google-gemini-v1' };
    const called = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
    const blocksOf = (detailGiven: JsonObject) =>
      turnsOf(user, {
        role: 'assistant',
        content: 'x',
        tool_calls: [called('a'), called('b')],
        reasoning_details: [detailGiven],
      })[1]?.blocks;
    test('belongs to the call it names, or to the first text', () => {
      expect(blocksOf({ ...detail, id: 'b' })).toMatchObject([{ kind: 'text' }, { id: 'a' }, { id: 'b', seal }]);
      expect(blocksOf({ ...detail, id: 'b' })?.[1]).not.toHaveProperty('seal');
      expect(blocksOf(detail)).toMatchObject([{ kind: 'text', seal }, { id: 'a' }, { id: 'b' }]);
    });
    test.each<[string, JsonObject]>([
      ['of another maker', { ...detail, format: 'other', id: 'b' }],
      ['of a call that is not there', { ...detail, id: 'c' }],
    ])('%s is a block of its own', (_name, given) => {
      expect(blocksOf(given)).toMatchObject([{ kind: 'redacted' }, { kind: 'text' }, { id: 'a' }, { id: 'b' }]);
    });
    test('that is readable is a thought', () => {
      expect(blocksOf({ ...detail, type: 'reasoning.text', text: 't' })?.[0]).toMatchObject({ kind: 'thinking' });
    });
  });
  test('a refusal is a block of its own', () => {
    expect(turnsOf(user, { role: 'assistant', content: null, refusal: 'no' })[1]?.blocks).toEqual([
      { kind: 'refusal', text: 'no' },
    ]);
  });
});

describe('the rest of a call', () => {
  const callOf = (more: JsonObject) => understood([user], more).call();
  test.each<[string, JsonObject, object]>([
    ['the older cap', { max_tokens: 5 }, { sampling: { maxOutputTokens: 5 } }],
    ['the newer cap', { max_tokens: 5, max_completion_tokens: 6 }, { sampling: { maxOutputTokens: 6 } }],
    ['one stop text', { stop: 's' }, { sampling: { stopSequences: ['s'] } }],
    ['several', { stop: ['s', 't'] }, { sampling: { stopSequences: ['s', 't'] } }],
    [
      'the other numbers',
      { temperature: 0, top_p: 0.5, frequency_penalty: 1, presence_penalty: 2 },
      { sampling: { temperature: 0, topP: 0.5, frequencyPenalty: 1, presencePenalty: 2 } },
    ],
    [
      'log probabilities',
      { logprobs: true, top_logprobs: 2, logit_bias: { 1: 2 }, verbosity: 'low' },
      { sampling: { logprobs: true, topLogprobs: 2, logitBias: { 1: 2 }, verbosity: 'low' } },
    ],
    ['effort', { reasoning_effort: 'low' }, { reasoning: { effort: 'low' } }],
    ['effort in a word we do not know', { reasoning_effort: 'turbo' }, { reasoning: { effort: 'medium' } }],
    [
      'reasoning',
      { reasoning: { enabled: false, max_tokens: 5, exclude: true } },
      { reasoning: { enabled: false, budgetTokens: 5, show: 'none' } },
    ],
    ['reasoning that is shown', { reasoning: { enabled: true, exclude: false } }, { reasoning: { enabled: true } }],
    ['plain text', { response_format: { type: 'text' } }, { output: { kind: 'text' } }],
    ['JSON', { response_format: { type: 'json_object' } }, { output: { kind: 'json' } }],
    [
      'a schema',
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'n', schema: { a: 1 }, strict: true, description: 'd' },
        },
      },
      { output: { kind: 'schema', name: 'n', schema: { a: 1 }, strict: true, description: 'd' } },
    ],
    ['unknown fields', { min_p: 1, other: null }, { extras: { 'openai-chat': { min_p: 1 } } }],
    ['metadata', { metadata: { a: 'b' } }, { metadata: { a: 'b' } }],
    ['usage', { usage: { include: true } }, { usageWanted: { inStream: true, withCost: true } }],
    [
      'usage in the stream',
      { stream: true, stream_options: { include_usage: true } },
      { stream: true, usageWanted: { inStream: true, withCost: false } },
    ],
    [
      'web search',
      {
        web_search_options: {
          search_context_size: 'high',
          user_location: { type: 'approximate', approximate: { city: 'U', region: 'R', country: 'DE', timezone: 'T' } },
        },
      },
      {
        webSearch: {
          amongTools: true,
          contextSize: 'high',
          location: { city: 'U', region: 'R', country: 'DE', timezone: 'T' },
        },
      },
    ],
    ['web search as it comes', { web_search_options: {} }, { webSearch: { amongTools: true } }],
    [
      'a narrow web search',
      { web_search_options: { search_context_size: 'low' } },
      { webSearch: { amongTools: true, contextSize: 'low' } },
    ],
    [
      'a usual web search',
      { web_search_options: { search_context_size: 'medium' } },
      { webSearch: { amongTools: true, contextSize: 'medium' } },
    ],
  ])('%s', (_name, more, expected) => {
    const { operation: _o, model: _m, turns: _t, system: _s, tools: _l, ...call } = callOf(more);
    const nothing = { stream: false, sampling: {}, usageWanted: { inStream: false, withCost: false }, extras: {} };
    expect(call).toStrictEqual({ ...nothing, ...expected });
  });

  const f = { type: 'function', function: { name: 'f' } };
  const c = { type: 'custom', custom: { name: 'c' } };
  test.each<[Json, object]>([
    ['auto', { mode: 'auto' }],
    ['none', { mode: 'none' }],
    ['required', { mode: 'any' }],
    [f, { mode: 'one', name: 'f' }],
    [c, { mode: 'one', name: 'c' }],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [f, c, { name: 'g' }, {}] } },
      { mode: 'some', names: ['f', 'c', 'g'], required: true },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [f] } },
      { mode: 'some', names: ['f'], required: false },
    ],
  ])('the choice %j', (tool_choice, expected) => {
    expect(callOf({ tools: [f, c], tool_choice }).toolChoice).toEqual(expected);
  });
  test('tools with all their members', () => {
    const full = { name: 'g', description: 'd', parameters: { type: 'object' }, strict: false };
    const free = { name: 'h', description: 'd', format: { type: 'text' } };
    const tools = [f, c, { type: 'function', function: full }, { type: 'custom', custom: free }];
    const call = callOf({ tools, parallel_tool_calls: false });
    expect(call.tools).toStrictEqual([
      { kind: 'function', name: 'f' },
      { kind: 'custom', name: 'c' },
      { kind: 'function', ...full },
      { kind: 'custom', ...free },
    ]);
    expect(call).toMatchObject({ parallelToolCalls: false });
    expect(callOf({ tools })).not.toHaveProperty('parallelToolCalls');
    expect(callOf({ tools })).not.toHaveProperty('toolChoice');
  });
});

describe('losses for every target', () => {
  test.each<[JsonObject, object[]]>([
    [{ max_tokens: 5 }, []],
    [{ max_tokens: 5, max_completion_tokens: 5 }, [{ path: 'max_tokens', why: 'not-forwarded' }]],
    [{ reasoning_effort: 'low' }, []],
    [{ reasoning_effort: 'turbo' }, [{ path: 'reasoning_effort', why: 'approximated' }]],
    [{ seed: 1, user: null }, [{ path: 'seed', why: 'not-forwarded' }]],
  ])('%j', (more, losses) => {
    expect(understood([user], more).losses).toEqual(losses);
  });
});
