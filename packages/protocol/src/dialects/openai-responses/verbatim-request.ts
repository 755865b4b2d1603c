/**
 * Same dialect on both ends: what changes in the caller's own text, or why it has to be rebuilt instead.
 *
 *   model                        the upstream's own name                                           
 *   store                        false, always                                                     
 *   include                      encrypted reasoning asked for where the model thinks              
 *   metadata, user, service_tier, safety_identifier, background
 *                                left out; all but metadata and background reported                
 *   stream_options               padding off                                                       
 *   reasoning                    effort at a level this model has, reported where only near        
 *   max_output_tokens            within the limits of model and host, reported                     
 *   temperature, top_p           left out for models that take none, reported                      
 *   members given as null        left out                                                           (null counts as absent)
 */
import { arrayAt, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import { LossList } from '../../passes/loss-list.ts';
import type { Edit, TargetFacts, VerbatimRequest } from '../dialect.ts';
import { type CheckedResponses, wantsLogprobs } from './check.ts';
import { decodeReasoning } from './decode-call.ts';
import { includes, planEffort, streaming, withinLimits } from './encode-call.ts';
import { takesVerbosity } from './encode-tools.ts';
import { HINT_FIELDS } from './known-fields.ts';
import { quirksOf } from './quirks.ts';
import { isHome } from './seals.ts';

const CONSUMED: readonly string[] = [...HINT_FIELDS, 'metadata', 'background', 'stream_options'];

export function verbatimRequest(checked: CheckedResponses, target: TargetFacts): VerbatimRequest {
  const why = whyRebuild(checked, target);
  if (why !== undefined) return { why };
  const { body, wire } = checked;
  const losses = new LossList();
  const set = new Map<string, Json | undefined>();
  for (const name in body) if (body[name] === null) set.set(name, undefined);
  for (const name of CONSUMED) if (body[name] !== undefined) set.set(name, undefined);
  set.set('model', target.upstreamModel);
  if (body['store'] !== false) set.set('store', false);
  adaptIncludes(checked, target, set);
  if (wire.stream === true) {
    const { stream_options: options } = streaming(quirksOf(target));
    if (options !== undefined) set.set('stream_options', options);
  }
  adaptSampling(checked, target, set, losses);
  adaptReasoning(checked, target, set, losses);
  const edits: Edit[] = [];
  for (const [name, value] of set) edits.push({ name, value: value === undefined ? undefined : JSON.stringify(value) });
  return { edits, losses: losses.all };
}

/** Changes inside items or tools cannot be made by editing top-level members. */
function whyRebuild(
  { body, wire, input, tools, unknownTools }: CheckedResponses,
  target: TargetFacts,
): string | undefined {
  const quirks = quirksOf(target);
  const { traits } = input;
  if (unknownTools) return 'it declares tools of unknown types';
  if (traits.envelopes) return 'it holds opaque state in envelopes';
  if (traits.rawSeals && !(isHome(target.sealOwner) && quirks.encryptedReasoning))
    return 'it holds opaque state of another maker';
  if (traits.loginMembers) return 'it holds members for the service behind a login';
  if (traits.unanswered) return 'a tool call has no result';
  if (traits.bareReasoning) return 'it holds reasoning that was not stored';
  if (typeof wire.instructions === 'string' && quirks.instructionsAs !== 'instructions')
    return 'the host wants instructions as messages';
  const lacks = tools.some(({ type }) =>
    type === 'custom'
      ? !quirks.freeFormTools
      : type === 'web_search'
        ? !quirks.webSearchTool
        : type === 'own' && !quirks.homeMembers,
  );
  if (lacks || (traits.customCalls && !quirks.freeFormTools)) return 'the host lacks one of the tools';
  if (!quirks.strictFunctions && tools.some((tool) => tool.type === 'function' && tool.strict === true))
    return 'the host has no strict tools';
  if (traits.richOutput && !quirks.richToolOutput) return 'the host takes only text from tools';
  if (traits.fileUrls && !quirks.fileUrls) return 'the host fetches no documents';
  if (wantsLogprobs(wire) && !quirks.outputLogprobs) return 'the host has no log probabilities';
  if (!takesVerbosity(wire.text?.verbosity, target)) return 'the host has no such verbosity';
  if (!quirks.homeMembers && stringAt(body, 'prompt_cache_key') !== undefined) return 'the host knows fewer members';
  return undefined;
}

type Changes = Map<string, Json | undefined>;

function adaptIncludes({ body, wire }: CheckedResponses, target: TargetFacts, set: Changes): void {
  const given = arrayAt(body, 'include');
  const { include } = includes(given, wantsLogprobs(wire), target);
  if (!Array.isArray(include)) {
    if (body['include'] !== undefined) set.set('include', undefined);
  } else if (include.length !== given.length) set.set('include', include);
}

function adaptSampling({ wire }: CheckedResponses, target: TargetFacts, set: Changes, losses: LossList): void {
  if (!target.model.temperature) {
    if (typeof wire.temperature === 'number') {
      set.set('temperature', undefined);
      losses.add('sampling.temperature');
    }
    if (typeof wire.top_p === 'number') {
      set.set('top_p', undefined);
      losses.add('sampling.topP');
    }
  }
  const cap = wire.max_output_tokens;
  if (typeof cap !== 'number' || withinLimits(cap, target) === cap) return;
  set.set('max_output_tokens', withinLimits(cap, target));
  losses.add('sampling.maxOutputTokens', 'clamped');
}

/** A matching value passes unchanged. */
function adaptReasoning({ body, wire }: CheckedResponses, target: TargetFacts, set: Changes, losses: LossList): void {
  const given = objectAt(body, 'reasoning');
  if (given === undefined) return;
  if (target.model.thinking.kind === 'none') {
    set.set('reasoning', undefined);
    planEffort(decodeReasoning(wire), target.model, losses);
    return;
  }
  const word = stringAt(given, 'effort');
  const effort = planEffort(decodeReasoning(wire), target.model, losses);
  const { effort: _, summary, ...rest } = given;
  const keepsSummary = summary === undefined || summary === null || quirksOf(target).reasoningSummary;
  if (effort === word && keepsSummary) return;
  const adapted: JsonObject = {
    ...rest,
    ...(effort !== undefined && { effort }),
    ...(summary !== undefined && summary !== null && keepsSummary && { summary }),
  };
  set.set('reasoning', Object.keys(adapted).length > 0 ? adapted : undefined);
}
