/**
 * Same dialect on both ends: what changes in the caller's own text, or why it has to be rebuilt instead.
 *
 *   model                        the upstream's own name; left out where the path names it         [M-05]
 *   anthropic_version            added where the host reads it in the body
 *   stream                       left out where the path says it
 *   anthropic_beta               the betas for this host, where it reads them in the body
 *   metadata, service_tier       left out, reported                                                [M-23] [M-24]
 *   members given as null        left out                                                          (null counts as absent)
 *   messages                     neighbours of one role merged                                     [M-29]
 *   thinking, output_config      in the form this model takes, reported where only near            [M-11] [M-13]
 *   output_config.effort         left out where the host does not read it, reported
 *   temperature, top_p, top_k    left out for models that have none, reported                      [M-10] [M-21] [M-22]
 *
 * Refused here: max_tokens above the model's limit, thinking on a model without it                 [M-02] [M-14]
 */
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { LossList } from '../../passes/loss-list.ts';
import { isGiven, malformed, unsupported } from '../checking.ts';
import type { Edit, ModelFacts, TargetFacts, VerbatimRequest } from '../dialect.ts';
import { planThinking, takesBudget } from './adapt-thinking.ts';
import { type CheckedCall, HINT_FIELDS } from './check.ts';
import { isWebSearch, WEB_SEARCH_TYPE } from './check-tools.ts';
import { decodeReasoning, hasUnknownEffort } from './decode-call.ts';
import { offers } from './encode-tools.ts';
import { mergedMessages } from './mend-messages.ts';
import { quirksOf } from './quirks.ts';
import { isHome } from './seals.ts';
import { betasFor, DEFERRED } from './tool-search.ts';

/** Requests that this protocol refuses where others clamp. */
export function judge({ maxTokens, thinking }: CheckedCall, model: ModelFacts): void {
  if (model.maxOutputTokens !== undefined && maxTokens > model.maxOutputTokens)
    throw malformed('max_tokens', `must be at most ${model.maxOutputTokens} for this model`);
  // "Adaptive" lets the model decide whether to think, so a model that never does accepts it with a loss.
  if (thinking?.['type'] === 'enabled' && model.thinking.kind === 'none')
    throw unsupported('thinking', 'is not offered by this model');
}

export function verbatimRequest(checked: CheckedCall, target: TargetFacts): VerbatimRequest {
  judge(checked, target.model);
  const why = whyRebuild(checked, target);
  if (why !== undefined) return { why };
  const { body } = checked;
  const losses = new LossList();
  const set = hostMembers(checked, target);
  for (const name in body) if (body[name] === null) set.set(name, undefined);
  for (const name of HINT_FIELDS) if (body[name] !== undefined) set.set(name, undefined);
  if (checked.traits.sameRoleNeighbours) {
    const merged = mergedMessages(arrayAt(body, 'messages'));
    if (merged !== undefined) set.set('messages', merged);
  }
  adaptThinking(checked, target, set, losses);
  if (!quirksOf(target).effort) dropEffort(checked, set, losses);
  if (!target.model.temperature) dropSampling(checked, set, losses);
  const edits: Edit[] = [];
  for (const [name, value] of set) edits.push({ name, value: value === undefined ? undefined : JSON.stringify(value) });
  return { edits, losses: losses.all };
}

/** The members for model, version, streaming and betas differ by host; the rest of the body does not. */
function hostMembers(checked: CheckedCall, target: TargetFacts): Changes {
  const { body } = checked;
  const quirks = quirksOf(target);
  const { bodyVersion, streamMember } = quirks;
  const set: Changes = new Map();
  set.set('model', bodyVersion === '' ? target.upstreamModel : undefined);
  if (bodyVersion !== '') set.set('anthropic_version', bodyVersion);
  if (!streamMember && body['stream'] !== undefined) set.set('stream', undefined);
  const betas = quirks.bodyBetas ? betasFor(checked, quirks) : [];
  if (betas.length > 0) set.set('anthropic_beta', betas);
  return set;
}

/** Changes inside messages or tools cannot be made by editing top-level members. */
function whyRebuild(
  { body, tools, unknownTools, toolChoice, traits }: CheckedCall,
  target: TargetFacts,
): string | undefined {
  const quirks = quirksOf(target);
  if (unknownTools) return 'it declares tools of unknown types';
  if (traits.envelopes) return 'it holds opaque state in envelopes';
  if (traits.rawSeals && !isHome(target.sealOwner)) return 'it holds opaque state of another maker';
  if (traits.systemTurns && !quirks.systemTurns) return 'the host takes no system messages';
  const last = arrayAt(body, 'messages').at(-1);
  if (!quirks.prefill && isJsonObject(last) && last['role'] === 'assistant') return 'the host continues no answers';
  const native = quirks.messagesOutput === 'native' && target.model.structuredOutput;
  if (!native && objectAt(objectAt(body, 'output_config'), 'format') !== undefined) return 'the host has no schemas';
  if (traits.richBlocks && !(quirks.documents && quirks.searchResults && quirks.fetchesUrls))
    return 'the host does not read every kind of block';
  if (traits.serverTools && !quirks.webSearch) return 'the host runs no tools of its own';
  if (traits.newerServerTools && !(quirks.webFetch && quirks.toolSearch)) return 'the host lacks one of the tools';
  if (traits.toolReferences && !quirks.toolSearch) return 'the host searches no tools';
  if (toolChoice?.['type'] === 'none' && !quirks.toolChoiceNone) return 'the host cannot be kept from calling tools';
  if (traits.looseForms || toolChoice?.['disable_parallel_tool_use'] === null || tools.some(hasNull))
    return 'it is written in a form that hosts do not take';
  const lacks = tools.some((tool) => {
    const type = stringAt(tool, 'type') ?? 'custom';
    if (isGiven(tool[DEFERRED]) && !quirks.toolSearch) return true;
    if (isWebSearch(tool)) return !quirks.webSearch || (type !== WEB_SEARCH_TYPE && !quirks.webFetch);
    return type === 'custom' ? typeof tool['strict'] === 'boolean' && !quirks.strictTools : !offers(type, quirks);
  });
  return lacks ? 'the host lacks one of the tools' : undefined;
}

const hasNull = (tool: JsonObject): boolean =>
  tool['description'] === null || tool['strict'] === null || objectAt(tool, 'cache_control')?.['ttl'] === null;

type Changes = Map<string, Json | undefined>;

/** Only if the caller's form is not this model's: a matching form passes unchanged. */
function adaptThinking(
  { body, thinking, maxTokens }: CheckedCall,
  target: TargetFacts,
  set: Changes,
  losses: LossList,
): void {
  const type = thinking?.['type'];
  const { kind, canDisable } = target.model.thinking;
  if (type === undefined) return;
  const fits =
    type === 'enabled'
      ? takesBudget(target.model.thinking)
      : type === 'adaptive'
        ? kind === 'adaptive'
        : kind === 'budget' || canDisable;
  if (fits) return;
  const plan = planThinking(decodeReasoning(body), target.model, quirksOf(target), { maxTokens, barred: false });
  losses.addAll(plan.losses);
  set.set('thinking', plan.thinking);
  if (plan.effort === undefined) return;
  if (hasUnknownEffort(body)) losses.add('reasoning.effort', 'approximated');
  set.set('output_config', { ...objectAt(body, 'output_config'), effort: plan.effort });
}

function dropEffort({ body }: CheckedCall, set: Changes, losses: LossList): void {
  const { effort, ...rest } = objectAt(body, 'output_config') ?? {};
  if (typeof effort !== 'string') return;
  set.set('output_config', Object.keys(rest).length > 0 ? rest : undefined);
  losses.add('reasoning.effort');
}

const SAMPLING = [
  ['temperature', 'sampling.temperature', 1],
  ['top_p', 'sampling.topP', 1],
  ['top_k', 'sampling.topK', 0],
] as const;

function dropSampling({ body }: CheckedCall, set: Changes, losses: LossList): void {
  for (const [name, field, unasked] of SAMPLING) {
    if (typeof body[name] !== 'number') continue;
    set.set(name, undefined);
    if (body[name] !== unasked) losses.add(field);
  }
}
