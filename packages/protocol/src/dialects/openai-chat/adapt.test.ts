import { describe, expect, test } from 'vitest';
import type { Reasoning } from '../../canonical/call.ts';
import type { FieldLoss } from '../../canonical/fields.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { targetFacts } from '../dialect.fixture.ts';
import type { TargetFacts } from '../dialect.ts';
import { adapt } from './adapt.ts';
import { type ChatQuirks, chatQuirks } from './quirks.ts';

type Model = TargetFacts['model'];
const THINKER: Model['thinking'] = { kind: 'effort', canDisable: true, levels: [] };

const facts = (quirks: Partial<ChatQuirks> = {}, model: Partial<Model> = {}): TargetFacts =>
  targetFacts({ dialect: 'openai-chat', family: 'f' }, chatQuirks(quirks), { maxOutputTokens: 1000, ...model });

type Outcome = { readonly set: Record<string, Json | undefined>; readonly losses: readonly FieldLoss[] };

/** The changes apart from the model name. */
function changes(
  body: JsonObject,
  target: TargetFacts,
  more: { stream?: boolean; reasoning?: Reasoning; maxOutputTokens?: number } = {},
): Outcome & { readonly rename: Record<string, string> } {
  const asked = { stream: false, reasoning: undefined, maxOutputTokens: undefined, ...more };
  const { set, rename, losses } = adapt(body, asked, target);
  const { model, ...others } = Object.fromEntries(set);
  expect(model).toBe('up');
  return { set: others, rename: Object.fromEntries(rename), losses };
}
const NOTHING = { set: {}, rename: {}, losses: [] };
const lost = (field: FieldLoss['field'], why: FieldLoss['why'] = 'no-equivalent'): FieldLoss => ({ field, why });

describe('members that are never forwarded', () => {
  test.each([
    'seed',
    'user',
    'store',
    'service_tier',
    'prediction',
    'prompt_cache_key',
    'prompt_cache_retention',
    'safety_identifier',
    'provider',
    'model_routing_config',
    'usage',
    'metadata',
    'modalities',
    'reasoning',
  ])('%s', (name) => {
    expect(changes({ [name]: {} }, facts())).toStrictEqual({ ...NOTHING, set: { [name]: undefined } });
    expect(Object.keys(changes({}, facts()).set)).not.toContain(name);
  });
  test('members given as null are removed, other unknown ones stay', () => {
    expect(changes({ unknown: null, other: 1 }, facts())).toStrictEqual({ ...NOTHING, set: { unknown: undefined } });
  });
});

describe('sampling', () => {
  test.each<[string, FieldLoss['field'], Partial<ChatQuirks>, Partial<ChatQuirks>]>([
    ['frequency_penalty', 'sampling.frequencyPenalty', { penalties: true }, { penalties: false }],
    ['presence_penalty', 'sampling.presencePenalty', { penalties: true }, { penalties: false }],
    ['logit_bias', 'sampling.logitBias', { logitBias: true }, { logitBias: false }],
    ['verbosity', 'sampling.verbosity', { verbosity: true }, { verbosity: false }],
  ])('%s passes if it is supported, and is lost if it is not', (name, field, offered, missing) => {
    const body = { [name]: ['x'] };
    expect(changes(body, facts(offered))).toStrictEqual(NOTHING);
    expect(changes(body, facts(missing))).toStrictEqual({
      set: { [name]: undefined },
      rename: {},
      losses: [lost(field)],
    });
  });

  test.each([
    ['temperature', 'sampling.temperature'],
    ['top_p', 'sampling.topP'],
  ] as const)('%s is lost where the model has it fixed', (name, field) => {
    expect(changes({ [name]: 0.5 }, facts())).toStrictEqual(NOTHING);
    expect(changes({ [name]: 0.5 }, facts({}, { temperature: false })).losses).toStrictEqual([lost(field)]);
  });
  test('a model with a fixed temperature keeps the other fields', () => {
    expect(changes({ stop: 'x', presence_penalty: 1 }, facts({}, { temperature: false }))).toStrictEqual(NOTHING);
  });

  test.each(['temperature', 'top_p', 'frequency_penalty', 'presence_penalty'])(
    '%s is lost where thinking models refuse it, and only there',
    (name) => {
      const refusing = { thinkingModelsRefuse: [name] };
      expect(changes({ [name]: 1 }, facts(refusing, { thinking: THINKER })).set).toStrictEqual({ [name]: undefined });
      expect(changes({ [name]: 1 }, facts({}, { thinking: THINKER }))).toStrictEqual(NOTHING);
      expect(changes({ [name]: 1 }, facts(refusing))).toStrictEqual(NOTHING);
    },
  );

  test('a temperature is lowered to the host’s limit, never raised, and not restored once it is lost', () => {
    const host = { temperatureMax: 1 };
    expect(changes({ temperature: 1.5 }, facts(host))).toStrictEqual({
      set: { temperature: 1 },
      rename: {},
      losses: [lost('sampling.temperature', 'clamped')],
    });
    expect(changes({ temperature: 1 }, facts(host))).toStrictEqual(NOTHING);
    expect(changes({ temperature: 1.5 }, facts(host, { temperature: false })).set).toStrictEqual({
      temperature: undefined,
    });
  });

  test('stop sequences are left to the gateway, without a loss, if the host or the model does not support them', () => {
    const left = { ...NOTHING, set: { stop: undefined } };
    expect(changes({ stop: ['a', 'b', 'c'] }, facts({ stopMax: 2 }))).toStrictEqual(left);
    expect(changes({ stop: ['a', 'b'] }, facts({ stopMax: 2 }))).toStrictEqual(NOTHING);
    expect(changes({ stop: 'a' }, facts({ stopMax: 1 }))).toStrictEqual(NOTHING);
    expect(changes({ stop: 'a' }, facts({ stopMax: 0 }))).toStrictEqual(left);
    const refusing = { thinkingModelsRefuse: ['stop'] };
    expect(changes({ stop: 'a' }, facts(refusing, { thinking: THINKER }))).toStrictEqual(left);
    expect(changes({ stop: 'a' }, facts(refusing))).toStrictEqual(NOTHING);
  });

  test('log probabilities are refused if they are not supported; switching them off is no request', () => {
    const none = { logprobs: false };
    expect(() => changes({ logprobs: true }, facts(none))).toThrow('logprobs');
    const refusing = facts({ thinkingModelsRefuse: ['logprobs'] }, { thinking: THINKER });
    expect(() => changes({ logprobs: true }, refusing)).toThrow('logprobs');
    expect(changes({ logprobs: false }, facts(none))).toStrictEqual({ ...NOTHING, set: { logprobs: undefined } });
    expect(changes({ logprobs: true }, facts())).toStrictEqual(NOTHING);
    expect(changes({ logprobs: false }, facts())).toStrictEqual(NOTHING);
  });

  test('web search passes if it is supported and is lost otherwise', () => {
    expect(changes({ web_search_options: {} }, facts()).set).toStrictEqual({ web_search_options: undefined });
    expect(changes({ web_search_options: {} }, facts({ webSearchOptions: true }))).toStrictEqual(NOTHING);
    expect(changes({ web_search_options: null }, facts()).set).toStrictEqual({ web_search_options: undefined });
  });
});

describe('the output limit', () => {
  const NEW = { maxTokensField: 'max_completion_tokens' } as const;
  test.each<[string, JsonObject, number, Partial<ChatQuirks>, object]>([
    ['under the host’s name', { max_tokens: 5 }, 5, {}, {}],
    ['under the other name', { max_completion_tokens: 5 }, 5, {}, { rename: { max_completion_tokens: 'max_tokens' } }],
    ['old name, new host', { max_tokens: 5 }, 5, NEW, { rename: { max_tokens: 'max_completion_tokens' } }],
    ['new name, new host', { max_completion_tokens: 5 }, 5, NEW, {}],
    [
      'twice the same',
      { max_tokens: 5, max_completion_tokens: 5 },
      5,
      {},
      { set: { max_completion_tokens: undefined } },
    ],
    [
      'twice, not the same',
      { max_tokens: 5, max_completion_tokens: 7 },
      7,
      {},
      { set: { max_completion_tokens: undefined, max_tokens: 7 } },
    ],
    ['at the limit', { max_tokens: 1000 }, 1000, {}, {}],
    [
      'above the limit',
      { max_completion_tokens: 1001 },
      1001,
      {},
      {
        set: { max_completion_tokens: undefined, max_tokens: 1000 },
        losses: [lost('sampling.maxOutputTokens', 'clamped')],
      },
    ],
  ])('%s', (_name, body, maxOutputTokens, quirks, expected) => {
    expect(changes(body, facts(quirks), { maxOutputTokens })).toStrictEqual({ ...NOTHING, ...expected });
  });
});

describe('tools', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const none = { tools: [], tool_choice: 'auto', parallel_tool_calls: true };
  test('an empty list of tools is removed with all that belongs to it, unless the host accepts one', () => {
    expect(changes(none, facts())).toStrictEqual({
      ...NOTHING,
      set: { tools: undefined, tool_choice: undefined, parallel_tool_calls: undefined },
    });
    expect(changes(none, facts({ toolsEmptyOk: true }))).toStrictEqual(NOTHING);
    expect(changes({ ...none, tools }, facts())).toStrictEqual(NOTHING);
  });
  test('one call at a time can be lost; several at a time cannot', () => {
    const host = facts({ parallelToolCallsField: false });
    expect(changes({ tools, parallel_tool_calls: false }, host)).toStrictEqual({
      set: { parallel_tool_calls: undefined },
      rename: {},
      losses: [lost('call.parallelToolCalls')],
    });
    expect(changes({ tools, parallel_tool_calls: true }, host)).toStrictEqual({
      ...NOTHING,
      set: { parallel_tool_calls: undefined },
    });
    expect(changes({ tools, parallel_tool_calls: false }, facts())).toStrictEqual(NOTHING);
  });
  test('a required call is written in the host’s value, or refused', () => {
    const body = { tools, tool_choice: 'required' };
    expect(changes(body, facts())).toStrictEqual(NOTHING);
    expect(changes(body, facts({ toolChoiceAny: 'any' })).set).toStrictEqual({ tool_choice: 'any' });
    expect(() => changes(body, facts({ toolChoiceAny: 'none' }))).toThrow('tool-choice.any');
    expect(changes({ tools, tool_choice: 'auto' }, facts({ toolChoiceAny: 'none' }))).toStrictEqual(NOTHING);
  });
  test('a tool chosen by name is refused if the host does not support it', () => {
    const body = { tools, tool_choice: { type: 'function', function: { name: 'f' } } };
    expect(changes(body, facts())).toStrictEqual(NOTHING);
    expect(() => changes(body, facts({ toolChoiceNamed: false }))).toThrow('tool-choice.one');
    expect(changes({ tools, tool_choice: 'auto' }, facts({ toolChoiceNamed: false }))).toStrictEqual(NOTHING);
    expect(changes({ tools, tool_choice: null }, facts({ toolChoiceNamed: false })).set).toStrictEqual({
      tool_choice: undefined,
    });
  });
  test('the switch for streaming arguments is set for streams with tools', () => {
    const host = facts({ toolStreamSwitch: true, streamUsage: 'always' });
    expect(changes({ tools, stream: true }, host, { stream: true }).set).toStrictEqual({ tool_stream: true });
    expect(changes({ tools }, host)).toStrictEqual(NOTHING);
    expect(changes({ stream: true }, host, { stream: true })).toStrictEqual(NOTHING);
    expect(changes({ tools, stream: true }, facts({ streamUsage: 'always' }), { stream: true })).toStrictEqual(NOTHING);
  });
});

describe('usage of a stream', () => {
  const stream_options = { include_usage: false };
  test.each<[string, Partial<ChatQuirks>, boolean, Json | undefined]>([
    ['asked for', {}, true, { include_usage: true }],
    ['asked for without padding', { obfuscationOff: true }, true, { include_usage: true, include_obfuscation: false }],
    ['sent anyway', { streamUsage: 'always' }, true, undefined],
    ['never sent', { streamUsage: 'never' }, true, undefined],
    ['not streamed', {}, false, undefined],
  ])('%s', (_name, quirks, stream, expected) => {
    expect(changes({ stream_options }, facts(quirks), { stream })).toStrictEqual({
      ...NOTHING,
      set: { stream_options: expected },
    });
  });
});
