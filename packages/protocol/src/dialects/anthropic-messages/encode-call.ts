/** A canonical call → the body for a messages upstream, with every loss reported. */
import type { Sampling, TextCall, Tool } from '../../canonical/call.ts';
import type { Block, Turn } from '../../canonical/content.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { EMIT_TOOL } from '../../passes/bind-output.ts';
import { joinBlanks, joinThoughts } from '../../passes/join-pieces.ts';
import { LossList } from '../../passes/loss-list.ts';
import { hasSystemName, normaliseTurns } from '../../passes/normalise-turns.ts';
import { withOfferedTools } from '../../passes/offered-tools.ts';
import { escapeName, SafeIds } from '../../passes/safe-names.ts';
import { type NameRule, withSafeToolNames } from '../../passes/tool-names.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { planThinking, takesBudget } from './adapt-thinking.ts';
import { NEWER_SEARCH, SEARCH_CACHE } from './decode-call.ts';
import { BlockEncoder, type EncodingPorts } from './encode-blocks.ts';
import { planOutput } from './encode-output.ts';
import { encodeToolChoice, encodeTools, forcesTool, offerOf } from './encode-tools.ts';
import { mended } from './mend-messages.ts';
import { type MessagesQuirks, quirksOf } from './quirks.ts';
import { mayOpen } from './seals.ts';
import { MAX_TOOL_NAME } from './wire.ts';

const MAX_TOOL_ID = 64;
/** For a model with an unknown limit: within the limit of every model. */
const DEFAULT_MAX_TOKENS = 4096;

/** Other characters are escaped; a name that is then too long is shortened. */
const TOOL_NAMES: NameRule = {
  fits: (name) => escapeName(name).length <= MAX_TOOL_NAME,
  maxLength: MAX_TOOL_NAME,
};

export function encodeCall(given: TextCall, target: TargetFacts): EncodedCall {
  const quirks = quirksOf(target);
  const losses = new LossList();
  const offered = withOfferedTools(given, offerOf(quirks));
  losses.addAll(offered.losses);
  const { call, ...renamed } = withSafeToolNames(offered.call, TOOL_NAMES);
  refuseWhatCannotBeLeftOut(call);
  const { turns, losses: turnLosses } = normaliseTurns(call.turns, {
    systemTurns: quirks.systemTurns ? 'keep' : 'as-user',
  });
  losses.addAll(turnLosses);
  const prefilled = isPrefilled(turns.at(-1));
  if (prefilled && !quirks.prefill)
    throw cannotCarry('turn.prefill', 'ends with an assistant message, which this model cannot continue');
  const ports: EncodingPorts = { quirks, owner: target.sealOwner, ids: new SafeIds(MAX_TOOL_ID), losses };
  const encoder = new BlockEncoder(ports, marksToDrop(call, quirks.cacheMarks));
  const messages = mended(
    turns.flatMap((turn) => encodeTurn(turn, encoder, target)),
    losses,
  );
  if (messages.length === 0) throw cannotCarry('block.text', 'must hold something to answer for this model');
  const maxTokens = maxTokensOf(call, target, losses);
  const barred = prefilled || forcesTool(call.toolChoice);
  const unthought = takesBudget(target.model.thinking) && unthoughtCall(messages);
  const plan = planThinking(call.reasoning, target.model, quirks, { maxTokens, barred, unthought });
  losses.addAll(plan.losses);
  const tools = encodeTools(call, given, ports, encoder);
  const output = planOutput(call.output, target.model, quirks, tools.length === 0 && !plan.on, losses);
  if (output.tool !== undefined) tools.push(output.tool);
  const system = encodeSystem(call.system, output.instruction, encoder);
  const choice = output.tool === undefined ? encodeToolChoice(call, ports) : { type: 'tool', name: EMIT_TOOL };
  const outputConfig: JsonObject = {
    ...(plan.effort !== undefined && { effort: plan.effort }),
    ...(output.format !== undefined && { format: output.format }),
  };
  const body: JsonObject = {
    ...ownExtras(call),
    ...(quirks.bodyVersion === '' ? { model: target.upstreamModel } : { anthropic_version: quirks.bodyVersion }),
    max_tokens: maxTokens,
    ...(system.length > 0 && { system }),
    messages,
    ...encodeSampling(call.sampling, target, plan.on, losses),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && choice !== undefined && { tool_choice: choice }),
    ...(plan.thinking !== undefined && { thinking: plan.thinking }),
    ...(Object.keys(outputConfig).length > 0 && { output_config: outputConfig }),
    ...encodeAutoCache(call, quirks, losses),
    ...(call.stream && quirks.streamMember && { stream: true }),
  };
  loseWhatIsUnknownHere(call, losses);
  return { body, losses: losses.all, watchFor: stopsToWatchFor(call.sampling), ...renamed };
}

function ownExtras(call: TextCall): JsonObject {
  const { [SEARCH_CACHE]: _mark, [NEWER_SEARCH]: _search, ...own } = call.extras['anthropic-messages'] ?? {};
  return own;
}

function encodeAutoCache({ autoCache }: TextCall, quirks: MessagesQuirks, losses: LossList): JsonObject {
  if (autoCache === undefined) return {};
  if (quirks.cacheMarks > 0)
    return { cache_control: { type: 'ephemeral', ...(autoCache.ttl !== undefined && { ttl: autoCache.ttl }) } };
  losses.add('call.autoCache');
  return {};
}

function refuseWhatCannotBeLeftOut(call: TextCall): void {
  if ((call.sampling.candidates ?? 1) > 1) throw cannotCarry('sampling.candidates', 'may only be 1 for this model');
  if (call.modalities?.some((modality) => modality !== 'text'))
    throw cannotCarry('call.modalities', 'may only be text for this model');
  if (call.cachedContent !== undefined) throw cannotCarry('call.cachedContent', 'is not offered for this model');
  if (call.sampling.logprobs === true) throw cannotCarry('sampling.logprobs', 'cannot be given by this model');
}

function loseWhatIsUnknownHere(call: TextCall, losses: LossList): void {
  for (const field of ['imageOutput', 'speech', 'mediaResolution', 'audioTimestamp'] as const)
    if (call[field] !== undefined) losses.add(`call.${field}`);
  if (call.safety !== undefined && call.safety.length > 0) losses.add('call.safety');
  if (hasSystemName(call.system)) losses.add('turn.name');
  if (Object.keys(call.extras).some((dialect) => dialect !== 'anthropic-messages')) losses.add('extras');
}

function maxTokensOf(call: TextCall, { model }: TargetFacts, losses: LossList): number {
  const usual = model.usualOutputTokens ?? model.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  const wanted = call.sampling.maxOutputTokens ?? usual;
  if (model.maxOutputTokens === undefined || wanted <= model.maxOutputTokens) return wanted;
  losses.add('sampling.maxOutputTokens', 'clamped');
  return model.maxOutputTokens;
}

/** A turn that paused during the provider's own work is not a prefill. */
function isPrefilled(last: Turn | undefined): boolean {
  const kind = last?.blocks.at(-1)?.kind;
  return last?.role === 'assistant' && kind !== 'server-tool' && kind !== 'foreign';
}

function encodeTurn(turn: Turn, encoder: BlockEncoder, { sealOwner }: TargetFacts): JsonObject[] {
  const content = encoder.blocks(joinBlanks(joinThoughts(turn.blocks, (seal) => mayOpen(sealOwner, seal))));
  return content.length === 0 ? [] : [{ role: turn.role, content }];
}

function encodeSystem(blocks: readonly Block[], instruction: string | undefined, encoder: BlockEncoder): JsonObject[] {
  for (const block of blocks)
    if (block.kind === 'media') throw cannotCarry('call.system', 'may only be text for this model');
  const texts = encoder.blocks(blocks.filter((block) => block.kind !== 'text' || block.text !== ''));
  return instruction === undefined ? texts : [...texts, { type: 'text', text: instruction }];
}

const marksIn = (nodes: readonly (Block | Tool)[]): number =>
  nodes.reduce((total, node) => {
    const inner = 'content' in node ? marksIn(node.content) : 0;
    return total + inner + (node.cache === undefined ? 0 : 1);
  }, 0);

function marksToDrop(call: TextCall, most: number): number {
  const inTurns = call.turns.reduce((total, turn) => total + marksIn(turn.blocks), 0);
  const all = inTurns + marksIn(call.system) + marksIn(call.tools) + (call.autoCache === undefined ? 0 : 1);
  return Math.max(0, all - most);
}

/** Within a round of tool calls: did the model call without thinking first? With thinking on, upstreams refuse that. */
function unthoughtCall(messages: readonly JsonObject[]): boolean {
  const last = messages.findLast((message) => message['role'] === 'assistant');
  if (last === undefined || last === messages.at(-1)) return false;
  const types = contentOf(last).map(typeOf);
  return types.includes('tool_use') && types[0] !== 'thinking' && types[0] !== 'redacted_thinking';
}

const contentOf = (message: JsonObject): readonly Json[] => {
  const content = message['content'];
  return Array.isArray(content) ? content : [];
};
const typeOf = (block: Json): Json | undefined =>
  typeof block === 'object' && block !== null && 'type' in block ? block['type'] : undefined;

// Sampling parameters → the wire: within this dialect's range, this model's support, and the limits of thinking.

const MAX_TEMPERATURE = 1;
/** While a model thinks, its temperature is fixed and top-p must be at least this value. */
const THINKING_TOP_P = 0.95;

/** Stop sequences of white space only are refused upstream: the gateway watches for them itself. */
const isBlank = (stop: string): boolean => stop.trim() === '';
const stopsToWatchFor = ({ stopSequences = [] }: Sampling): readonly string[] => stopSequences.filter(isBlank);

function encodeSampling(sampling: Sampling, target: TargetFacts, thinking: boolean, losses: LossList): JsonObject {
  for (const field of ['seed', 'frequencyPenalty', 'presencePenalty', 'logitBias', 'topLogprobs', 'verbosity'] as const)
    if (sampling[field] !== undefined) losses.add(`sampling.${field}`);
  const stops = (sampling.stopSequences ?? []).filter((stop) => !isBlank(stop));
  const temperature = temperatureOf(sampling.temperature, target, thinking, losses);
  return {
    ...(temperature !== undefined && { temperature }),
    ...topPOf(sampling, temperature, target, thinking, losses),
    ...topKOf(sampling.topK, target, thinking, losses),
    ...(stops.length > 0 && { stop_sequences: stops }),
  };
}

function temperatureOf(
  wanted: number | undefined,
  { model }: TargetFacts,
  thinking: boolean,
  losses: LossList,
): number | undefined {
  // 1 is the model's default: leaving it out loses nothing.
  if (wanted === undefined || (wanted === MAX_TEMPERATURE && (thinking || !model.temperature))) return undefined;
  if (!model.temperature || thinking) {
    losses.add('sampling.temperature');
    return undefined;
  }
  if (wanted > MAX_TEMPERATURE) losses.add('sampling.temperature', 'clamped');
  return Math.min(wanted, MAX_TEMPERATURE);
}

function topPOf(
  { topP }: Sampling,
  temperature: number | undefined,
  target: TargetFacts,
  thinking: boolean,
  losses: LossList,
): JsonObject {
  if (topP === undefined) return {};
  const alone = temperature === undefined || quirksOf(target).temperatureWithTopP;
  if (target.model.temperature && alone && (!thinking || topP >= THINKING_TOP_P)) return { top_p: topP };
  if (topP !== 1) losses.add('sampling.topP');
  return {};
}

function topKOf(topK: number | undefined, target: TargetFacts, thinking: boolean, losses: LossList): JsonObject {
  if (topK === undefined || topK === 0) return {};
  if (target.model.temperature && !thinking && quirksOf(target).topK) return { top_k: topK };
  losses.add('sampling.topK');
  return {};
}
