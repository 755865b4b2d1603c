/** A canonical call → the body of a converse request, with every loss reported. */
import type { Sampling, TextCall, Tool, ToolChoice } from '../../canonical/call.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { type Json, type JsonObject, objectAt } from '../../canonical/json.ts';
import { bindOutput } from '../../passes/bind-output.ts';
import { callIdForm } from '../../passes/call-ids.ts';
import { LossList } from '../../passes/loss-list.ts';
import { hasSystemName, isPrefilled, NOT_CONTINUED, normaliseTurns } from '../../passes/normalise-turns.ts';
import { withOfferedTools } from '../../passes/offered-tools.ts';
import { escapeName, SafeIds } from '../../passes/safe-names.ts';
import { type NameRule, withSafeToolNames } from '../../passes/tool-names.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { ContentEncoder, ID } from './encode-blocks.ts';
import { encodeReasoning } from './encode-reasoning.ts';
import { type FamilyRules, familyOf } from './quirks.ts';

const MAX_TOOL_NAME = 64;
const MAX_TOOL_ID = 64;
const MAX_STOPS = 2500;
const MAX_TEMPERATURE = 1;
const TOOL_NAMES: NameRule = { fits: (name) => escapeName(name).length <= MAX_TOOL_NAME, maxLength: MAX_TOOL_NAME };

/** A conversation starts with its user, and a document needs words beside it. */
const OPENING: JsonObject = { text: '(The conversation begins with your words.)' };
const BESIDE_DOCUMENT: JsonObject = { text: '(See the document.)' };

export function encodeCall(given: TextCall, target: TargetFacts): EncodedCall {
  const family = familyOf(target);
  const losses = new LossList();
  const offered = withOfferedTools(given, {
    takes: (tool) => tool.kind === 'function' && target.model.tools,
    webSearch: false,
  });
  losses.addAll(offered.losses);
  const { call, ...renamed } = withSafeToolNames(offered.call, TOOL_NAMES);
  refuseWhatCannotBeLeftOut(call, family);
  const { turns, losses: turnLosses } = normaliseTurns(call.turns, { systemTurns: 'as-user' });
  losses.addAll(turnLosses);
  const reasoning = encodeReasoning(call, target, family, losses);
  const free = call.tools.length === 0 && !reasoning.on;
  const output = bindOutput(call.output, wayOfOutput(target, family, free), losses);
  const tools = call.toolChoice?.mode === 'none' ? [] : offeredTools(call);
  const ids = new SafeIds(MAX_TOOL_ID);
  const encoder = new ContentEncoder({
    family,
    owner: target.sealOwner,
    losses,
    callId: family.callIdLength > 0 ? callIdForm(family.callIdLength) : (id) => ids.of(id),
    hasTools: tools.length > 0 || output.tool !== undefined,
  });
  const specs = tools.flatMap((tool) => encodeTool(tool, family, encoder, losses));
  if (output.tool !== undefined) specs.push(toolSpec(output.tool.name, output.tool.description, output.tool.schema));
  for (const block of call.system)
    if (block.kind === 'media') throw cannotCarry('call.system', 'may only be text for this model');
  const system = [
    ...encoder.blocks(call.system),
    ...(output.instruction === undefined ? [] : [{ text: output.instruction }]),
  ];
  const messages = turns.map(({ role, blocks }) => ({ role, content: encoder.blocks(blocks) }));
  const mended = mendedMessages(messages, losses);
  if (call.autoCache !== undefined) markLast(mended, encoder, call, losses);
  if (mended.length === 0) throw cannotCarry('block.text', 'must hold something to answer for this model');
  cap([specs, system, ...mended.map(({ content }) => content)], family, losses);
  const choice =
    output.tool === undefined ? encodeChoice(call, family, reasoning.on, losses) : { tool: { name: output.tool.name } };
  const stops = (call.sampling.stopSequences ?? []).filter((stop) => stop !== '');
  const sendsStops = family.stopSequences && stops.length <= MAX_STOPS && stops.every((stop) => stop.trim() !== '');
  const inference: JsonObject = {
    ...encodeSampling(call.sampling, target, family, reasoning.on, losses),
    ...(sendsStops && stops.length > 0 && { stopSequences: stops }),
  };
  const body: JsonObject = {
    ...call.extras[ID],
    messages: mended,
    ...(system.length > 0 && { system }),
    ...(Object.keys(inference).length > 0 && { inferenceConfig: inference }),
    ...(specs.length > 0 && { toolConfig: { tools: specs, ...(choice !== undefined && { toolChoice: choice }) } }),
    ...(output.schema !== undefined && {
      outputConfig: {
        textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: JSON.stringify(output.schema) } } },
      },
    }),
    ...(stops.length > 0 &&
      family.stopMatchedAt !== '' && { additionalModelResponseFieldPaths: [family.stopMatchedAt] }),
  };
  const members = { ...reasoning.members, ...topK(call.sampling, target, family, reasoning.on, losses) };
  loseWhatIsUnknownHere(call, losses);
  return {
    body: Object.entries(members).reduce<JsonObject>((whole, [path, value]) => withMember(whole, path, value), body),
    losses: losses.all,
    ...(!sendsStops && { watchFor: stops }),
    ...renamed,
  };
}

function withMember(object: JsonObject, path: string, value: Json): JsonObject {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...object, [name]: value };
  return { ...object, [name]: withMember(objectAt(object, name) ?? {}, rest.join('.'), value) };
}

function refuseWhatCannotBeLeftOut(call: TextCall, family: FamilyRules): void {
  if ((call.sampling.candidates ?? 1) > 1) throw cannotCarry('sampling.candidates', 'may only be 1 for this model');
  if (call.modalities?.some((modality) => modality !== 'text'))
    throw cannotCarry('call.modalities', 'may only be text for this model');
  if (call.cachedContent !== undefined) throw cannotCarry('call.cachedContent', 'is not offered for this model');
  if (call.sampling.logprobs === true) throw cannotCarry('sampling.logprobs', 'cannot be given by this model');
  if (call.webSearch !== undefined) throw cannotCarry('call.webSearch', 'is not offered for this model');
  if (isPrefilled(call) && !family.prefill) throw cannotCarry('turn.prefill', NOT_CONTINUED);
}

function loseWhatIsUnknownHere(call: TextCall, losses: LossList): void {
  for (const field of ['imageOutput', 'speech', 'mediaResolution', 'audioTimestamp'] as const)
    if (call[field] !== undefined) losses.add(`call.${field}`);
  if (call.safety !== undefined && call.safety.length > 0) losses.add('call.safety');
  if (call.parallelToolCalls === false) losses.add('call.parallelToolCalls');
  if (hasSystemName(call.system)) losses.add('turn.name');
  if (Object.keys(call.extras).some((dialect) => dialect !== ID)) losses.add('extras');
}

function wayOfOutput({ model }: TargetFacts, family: FamilyRules, free: boolean): 'schema' | 'tool' | 'instruction' {
  if (family.jsonSchema === 'native' && model.structuredOutput) return 'schema';
  const takesTool = family.jsonSchema !== 'instruction' && model.tools && free && family.toolChoices.includes('tool');
  return takesTool ? 'tool' : 'instruction';
}

// Messages in the form that every model accepts.

type Message = { readonly role: string; readonly content: JsonObject[] };

function mendedMessages(messages: readonly Message[], losses: LossList): Message[] {
  const out: Message[] = [];
  for (const { role, content } of messages) {
    // Points for the cache alone are nothing to read.
    if (!content.some((block) => block['cachePoint'] === undefined)) continue;
    const last = out.at(-1);
    if (last?.role === role) last.content.push(...content);
    else out.push({ role, content });
  }
  for (const { content } of out) {
    const holds = (name: string): boolean => content.some((block) => block[name] !== undefined);
    if (!holds('document') || holds('text')) continue;
    losses.add('block.text', 'approximated');
    content.push(BESIDE_DOCUMENT);
  }
  if (out[0]?.role === 'assistant') {
    losses.add('block.text', 'approximated');
    out.unshift({ role: 'user', content: [OPENING] });
  }
  const end = out.at(-1);
  const text = end?.role === 'assistant' ? end.content.at(-1)?.['text'] : undefined;
  // Text to be continued may not end in white space.
  if (typeof text === 'string' && text !== text.trimEnd()) {
    losses.add('turn.prefill', 'approximated');
    end?.content.splice(-1, 1, { text: text.trimEnd() });
  }
  return out;
}

/** The whole prompt may be cached: a point at its end. */
function markLast(
  messages: readonly Message[],
  encoder: ContentEncoder,
  { autoCache }: TextCall,
  losses: LossList,
): void {
  const [point] = autoCache === undefined ? [] : encoder.cachePoint({ cache: autoCache });
  const last = messages.at(-1)?.content;
  if (point === undefined) losses.add('call.autoCache');
  else if (last?.at(-1)?.['cachePoint'] === undefined) last?.push(point);
}

/** The earliest points are dropped: later ones make them superfluous. */
function cap(lists: readonly JsonObject[][], { cachePoints }: FamilyRules, losses: LossList): void {
  const isPoint = (block: JsonObject): boolean => block['cachePoint'] !== undefined;
  let over = lists.reduce((total, list) => total + list.filter(isPoint).length, 0) - cachePoints;
  for (const list of lists)
    for (let at = 0; at < list.length && over > 0; at++) {
      const block = list[at];
      if (block === undefined || !isPoint(block)) continue;
      list.splice(at--, 1);
      losses.add('block.cache');
      over--;
    }
}

// Tools.

/** A choice among some tools offers only these. */
function offeredTools({ tools, toolChoice }: TextCall): readonly Tool[] {
  return toolChoice?.mode === 'some' ? tools.filter(({ name }) => toolChoice.names.includes(name)) : tools;
}

function encodeTool(tool: Tool, family: FamilyRules, encoder: ContentEncoder, losses: LossList): JsonObject[] {
  if (tool.kind !== 'function') return [];
  const isStrict = tool.strict === true && family.jsonSchema === 'native';
  if (tool.strict === true && !isStrict) losses.add('tool.strict');
  const schema = { ...tool.parameters, type: 'object', ...(tool.parameters === undefined && { properties: {} }) };
  return [
    toolSpec(escapeName(tool.name), tool.description, schema, isStrict),
    ...encoder.cachePoint(tool, family.cacheWithTools),
  ];
}

const toolSpec = (name: string, description: string | undefined, json: JsonObject, strict = false): JsonObject => ({
  toolSpec: {
    name,
    ...(description !== undefined && description !== '' && { description }),
    inputSchema: { json },
    ...(strict && { strict }),
  },
});

function encodeChoice(
  { toolChoice, tools }: TextCall,
  family: FamilyRules,
  reasons: boolean,
  losses: LossList,
): JsonObject | undefined {
  if (toolChoice === undefined || tools.length === 0 || toolChoice.mode === 'none') return undefined;
  const isForced = forcesTool(toolChoice);
  const takes = (choice: 'auto' | 'any' | 'tool'): boolean =>
    family.toolChoices.includes(choice) && (choice === 'auto' || !reasons || family.forcedWhileReasoning);
  const wanted = toolChoice.mode === 'one' ? 'tool' : isForced ? 'any' : 'auto';
  const sent = takes(wanted) ? wanted : isForced && takes('any') ? 'any' : 'auto';
  if (sent !== wanted || toolChoice.mode === 'some' || toolChoice.mode === 'validated')
    losses.add(`tool-choice.${toolChoice.mode}`, 'approximated');
  if (!takes(sent)) return undefined;
  return sent === 'tool' && toolChoice.mode === 'one'
    ? { tool: { name: escapeName(toolChoice.name) } }
    : { [sent]: {} };
}

const forcesTool = (choice: ToolChoice): boolean =>
  choice.mode === 'any' || choice.mode === 'one' || (choice.mode === 'some' && choice.required);

// Sampling.

function encodeSampling(
  sampling: Sampling,
  { model }: TargetFacts,
  family: FamilyRules,
  reasons: boolean,
  losses: LossList,
): JsonObject {
  for (const field of ['seed', 'frequencyPenalty', 'presencePenalty', 'logitBias', 'topLogprobs', 'verbosity'] as const)
    if (sampling[field] !== undefined) losses.add(`sampling.${field}`);
  const { maxOutputTokens, temperature, topP } = sampling;
  // Models that think to a budget take no sampling then.
  const isFree = model.temperature && !(reasons && family.thinkingAt !== '');
  const limit = Math.min(
    Math.max(maxOutputTokens ?? 0, family.minOutputTokens),
    model.maxOutputTokens ?? Number.POSITIVE_INFINITY,
  );
  if (maxOutputTokens !== undefined && limit !== maxOutputTokens) losses.add('sampling.maxOutputTokens', 'clamped');
  if (temperature !== undefined && !isFree && temperature !== MAX_TEMPERATURE) losses.add('sampling.temperature');
  if (temperature !== undefined && isFree && temperature > MAX_TEMPERATURE)
    losses.add('sampling.temperature', 'clamped');
  if (topP !== undefined && !isFree && topP !== 1) losses.add('sampling.topP');
  return {
    ...(maxOutputTokens !== undefined && { maxTokens: limit }),
    ...(temperature !== undefined && isFree && { temperature: Math.min(temperature, MAX_TEMPERATURE) }),
    ...(topP !== undefined && isFree && { topP }),
  };
}

function topK(
  { topK: wanted }: Sampling,
  { model }: TargetFacts,
  { topKAt, thinkingAt }: FamilyRules,
  reasons: boolean,
  losses: LossList,
): Readonly<Record<string, Json>> {
  if (wanted === undefined || wanted === 0) return {};
  if (topKAt !== '' && model.temperature && !(reasons && thinkingAt !== '')) return { [topKAt]: wanted };
  losses.add('sampling.topK');
  return {};
}
