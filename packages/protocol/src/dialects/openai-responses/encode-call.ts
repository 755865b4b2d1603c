/** A canonical call → the body for a Responses upstream, with every loss reported. Nothing is ever stored there. */
import type { Effort, Reasoning, Sampling, TextCall } from '../../canonical/call.ts';
import { effortOf } from '../../canonical/effort.ts';
import type { CanonicalField } from '../../canonical/fields.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { arrayAt, type Json, type JsonObject, objectAt } from '../../canonical/json.ts';
import { LossList } from '../../passes/loss-list.ts';
import { nearestEffort, reasoningFieldOf } from '../../passes/nearest-effort.ts';
import { hasSystemName, isPrefilled, NOT_CONTINUED } from '../../passes/normalise-turns.ts';
import { withOfferedTools } from '../../passes/offered-tools.ts';
import { type NameRule, withSafeToolNames } from '../../passes/tool-names.ts';
import type { EncodedCall, ModelFacts, TargetFacts } from '../dialect.ts';
import { ID } from './decode-items.ts';
import { encodeItems } from './encode-items.ts';
import { encodeText, encodeTools, offerOf } from './encode-tools.ts';
import { ENCRYPTED_REASONING, LOGPROBS } from './known-fields.ts';
import { quirksOf, type ResponsesQuirks } from './quirks.ts';

/** Tool names that the format's home accepts. */
const TOOL_NAMES: NameRule = { fits: (name) => /^[A-Za-z0-9_-]{1,64}$/.test(name), maxLength: 64 };

export function encodeCall(given: TextCall, target: TargetFacts): EncodedCall {
  const quirks = quirksOf(target);
  const losses = new LossList();
  const offered = withOfferedTools(given, offerOf(quirks));
  losses.addAll(offered.losses);
  const { call, ...renamed } = withSafeToolNames(offered.call, TOOL_NAMES);
  refuseWhatCannotBeLeftOut(call, quirks);
  const { include, reasoning: _r, webSearchTool: _w, ...own } = call.extras[ID] ?? {};
  if (Object.keys(own).length > 0 && !quirks.homeMembers) losses.add('extras');
  const body: JsonObject = {
    ...(quirks.homeMembers && own),
    model: target.upstreamModel,
    ...encodeItems(call, target, losses),
    ...encodeSampling(call.sampling, target, losses),
    ...encodeTools(call, quirks, losses),
    ...encodeText(call.output, call.sampling.verbosity, target, losses),
    ...encodeReasoning(call, target, losses),
    ...includes(arrayAt({ include: include ?? [] }, 'include'), call.sampling.logprobs === true, target),
    store: false,
    ...(call.stream && streaming(quirks)),
  };
  loseWhatIsUnknownHere(call, losses);
  return { body, losses: losses.all, watchFor: call.sampling.stopSequences ?? [], ...renamed };
}

export const streaming = (quirks: ResponsesQuirks): JsonObject => ({
  stream: true,
  ...(quirks.obfuscationOff && { stream_options: { include_obfuscation: false } }),
});

/**
 * Encrypted reasoning is requested from every model that reasons, if the host supports it, whatever the caller asked:
 * without it a tool loop loses the model's reasoning at every step.
 */
export function includes(given: readonly Json[], logprobs: boolean, target: TargetFacts): JsonObject {
  const thinks = target.model.thinking.kind !== 'none' && quirksOf(target).encryptedReasoning;
  const wanted = new Set<Json>(given);
  if (logprobs) wanted.add(LOGPROBS);
  if (thinks) wanted.add(ENCRYPTED_REASONING);
  else wanted.delete(ENCRYPTED_REASONING);
  return wanted.size > 0 ? { include: [...wanted] } : {};
}

function refuseWhatCannotBeLeftOut(call: TextCall, quirks: ResponsesQuirks): void {
  if ((call.sampling.candidates ?? 1) > 1) throw cannotCarry('sampling.candidates', 'may only be 1 for this model');
  if (call.modalities?.some((modality) => modality !== 'text'))
    throw cannotCarry('call.modalities', 'may only be text for this model');
  if (call.cachedContent !== undefined) throw cannotCarry('call.cachedContent', 'is not offered for this model');
  if (call.sampling.logprobs === true && !quirks.outputLogprobs)
    throw cannotCarry('sampling.logprobs', 'cannot be given by this model');
  if (isPrefilled(call)) throw cannotCarry('turn.prefill', NOT_CONTINUED);
}

const NO_PLACE: readonly (keyof Sampling)[] = ['topK', 'seed', 'frequencyPenalty', 'presencePenalty', 'logitBias'];

function encodeSampling(sampling: Sampling, target: TargetFacts, losses: LossList): JsonObject {
  for (const name of NO_PLACE) if (sampling[name] !== undefined) losses.add(`sampling.${name}`);
  const fixed = !target.model.temperature;
  if (fixed && sampling.temperature !== undefined) losses.add('sampling.temperature');
  if (fixed && sampling.topP !== undefined) losses.add('sampling.topP');
  const temperature = sampling.temperature === undefined ? undefined : Math.min(sampling.temperature, TEMPERATURE_MAX);
  if (!fixed && temperature !== sampling.temperature) losses.add('sampling.temperature', 'clamped');
  const cap = sampling.maxOutputTokens;
  const within = cap === undefined ? undefined : withinLimits(cap, target);
  if (within !== cap) losses.add('sampling.maxOutputTokens', 'clamped');
  return {
    ...(within !== undefined && { max_output_tokens: within }),
    ...(!fixed && temperature !== undefined && { temperature }),
    ...(!fixed && sampling.topP !== undefined && { top_p: sampling.topP }),
    ...(sampling.logprobs === true && sampling.topLogprobs !== undefined && { top_logprobs: sampling.topLogprobs }),
  };
}

/** The highest temperature that the format's home accepts. */
const TEMPERATURE_MAX = 2;

export const withinLimits = (cap: number, target: TargetFacts): number =>
  Math.max(quirksOf(target).minOutputTokens, Math.min(cap, target.model.maxOutputTokens ?? cap));

/**
 * Summaries are the only reasoning this dialect shows; they are requested from every model that reasons, unless the
 * caller wants none or the host has none.
 */
function encodeReasoning(call: TextCall, target: TargetFacts, losses: LossList): JsonObject {
  const effort = planEffort(call.reasoning, target.model, losses);
  const thinks = target.model.thinking.kind !== 'none';
  const shown = thinks && quirksOf(target).reasoningSummary && call.reasoning?.show !== 'none' && effort !== 'none';
  const reasoning: JsonObject = {
    ...(effort !== undefined && { effort }),
    ...(shown && { summary: 'auto' }),
    ...(thinks && objectAt(call.extras[ID], 'reasoning')),
  };
  return Object.keys(reasoning).length > 0 ? { reasoning } : {};
}

function loseWhatIsUnknownHere(call: TextCall, losses: LossList): void {
  const given: readonly (readonly [CanonicalField, boolean])[] = [
    ['call.imageOutput', call.imageOutput !== undefined],
    ['call.speech', call.speech !== undefined],
    ['call.mediaResolution', call.mediaResolution !== undefined],
    ['call.audioTimestamp', call.audioTimestamp !== undefined],
    ['call.autoCache', call.autoCache !== undefined],
    ['call.safety', call.safety !== undefined && call.safety.length > 0],
    ['turn.name', hasSystemName(call.system)],
    ['extras', Object.keys(call.extras).some((dialect) => dialect !== ID)],
  ];
  for (const [field, isGiven] of given) if (isGiven) losses.add(field);
}

// Writes the requested reasoning at an effort the model supports. A request met only approximately is reported.

/** The effort to request; undefined: none. */
export function planEffort(reasoning: Reasoning | undefined, model: ModelFacts, losses: LossList): Effort | undefined {
  const { enabled, effort, budgetTokens } = reasoning ?? {};
  const off = enabled === false || effort === 'none';
  if (!off && enabled !== true && effort === undefined && budgetTokens === undefined) return undefined;
  const { kind, levels, canDisable } = model.thinking;
  if (kind === 'none') {
    if (!off) losses.add(reasoningFieldOf(reasoning ?? {}));
    return undefined;
  }
  if (off) {
    if (levels.includes('none') || (canDisable && levels.length === 0)) return 'none';
    losses.add(reasoningFieldOf(reasoning ?? {}), 'approximated');
    return nearestEffort('none', levels);
  }
  if (effort === undefined && budgetTokens === undefined) return undefined;
  // An effort sets the amount, and this format has no budget beside it.
  if (effort !== undefined && budgetTokens !== undefined) losses.add('reasoning.budgetTokens');
  const wanted = effort ?? effortOf(budgetTokens ?? -1, model.maxOutputTokens);
  const level = levels.length === 0 ? wanted : nearestEffort(wanted, levels);
  if (level === undefined) losses.add(reasoningFieldOf(reasoning ?? {}));
  else if (level !== effort) losses.add(reasoningFieldOf(reasoning ?? {}), 'approximated');
  return level;
}
