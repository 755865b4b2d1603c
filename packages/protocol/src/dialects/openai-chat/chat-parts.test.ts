import { describe, expect, test } from 'vitest';
import { type Event, FINISH_REASONS } from '../../canonical/events.ts';
import { FAULT_KINDS, FAULT_RULES } from '../../canonical/fault.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { isBase64 } from '../../passes/base64.ts';
import { dataUrlOf, readDataUrl } from '../../passes/data-url.ts';
import { fold } from '../../stream/fold.ts';
import { targetFacts } from '../dialect.fixture.ts';
import type { TargetFacts } from '../dialect.ts';
import { decodeFault, encodeFault, faultInside, streamFault } from './faults.ts';
import { isFailure, readFinish, writeFinish } from './finish.ts';
import { openaiChat } from './index.ts';
import { type ChatQuirks, chatQuirks } from './quirks.ts';
import { readUsage, writeUsage } from './usage.ts';

const facts = (quirks: Partial<ChatQuirks> = {}, model: Partial<TargetFacts['model']> = {}): TargetFacts =>
  targetFacts({ dialect: 'openai-chat', family: 'f' }, chatQuirks(quirks), { maxOutputTokens: 100, ...model });
const body = (more: JsonObject): JsonObject => ({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...more });
const edits = (more: JsonObject, target: TargetFacts): Record<string, unknown> => {
  const request = openaiChat.server.understand(body(more)).verbatim(target);
  if ('why' in request) throw new Error(request.why);
  return Object.fromEntries(
    request.edits.map((edit) => [edit.name, 'renameTo' in edit ? `→ ${edit.renameTo}` : edit.value]),
  );
};

describe('data URLs', () => {
  test.each(['QQ==', 'QUI=', 'QUJD', 'a+/9'])('%s is base64', (text) => expect(isBase64(text)).toBe(true));
  test.each(['', 'Q', 'QQ=', 'Q===', 'QQ==QQ==', 'QU D', 'QU_D', 'QUJ\n'])('%j is not', (text) =>
    expect(isBase64(text)).toBe(false),
  );
  test('a written data URL is read back; anything but a base64 data URL is not read', () => {
    expect(readDataUrl(dataUrlOf('image/png', 'QUJD'))).toEqual({ mimeType: 'image/png', base64: 'QUJD' });
    for (const url of [
      'data:image/png,abcd',
      'data:;base64,QUJD',
      'data:image/png;base64,',
      'data:image/png;base64',
      'http://x',
    ])
      expect(readDataUrl(url), url).toBeUndefined();
  });
});

describe('usage', () => {
  test('cached and reasoning tokens are counted once, and the sums are restored', () => {
    const wire = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    const usage = readUsage(wire, chatQuirks());
    expect(usage).toEqual({ prompt: 40, inputCacheRead: 60, completion: 30, internalReasoning: 20 });
    expect(writeUsage(usage)).toMatchObject({ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 });
  });
  test.each<[JsonObject, object]>([
    [
      { prompt_tokens: 9, prompt_tokens_details: { cache_write_tokens: 2 } },
      { prompt: 7, inputCacheWrite: 2 },
    ],
    [
      { prompt_tokens: 9, prompt_tokens_details: { cache_creation_input_tokens: 2 } },
      { prompt: 7, inputCacheWrite: 2 },
    ],
    [
      {
        prompt_tokens: 9,
        prompt_tokens_details: { audio_tokens: 4 },
        completion_tokens: 30,
        completion_tokens_details: { audio_tokens: 20, text_tokens: 10 },
      },
      { prompt: 5, inputAudio: 4, completion: 10, outputAudio: 20 },
    ],
    [
      { prompt_tokens: 5, prompt_tokens_details: { cache_write_tokens: 9 } },
      { prompt: 5, inputCacheWrite: 9 },
    ],
    [{ server_tool_use: { web_search_requests: 3 } }, { webSearch: 3 }],
    [{ prompt_tokens: 0 }, { prompt: 0 }],
  ])('%j', (wire, usage) => {
    expect(readUsage(wire, chatQuirks())).toEqual(usage);
  });
  test('cached tokens are read from where the host reports them, first match first', () => {
    const quirks = chatQuirks({ cachedTokensAt: ['cached', 'a.b'] });
    expect(readUsage({ cached: 1, a: { b: 2 } }, quirks)).toEqual({ inputCacheRead: 1 });
    expect(readUsage({ a: { b: 2 } }, quirks)).toEqual({ inputCacheRead: 2 });
  });
  test('cache write tokens are reported if there are any', () => {
    expect(writeUsage({ prompt: 1, inputCacheWrite: 2, inputCacheWrite5Min: 3 })).toMatchObject({
      prompt_tokens_details: { cache_write_tokens: 5 },
    });
    expect(writeUsage({ prompt: 1 })['prompt_tokens_details']).not.toHaveProperty('cache_write_tokens');
  });
  test('reasoning reported outside the completion is not subtracted from it', () => {
    const wire = { completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 20 } };
    expect(readUsage(wire, chatQuirks({ reasoningOutsideCompletion: true }))).toEqual({
      completion: 50,
      internalReasoning: 20,
    });
  });
  test.each<[string, JsonObject, object]>([
    ['nothing', { total_tokens: 150 }, { prompt: 36, inputCacheRead: 60, inputCacheWrite: 4, completion: 30 }],
    ['reasoning', { total_tokens: 170 }, { prompt: 36, inputCacheRead: 60, inputCacheWrite: 4, completion: 50 }],
    ['cached', { total_tokens: 210 }, { prompt: 96, inputCacheRead: 60, inputCacheWrite: 4, completion: 30 }],
    ['written', { total_tokens: 154 }, { prompt: 40, inputCacheRead: 60, inputCacheWrite: 4, completion: 30 }],
    ['all parts', { total_tokens: 234 }, { prompt: 100, inputCacheRead: 60, inputCacheWrite: 4, completion: 50 }],
    ['no part', { total_tokens: 157 }, { prompt: 36, inputCacheRead: 60, inputCacheWrite: 4, completion: 37 }],
  ])('a total above the two sums by %s tells what they leave out: %j', (_name, total, usage) => {
    const wire = {
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    expect(readUsage({ ...wire, ...total }, chatQuirks())).toEqual({ ...usage, internalReasoning: 20 });
  });
  test('more cached than prompt tokens are separate from the prompt; invalid counts are not reported', () => {
    const wire = { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 9 }, completion_tokens: -1 };
    expect(readUsage(wire, chatQuirks())).toEqual({ prompt: 5, inputCacheRead: 9 });
    expect(readUsage({ prompt_tokens: 1.5, completion_tokens: '3' }, chatQuirks())).toEqual({});
  });
});

describe('finish', () => {
  test('every finish reason has a value of the format', () => {
    for (const reason of FINISH_REASONS)
      expect(['stop', 'length', 'tool_calls', 'content_filter']).toContain(writeFinish(reason, false));
  });
  test('stop after tool calls is a tool call; a truncated answer stays truncated; unknown values are other', () => {
    expect(readFinish('stop', true)).toBe('tool-call');
    expect(readFinish('length', true)).toBe('length');
    expect(readFinish('zzz', false)).toBe('other');
    expect(isFailure('error')).toBe(true);
    expect(isFailure('stop')).toBe(false);
  });
});

describe('faults', () => {
  test('every kind has its own status and the four members', () => {
    for (const kind of FAULT_KINDS) {
      const { status, body: encoded } = encodeFault({ kind, message: 'm', field: 'f' });
      expect(status).toBe(FAULT_RULES[kind].status);
      expect(encoded).toEqual({
        error: { message: 'm', type: expect.any(String), param: 'f', code: expect.any(String) },
      });
    }
  });
  test('a long upstream message is truncated, and a failure inside a 200 is read by its own code', () => {
    expect(decodeFault(400, { error: { message: 'x'.repeat(9999) } }).message).toHaveLength(4096);
    expect(faultInside({ error: { message: 'x', code: 429 } })?.kind).toBe('upstream-over-rate');
    expect(faultInside({ error: 'x' })?.kind).toBe('upstream-broken');
    for (const error of [null, undefined, false, ''])
      expect(faultInside(error === undefined ? {} : { error })).toBeUndefined();
  });
  test('a failed stream does not look finished', () => {
    const text = streamFault({ kind: 'internal', message: 'm' });
    expect(text).toMatch(/^data: \{"error":.*\}\n\n$/);
    expect(text).not.toContain('[DONE]');
  });
});

describe('changes for a host', () => {
  test.each<[string, JsonObject, TargetFacts, Record<string, unknown>]>([
    ['the cap under its own name', { max_completion_tokens: 5 }, facts(), { max_completion_tokens: '→ max_tokens' }],
    ['a cap above the limit', { max_tokens: 500 }, facts(), { max_tokens: '100' }],
    [
      'both caps',
      { max_tokens: 5, max_completion_tokens: 7 },
      facts(),
      { max_completion_tokens: undefined, max_tokens: '7' },
    ],
    ['a hot temperature', { temperature: 1.9 }, facts({ temperatureMax: 1 }), { temperature: '1' }],
    ['hints', { seed: 1, user: 'u', store: true }, facts(), { seed: undefined, user: undefined, store: undefined }],
    ['null', { stop: null }, facts(), { stop: undefined }],
    ['usage in a stream', { stream: true }, facts(), { stream_options: '{"include_usage":true}' }],
    [
      'usage of hosts that send it anyway',
      { stream: true, stream_options: { include_usage: true } },
      facts({ streamUsage: 'always' }),
      { stream_options: undefined },
    ],
    ['no tools after all', { tools: [], tool_choice: 'auto' }, facts(), { tools: undefined, tool_choice: undefined }],
  ])('%s', (_name, more, target, expected) => {
    expect(edits(more, target)).toEqual({ model: '"up"', ...expected });
  });

  test.each<[string, Partial<ChatQuirks>, string]>([
    ['effort', {}, 'reasoning_effort'],
    ['thinking-type', { reasoningWrite: 'thinking-type' }, 'thinking'],
    ['enable-thinking', { reasoningWrite: 'enable-thinking' }, 'enable_thinking'],
    ['template', { reasoningWrite: 'template' }, 'chat_template_kwargs'],
    ['effort-object', { reasoningWrite: 'effort-object' }, 'reasoning'],
  ])('reasoning is requested as %s', (_name, quirks, field) => {
    const thinking = { thinking: { kind: 'effort', canDisable: true, levels: [] } } as const;
    expect(edits({ reasoning_effort: 'high' }, facts(quirks, thinking))[field]).toBeTypeOf('string');
  });

  test('fields that cannot be dropped are refused by name', () => {
    const refused = (more: JsonObject, quirks: Partial<ChatQuirks>) => () => edits(more, facts(quirks));
    expect(refused({ logprobs: true }, { logprobs: false })).toThrow('sampling.logprobs');
  });
});

test('fragments of a call without a name are emitted, and S10: more calls than the limit end the answer', () => {
  const decoder = openaiChat.client.eventDecoder(facts());
  const chunk = (delta: object, finish: string | null = null) => ({
    data: JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] }),
  });
  const calls = (length: number, from: number) =>
    Array.from({ length }, (_, at) => ({
      index: from + at,
      id: `c${from + at}`,
      function: { name: 'f', arguments: '' },
    }));
  const events: Event[] = [
    ...decoder.push(chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] })),
    ...decoder.push(chunk({ tool_calls: calls(511, 1) })),
    ...decoder.push(chunk({}, 'tool_calls')),
    ...decoder.end(),
  ];
  const blocks = fold(events).candidates[0]?.blocks ?? [];
  expect(blocks).toHaveLength(512);
  expect(blocks.at(-1)).toMatchObject({ name: '', id: 'call_0', argumentsJson: '{}' });
  const other = openaiChat.client.eventDecoder(facts());
  expect(() => other.push(chunk({ tool_calls: calls(513, 0) }))).toThrow('more than 512 tool calls');
});

describe('fields an upstream of this dialect does not support', () => {
  const call = openaiChat.server.understand(body({})).call();
  const seal = { owner: { dialect: 'google-generate', family: 'gemini' }, kind: 'ref', data: 'x' } as const;
  test.each([
    ['several candidates', { ...call, sampling: { candidates: 2 } }],
    ['pictures', { ...call, modalities: ['text', 'image'] as const }],
    ['content cached elsewhere', { ...call, cachedContent: seal }],
    ['a search limited to domains', { ...call, webSearch: { allowedDomains: ['example.org'] } }],
  ])('%s', (_what, asked) => {
    expect(() => openaiChat.client.encodeCall(asked, facts({ webSearchOptions: true }))).toThrow();
    expect(() => openaiChat.client.encodeCall(call, facts())).not.toThrow();
  });
});

test.each([
  ['stop', 'stop'],
  ['end', 'stop'],
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'tool-call'],
  ['function_call', 'tool-call'],
  ['content_filter', 'filter'],
  ['sensitive', 'filter'],
  ['weird', 'other'],
])('an upstream that sends %s means %s', (raw, reason) => {
  expect(readFinish(raw, false)).toBe(reason);
});

test('a host without quirks gets the common behaviour of chat-compatible servers', () => {
  expect(openaiChat.quirks({})).toEqual({
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    multipleSystem: true,
    messageNames: true,
    prefillWrite: 'none',
    seedField: 'seed',
    topKField: 'none',
    penalties: true,
    stopMax: 4,
    temperatureMax: 2,
    logprobs: true,
    logitBias: false,
    verbosity: false,
    webSearchOptions: false,
    completions: false,
    customTools: false,
    thinkingModelsRefuse: [],
    toolsEmptyOk: false,
    strictTools: true,
    toolChoiceAny: 'required',
    toolChoiceNamed: true,
    parallelToolCallsField: true,
    toolCallIdLength: 0,
    toolStreamSwitch: false,
    jsonMode: 'schema',
    reasoningWrite: 'effort',
    reasoningRead: ['reasoning_content', 'reasoning'],
    reasoningReplay: 'optional',
    streamUsage: 'on-request',
    usageAt: 'chunk',
    usageVendorField: '',
    cachedTokensAt: ['prompt_tokens_details.cached_tokens'],
    reasoningOutsideCompletion: false,
    reasoningBesideCap: false,
    obfuscationOff: false,
  });
  expect(openaiChat.quirks({ penalties: false })).toMatchObject({ penalties: false, messageNames: true });
});

test.each([
  [true, [{ field: 'block.tool-result', why: 'approximated' }]],
  [false, []],
])('a tool result with isError %s is marked by a loss', (isError, losses) => {
  const call = openaiChat.server.understand(body({})).call();
  const turns = [
    ...call.turns,
    { role: 'assistant', blocks: [{ kind: 'tool-call', id: 'c', name: 'f', form: 'function', argumentsJson: '{}' }] },
    { role: 'user', blocks: [{ kind: 'tool-result', callId: 'c', content: [{ kind: 'text', text: 'no' }], isError }] },
  ] as const;
  expect(openaiChat.client.encodeCall({ ...call, turns }, facts()).losses).toEqual(losses);
});
