/**
 * What must change in a chat request so that this host and this model take it, as changes to top-level members.
 * Both lanes use it: the verbatim lane as edits to the text, the translated lane on the body it has just written.
 */
import type { Reasoning } from '../../canonical/call.ts';
import type { CanonicalField } from '../../canonical/fields.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import type { TargetFacts } from '../dialect.ts';
import { adaptReasoning } from './adapt-reasoning.ts';
import { type Adaptation, Change } from './change.ts';
import { CONSUMED_FIELDS, HINT_FIELDS } from './known-fields.ts';
import { type ChatQuirks, quirksOf } from './quirks.ts';

type Facts = {
  readonly stream: boolean;
  readonly reasoning: Reasoning | undefined;
  readonly maxOutputTokens: number | undefined;
};

const NEVER_FORWARDED: ReadonlySet<string> = new Set([...HINT_FIELDS, ...CONSUMED_FIELDS, 'reasoning']);

export function adapt(body: JsonObject, facts: Facts, target: TargetFacts): Adaptation {
  const change = new Change(body, target);
  change.set.set('model', target.upstreamModel);
  for (const name in body) if (NEVER_FORWARDED.has(name)) change.remove(name);
  adaptSampling(change, target);
  adaptMaxTokens(change, facts.maxOutputTokens, target);
  adaptTools(change);
  adaptReasoning(change, facts.reasoning, target);
  adaptStreaming(change, facts.stream);
  // Null means "not given", but not every upstream reads it so.
  for (const name in body) if (body[name] === null) change.remove(name);
  return change;
}

const SAMPLING_FIELDS: readonly (readonly [
  name: string,
  field: CanonicalField,
  offered: (quirks: ChatQuirks) => boolean,
])[] = [
  ['temperature', 'sampling.temperature', () => true],
  ['top_p', 'sampling.topP', () => true],
  ['frequency_penalty', 'sampling.frequencyPenalty', (quirks) => quirks.penalties],
  ['presence_penalty', 'sampling.presencePenalty', (quirks) => quirks.penalties],
  ['logit_bias', 'sampling.logitBias', (quirks) => quirks.logitBias],
  ['verbosity', 'sampling.verbosity', (quirks) => quirks.verbosity],
];

export const stopsIn = (stop: Json | undefined): number =>
  typeof stop === 'string' ? 1 : Array.isArray(stop) ? stop.length : 0;

/** Where a host does not take so many stop sequences, or none at all, the gateway looks for them itself. */
export function takesStops(count: number, target: TargetFacts): boolean {
  const { stopMax, thinkingModelsRefuse } = quirksOf(target);
  const refused = target.model.thinking.kind !== 'none' && thinkingModelsRefuse.includes('stop');
  return count === 0 || (count <= stopMax && !refused);
}

function adaptSampling(change: Change, target: TargetFacts): void {
  const { quirks, body } = change;
  const thinks = target.model.thinking.kind !== 'none';
  const refusedHere = (name: string): boolean => thinks && quirks.thinkingModelsRefuse.includes(name);
  for (const [name, field, offered] of SAMPLING_FIELDS) {
    const value = body[name];
    if (value === undefined || value === null) continue;
    const fixed = (name === 'temperature' || name === 'top_p') && !target.model.temperature;
    if (fixed || !offered(quirks) || refusedHere(name)) change.lose(name, field);
  }
  const temperature = body['temperature'];
  if (typeof temperature === 'number' && temperature > quirks.temperatureMax && !change.set.has('temperature')) {
    change.set.set('temperature', quirks.temperatureMax);
    change.losses.push({ field: 'sampling.temperature', why: 'clamped' });
  }
  if (!takesStops(stopsIn(body['stop']), target)) change.remove('stop');
  if (body['logprobs'] === true && (!quirks.logprobs || refusedHere('logprobs')))
    throw cannotCarry('sampling.logprobs', 'cannot be given by this model');
  if (body['logprobs'] === false && !quirks.logprobs) change.remove('logprobs');
  if (change.given('web_search_options') && !quirks.webSearchOptions)
    throw cannotCarry('call.webSearch', 'is not offered for this model');
}

/** The two names of the cap are one meaning; what is sent is the name the host knows, within the model's limit. */
function adaptMaxTokens(change: Change, wanted: number | undefined, target: TargetFacts): void {
  const { maxTokensField } = change.quirks;
  const other = maxTokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (wanted === undefined) return;
  const limit = target.model.maxOutputTokens;
  const both = change.given(maxTokensField) && change.given(other);
  if (limit !== undefined && wanted > limit) {
    change.remove(other);
    change.set.set(maxTokensField, limit);
    change.losses.push({ field: 'sampling.maxOutputTokens', why: 'clamped' });
  } else if (both) {
    change.remove(other);
    if (change.body[maxTokensField] !== wanted) change.set.set(maxTokensField, wanted);
  } else if (change.given(other)) change.rename.set(other, maxTokensField);
}

function adaptTools(change: Change): void {
  const { quirks, body } = change;
  const tools = body['tools'];
  const none = !Array.isArray(tools) || tools.length === 0;
  if (none && !quirks.toolsEmptyOk) {
    change.remove('tools');
    change.remove('tool_choice');
    change.remove('parallel_tool_calls');
    return;
  }
  if (!quirks.parallelToolCallsField) {
    if (body['parallel_tool_calls'] === false) change.lose('parallel_tool_calls', 'call.parallelToolCalls');
    else change.remove('parallel_tool_calls');
  }
  const choice = body['tool_choice'];
  if (choice === 'required' && quirks.toolChoiceAny !== 'required') {
    if (quirks.toolChoiceAny === 'none') throw cannotCarry('tool-choice.any', 'cannot be required for this model');
    change.set.set('tool_choice', quirks.toolChoiceAny);
  }
  if (typeof choice === 'object' && choice !== null && !quirks.toolChoiceNamed)
    throw cannotCarry('tool-choice.one', 'cannot name a tool for this model');
  if (quirks.toolStreamSwitch && body['stream'] === true) change.set.set('tool_stream', true);
}

/** Usage is always asked for, since the gateway meters whether or not the caller wants to see it. */
function adaptStreaming(change: Change, stream: boolean): void {
  if (!stream || change.quirks.streamUsage !== 'on-request') {
    change.remove('stream_options');
    return;
  }
  change.set.set('stream_options', {
    include_usage: true,
    ...(change.quirks.obfuscationOff && { include_obfuscation: false }),
  });
}
