/** A canonical call → the body for a generateContent upstream, with every loss reported. */
import type { OutputFormat, Sampling, TextCall, Tool, ToolChoice, WebSearch } from '../../canonical/call.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { isJsonObject, type JsonObject, objectAt } from '../../canonical/json.ts';
import { LossList } from '../../passes/loss-list.ts';
import { namedSchema } from '../../passes/named-schema.ts';
import { hasSystemName } from '../../passes/normalise-turns.ts';
import { forcesSearch, withOfferedTools } from '../../passes/offered-tools.ts';
import { type NameRule, withSafeToolNames } from '../../passes/tool-names.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { adapt } from './adapt.ts';
import { ContentWriter, writeResolution } from './encode-contents.ts';
import { encodeThinking } from './encode-thinking.ts';
import { isNewGeneration, mayOpen } from './seals.ts';

/** Function names that the format's home accepts. */
const TOOL_NAMES: NameRule = { fits: (name) => /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/.test(name), maxLength: 64 };

export function encodeCall(given: TextCall, target: TargetFacts): EncodedCall {
  // Models of older generations accept functions or built-in tools, never both: beside functions, a web search that
  // is one tool among others is dropped; `encodeTools` refuses every other mix.
  const offered = withOfferedTools(given, {
    takes: (tool) => tool.kind === 'function' || (tool.kind === 'built-in' && tool.dialect === ID),
    webSearch: isNewGeneration(target) || given.tools.every(({ kind }) => kind !== 'function'),
  });
  const { call, ...renamed } = withSafeToolNames(offered.call, TOOL_NAMES);
  const losses = new LossList();
  losses.addAll(offered.losses);
  refuseWhatCannotBeLeftOut(call, target);
  const writer = new ContentWriter(target, losses);
  const contents = writer.contents(call.turns);
  const system = writer.system(call.system);
  const tools = encodeTools(call, target, losses);
  const toolConfig = encodeToolConfig(call, losses);
  const config = encodeConfig(call, target, losses);
  const { toolConfig: _t, googleSearch: _s, ...own } = call.extras['google-generate'] ?? {};
  const body: JsonObject = {
    ...own,
    contents,
    ...(system !== undefined && { systemInstruction: system }),
    ...(tools.length > 0 && { tools }),
    ...(toolConfig !== undefined && { toolConfig }),
    ...(call.safety !== undefined &&
      call.safety.length > 0 && { safetySettings: call.safety.map((each) => ({ ...each })) }),
    ...(call.cachedContent !== undefined && { cachedContent: call.cachedContent.data }),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
  loseWhatIsUnknownHere(call, losses);
  const adapted = adapt(body, target);
  losses.addAll(adapted.losses);
  const stops = call.sampling.stopSequences ?? [];
  return {
    body: adapted.body,
    losses: losses.all,
    ...(stops.length > STOPS_MAX && { watchFor: stops }),
    ...renamed,
  };
}

/** If a call has more, none is sent and the gateway watches for all of them itself. */
const STOPS_MAX = 5;

function refuseWhatCannotBeLeftOut(call: TextCall, { model, sealOwner }: TargetFacts): void {
  const offered = model.outputModalities ?? ['text'];
  for (const modality of call.modalities ?? [])
    if (modality !== 'text' && !offered.includes(modality))
      throw cannotCarry('call.modalities', `may not hold ${modality} for this model`);
  if (call.cachedContent !== undefined && !mayOpen(sealOwner, call.cachedContent))
    throw cannotCarry('call.cachedContent', 'is kept elsewhere, where this model cannot read it');
  const candidates = call.sampling.candidates ?? 1;
  if (model.candidatesMax !== undefined && candidates > model.candidatesMax)
    throw cannotCarry('sampling.candidates', `must be at most ${model.candidatesMax} for this model`);
}

function loseWhatIsUnknownHere(call: TextCall, losses: LossList): void {
  if (call.sampling.logitBias !== undefined) losses.add('sampling.logitBias');
  if (call.sampling.verbosity !== undefined) losses.add('sampling.verbosity');
  if (call.parallelToolCalls === false) losses.add('call.parallelToolCalls');
  if (call.autoCache !== undefined) losses.add('call.autoCache');
  if (hasSystemName(call.system)) losses.add('turn.name');
  if (call.tools.some((tool) => tool.cache !== undefined)) losses.add('block.cache');
  if (Object.keys(call.extras).some((dialect) => dialect !== 'google-generate')) losses.add('extras');
}

function encodeConfig(call: TextCall, target: TargetFacts, losses: LossList): JsonObject {
  const thinking = encodeThinking(call.reasoning, target.model, losses);
  const { modalities, imageOutput, speech, mediaResolution, audioTimestamp } = call;
  return {
    ...encodeSampling(call.sampling, target, losses),
    ...encodeOutput(call.output),
    ...(modalities !== undefined && { responseModalities: modalities.map((each) => each.toUpperCase()) }),
    ...(imageOutput !== undefined && { imageConfig: imageOutput }),
    ...(speech !== undefined && { speechConfig: speech }),
    ...(mediaResolution !== undefined && { mediaResolution: writeResolution(mediaResolution) }),
    ...(audioTimestamp !== undefined && { audioTimestamp }),
    ...(thinking !== undefined && { thinkingConfig: thinking }),
  };
}

/** Unless the catalogue knows better. */
const TEMPERATURE_MAX = 2;

/** Penalties end just below the bound that other formats include. */
const PENALTY_MAX = 1.99;

function encodeSampling(sampling: Sampling, { model }: TargetFacts, losses: LossList): JsonObject {
  const { maxOutputTokens, topP, topK, stopSequences, seed } = sampling;
  const { candidates, logprobs, topLogprobs } = sampling;
  const penalty = (name: 'frequencyPenalty' | 'presencePenalty'): number | undefined => {
    const wanted = sampling[name];
    if (wanted === undefined || wanted <= PENALTY_MAX) return wanted;
    losses.add(`sampling.${name}`, 'clamped');
    return PENALTY_MAX;
  };
  const hottest = model.temperatureMax ?? TEMPERATURE_MAX;
  const temperature = sampling.temperature === undefined ? undefined : Math.min(sampling.temperature, hottest);
  if (model.temperature && temperature !== sampling.temperature) losses.add('sampling.temperature', 'clamped');
  const [frequencyPenalty, presencePenalty] = [penalty('frequencyPenalty'), penalty('presencePenalty')];
  return {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && topK > 0 && { topK }),
    ...(stopSequences !== undefined &&
      stopSequences.length > 0 &&
      stopSequences.length <= STOPS_MAX && { stopSequences }),
    ...(seed !== undefined && { seed }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(candidates !== undefined && { candidateCount: candidates }),
    ...(logprobs !== undefined && { responseLogprobs: logprobs }),
    ...(logprobs === true && topLogprobs !== undefined && topLogprobs > 0 && { logprobs: topLogprobs }),
  };
}

function encodeOutput(output: OutputFormat | undefined): JsonObject {
  switch (output?.kind) {
    case 'json':
      return { responseMimeType: 'application/json' };
    case 'schema':
      return { responseMimeType: 'application/json', responseJsonSchema: namedSchema(output) };
    case 'enum':
      return { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: output.values } };
    case 'text':
      return { responseMimeType: 'text/plain' };
    case undefined:
      return {};
  }
}

const ID = 'google-generate';

function encodeTools(call: TextCall, target: TargetFacts, losses: LossList): JsonObject[] {
  const functions = call.tools.flatMap((tool) => (tool.kind === 'function' ? [encodeFunction(tool)] : []));
  const builtIn = call.tools.flatMap((tool) => (tool.kind === 'built-in' ? [{ [tool.name]: tool.settings }] : []));
  const search = call.webSearch === undefined ? [] : [{ googleSearch: encodeSearch(call.webSearch, call, losses) }];
  const others = [...builtIn, ...search];
  if (functions.length > 0 && others.length > 0 && !isNewGeneration(target))
    throw cannotCarry('tool.built-in', 'cannot mix functions with built-in tools for this model');
  return [...(functions.length > 0 ? [{ functionDeclarations: functions }] : []), ...others];
}

function encodeFunction(tool: Extract<Tool, { kind: 'function' }>): JsonObject {
  const { name, description, parameters } = tool;
  const properties = parameters?.['properties'];
  const takesNothing =
    parameters === undefined ||
    (parameters['type'] === 'object' && (!isJsonObject(properties) || Object.keys(properties).length === 0));
  return {
    ...tool.extras?.['google-generate'],
    name,
    ...(description !== undefined && { description }),
    ...(!takesNothing && parameters !== undefined && { parametersJsonSchema: parameters }),
  };
}

function encodeSearch(search: WebSearch, call: TextCall, losses: LossList): JsonObject {
  if (search.allowedDomains !== undefined)
    throw cannotCarry('call.webSearch', 'cannot limit web search to domains for this model');
  if (search.maxUses !== undefined || search.contextSize !== undefined || search.location !== undefined)
    losses.add('call.webSearch', 'approximated');
  return {
    ...objectAt(call.extras['google-generate'], 'googleSearch'),
    ...(search.blockedDomains !== undefined && { excludeDomains: search.blockedDomains }),
  };
}

function encodeToolConfig(call: TextCall, losses: LossList): JsonObject | undefined {
  // The model decides when to search; only functions can be forced.
  const isSearch = forcesSearch(call);
  if (isSearch) losses.add('tool-choice.one', 'approximated');
  const own = call.extras['google-generate']?.['toolConfig'];
  const functions = call.tools.filter((tool) => tool.kind === 'function');
  const strict = functions.some((tool) => tool.strict === true);
  const calling = functions.length === 0 ? undefined : encodeChoice(isSearch ? undefined : call.toolChoice, strict);
  if (calling === undefined) return isJsonObject(own) ? own : undefined;
  return { ...(isJsonObject(own) && own), functionCallingConfig: calling };
}

/** This format's mode for arguments that must match their schema is `VALIDATED`. */
function encodeChoice(choice: ToolChoice | undefined, strict: boolean): JsonObject | undefined {
  switch (choice?.mode) {
    case undefined:
      return strict ? { mode: 'VALIDATED' } : undefined;
    case 'auto':
      return { mode: strict ? 'VALIDATED' : 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'any':
      return { mode: 'ANY' };
    case 'validated':
      return { mode: 'VALIDATED' };
    case 'one':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'some':
      return { mode: choice.required ? 'ANY' : 'VALIDATED', allowedFunctionNames: choice.names };
  }
}
