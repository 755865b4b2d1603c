/**
 * The changes a chat request needs for this host and this model, as changes to top-level members. Both lanes use it:
 * the verbatim lane as edits to the text, the translated lane on the body it has just written.
 */
import type { Effort, Reasoning } from '../../canonical/call.ts';
import { budgetOf, effortOf } from '../../canonical/effort.ts';
import type { CanonicalField, FieldLoss } from '../../canonical/fields.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { LossList } from '../../passes/loss-list.ts';
import { nearestEffort, reasoningFieldOf } from '../../passes/nearest-effort.ts';
import type { TargetFacts } from '../dialect.ts';
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
  // Null means "not given", but not every upstream treats it so.
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

/** If a host accepts fewer stop sequences, or none, the gateway watches for them itself. */
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
    const fixedLength = name === 'verbosity' && value !== 'medium' && target.model.verbosity === false;
    if (fixed || fixedLength || !offered(quirks) || refusedHere(name)) change.drop(name, field);
  }
  const temperature = body['temperature'];
  if (typeof temperature === 'number' && temperature > quirks.temperatureMax && !change.set.has('temperature')) {
    change.set.set('temperature', quirks.temperatureMax);
    change.lost.add('sampling.temperature', 'clamped');
  }
  if (!takesStops(stopsIn(body['stop']), target)) change.remove('stop');
  if (body['logprobs'] === true && (!quirks.logprobs || refusedHere('logprobs')))
    throw cannotCarry('sampling.logprobs', 'cannot be given by this model');
  if (body['logprobs'] === false && !quirks.logprobs) change.remove('logprobs');
  if (change.given('web_search_options') && !quirks.webSearchOptions)
    change.drop('web_search_options', 'call.webSearch');
}

/**
 * The two names of the output limit mean the same; the gateway sends the name the host knows, within the model's limit.
 */
function adaptMaxTokens(change: Change, wanted: number | undefined, target: TargetFacts): void {
  const { maxTokensField } = change.quirks;
  const other = maxTokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (wanted === undefined) return;
  const limit = target.model.maxOutputTokens;
  const both = change.given(maxTokensField) && change.given(other);
  if (limit !== undefined && wanted > limit) {
    change.remove(other);
    change.set.set(maxTokensField, limit);
    change.lost.add('sampling.maxOutputTokens', 'clamped');
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
    if (body['parallel_tool_calls'] === false) change.drop('parallel_tool_calls', 'call.parallelToolCalls');
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

/**
 * Hosts that send usage on request are always asked for it, because the gateway meters whether or not the caller wants
 * to see it.
 */
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

// Collects changes to the top-level members of a chat request before applying any.

export type Adaptation = {
  /** New value of a member; undefined removes it. */
  readonly set: ReadonlyMap<string, Json | undefined>;
  readonly rename: ReadonlyMap<string, string>;
  readonly losses: readonly FieldLoss[];
};

class Change implements Adaptation {
  readonly set = new Map<string, Json | undefined>();
  readonly rename = new Map<string, string>();
  readonly lost = new LossList();
  readonly body: JsonObject;
  readonly quirks: ChatQuirks;

  get losses(): readonly FieldLoss[] {
    return this.lost.all;
  }
  constructor(body: JsonObject, target: TargetFacts) {
    this.body = body;
    this.quirks = quirksOf(target);
  }
  given(name: string): boolean {
    const value = this.body[name];
    return value !== undefined && value !== null;
  }
  remove(name: string): void {
    if (this.body[name] !== undefined) this.set.set(name, undefined);
  }
  /** Removes a member of the caller's, with its loss. */
  drop(name: string, field: CanonicalField): void {
    if (!this.given(name)) return;
    this.remove(name);
    this.lost.add(field);
  }
}

// Writes the requested reasoning in the host's own members, at an effort the model supports. A request met only
// approximately is reported, like one that is dropped.

/** What to write, given what the model supports. */
type Plan = { readonly on: boolean; readonly effort: Effort | undefined; readonly budget: number | undefined };

function adaptReasoning(change: Change, reasoning: Reasoning | undefined, target: TargetFacts): void {
  if (reasoning === undefined) return;
  const off = reasoning.enabled === false || reasoning.effort === 'none';
  const asked = reasoning.enabled === true || reasoning.effort !== undefined || reasoning.budgetTokens !== undefined;
  change.remove('reasoning_effort');
  if (!asked && !off) return;
  const { thinking } = target.model;
  if (thinking.kind === 'none' || change.quirks.reasoningWrite === 'none') {
    if (!off) change.lost.add(reasoningFieldOf(reasoning));
    return;
  }
  if (!off) {
    writeOn(change, reasoning, target);
    return;
  }
  if (thinking.canDisable || thinking.levels.includes('none'))
    write(change, { on: false, effort: 'none', budget: undefined });
  else {
    change.lost.add(reasoningFieldOf(reasoning));
    const least = nearestLevel('none', thinking.levels);
    if (least !== undefined && writesEffort(change)) write(change, { on: true, effort: least, budget: undefined });
  }
}

function writeOn(change: Change, reasoning: Reasoning, { model }: TargetFacts): void {
  const { effort, budgetTokens } = reasoning;
  const usable = model.maxOutputTokens;
  const wanted = effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens, usable));
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgetOf(effort, usable));
  const level = writesEffort(change) ? nearestLevel(wanted ?? 'medium', model.thinking.levels) : wanted;
  const { reasoningWrite } = change.quirks;
  const exact =
    reasoningWrite === 'enable-thinking' ||
    (writesEffort(change)
      ? budgetTokens === undefined && (effort === undefined || level === effort)
      : wanted === undefined) ||
    (reasoningWrite === 'effort-object' && budgetTokens !== undefined);
  if (!exact) change.lost.add(reasoningFieldOf(reasoning), 'approximated');
  write(change, {
    on: true,
    effort: level ?? wanted,
    budget: reasoningWrite === 'effort-object' ? budgetTokens : budget,
  });
}

const writesEffort = ({ quirks: { reasoningWrite } }: Change): boolean =>
  reasoningWrite === 'effort' || reasoningWrite === 'effort-parsed' || reasoningWrite === 'effort-object';

/** A model that lists no effort accepts any. */
const nearestLevel = (requested: Effort, levels: readonly string[]): Effort | undefined =>
  nearestEffort(requested, levels) ?? (requested === 'none' ? undefined : requested);

function write(change: Change, { on, effort, budget }: Plan): void {
  const { set } = change;
  switch (change.quirks.reasoningWrite) {
    case 'effort':
    case 'effort-parsed':
      if (effort !== undefined) set.set('reasoning_effort', effort);
      if (change.quirks.reasoningWrite === 'effort-parsed') set.set('reasoning_format', 'parsed');
      return;
    case 'effort-object':
      set.set(
        'reasoning',
        !on
          ? { enabled: false }
          : budget !== undefined
            ? { max_tokens: budget }
            : effort === undefined
              ? { enabled: true }
              : { effort },
      );
      return;
    case 'enabled-object':
      set.set('reasoning', { enabled: on });
      return;
    case 'thinking-type':
      set.set('thinking', { type: on ? 'enabled' : 'disabled' });
      return;
    case 'enable-thinking':
      set.set('enable_thinking', on);
      if (on && budget !== undefined) set.set('thinking_budget', budget);
      return;
    case 'template':
      set.set('chat_template_kwargs', { enable_thinking: on });
      return;
    case 'none':
      return;
  }
}
