/** A canonical call → the body for a chat-completions upstream, with every loss reported. */
import type { OutputFormat, Sampling, TextCall, Tool } from '../../canonical/call.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import type { Json, JsonObject } from '../../canonical/json.ts';
import { LossList } from '../../passes/loss-list.ts';
import { isPrefilled, NOT_CONTINUED } from '../../passes/normalise-turns.ts';
import { forcesSearch, withOfferedTools } from '../../passes/offered-tools.ts';
import { type NameRule, withSafeToolNames } from '../../passes/tool-names.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { encodeSchemaOutput, encodeToolChoice } from '../request-forms.ts';
import { type Adaptation, adapt, takesStops } from './adapt.ts';
import { encodeMessages } from './encode-messages.ts';
import { type ChatQuirks, quirksOf } from './quirks.ts';

/** Tool names that the format's home accepts. */
const TOOL_NAMES: NameRule = { fits: (name) => /^[A-Za-z0-9_-]{1,64}$/.test(name), maxLength: 64 };

export function encodeCall(given: TextCall, target: TargetFacts): EncodedCall {
  const quirks = quirksOf(target);
  const offered = withOfferedTools(given, {
    takes: ({ kind }) => kind === 'function' || (kind === 'custom' && quirks.customTools),
    webSearch: quirks.webSearchOptions,
  });
  const { call, ...renamed } = withSafeToolNames(offered.call, TOOL_NAMES);
  const losses = new LossList();
  losses.addAll(offered.losses);
  refuseWhatCannotBeLeftOut(call, quirks);
  const body: JsonObject = {
    ...call.extras['openai-chat'],
    model: target.upstreamModel,
    messages: encodeMessages(call, quirks, target, losses),
    ...encodeSampling(call.sampling, quirks, losses),
    ...(call.tools.length > 0 && { tools: call.tools.map((tool) => encodeTool(tool, quirks, losses)) }),
    ...encodeChoice(call, losses),
    ...(call.parallelToolCalls !== undefined && { parallel_tool_calls: call.parallelToolCalls }),
    ...encodeOutput(call.output, quirks, losses),
    ...(call.webSearch !== undefined && { web_search_options: encodeWebSearch(call.webSearch, losses) }),
    ...(call.stream && { stream: true }),
    ...(isPrefilled(call) &&
      quirks.prefillWrite === 'continue-final' && { continue_final_message: true, add_generation_prompt: false }),
  };
  loseWhatIsUnknownHere(call, losses);
  const facts = { stream: call.stream, reasoning: call.reasoning, maxOutputTokens: call.sampling.maxOutputTokens };
  const adaptation = adapt(body, facts, target);
  losses.addAll(adaptation.losses);
  // `seed` is a hint from a chat caller, but a regular field in other dialects: set after the hints are removed.
  const seed =
    quirks.seedField !== 'none' && call.sampling.seed !== undefined ? { [quirks.seedField]: call.sampling.seed } : {};
  const stops = call.sampling.stopSequences ?? [];
  return {
    body: { ...applied(body, adaptation), ...seed },
    losses: losses.all,
    ...(!takesStops(stops.length, target) && { watchFor: stops }),
    ...renamed,
  };
}

function applied(body: JsonObject, { set, rename }: Adaptation): JsonObject {
  const out: Record<string, Json> = {};
  for (const [name, value] of Object.entries(body)) out[rename.get(name) ?? name] = value;
  for (const [name, value] of set) {
    if (value === undefined) delete out[name];
    else out[name] = value;
  }
  return out;
}

function refuseWhatCannotBeLeftOut(call: TextCall, quirks: ChatQuirks): void {
  if (isPrefilled(call) && quirks.prefillWrite === 'none') throw cannotCarry('turn.prefill', NOT_CONTINUED);
  if ((call.sampling.candidates ?? 1) > 1) throw cannotCarry('sampling.candidates', 'may only be 1 for this model');
  if (call.modalities?.some((modality) => modality !== 'text'))
    throw cannotCarry('call.modalities', 'may only be text for this model');
  if (call.cachedContent !== undefined) throw cannotCarry('call.cachedContent', 'is not offered for this model');
}

function loseWhatIsUnknownHere(call: TextCall, losses: LossList): void {
  if (call.imageOutput !== undefined) losses.add('call.imageOutput');
  if (call.speech !== undefined) losses.add('call.speech');
  if (call.mediaResolution !== undefined) losses.add('call.mediaResolution');
  if (call.audioTimestamp !== undefined) losses.add('call.audioTimestamp');
  if (call.autoCache !== undefined) losses.add('call.autoCache');
  if (call.safety !== undefined && call.safety.length > 0) losses.add('call.safety');
  if (call.tools.some(({ cache }) => cache !== undefined)) losses.add('block.cache');
  if (Object.keys(call.extras).some((dialect) => dialect !== 'openai-chat')) losses.add('extras');
}

function encodeSampling(sampling: Sampling, quirks: ChatQuirks, losses: LossList): JsonObject {
  if (sampling.topK !== undefined && quirks.topKField === 'none') losses.add('sampling.topK');
  if (sampling.seed !== undefined && quirks.seedField === 'none') losses.add('sampling.seed');
  return {
    ...(sampling.maxOutputTokens !== undefined && { [quirks.maxTokensField]: sampling.maxOutputTokens }),
    ...(sampling.temperature !== undefined && { temperature: sampling.temperature }),
    ...(sampling.topP !== undefined && { top_p: sampling.topP }),
    ...(sampling.topK !== undefined && quirks.topKField !== 'none' && { [quirks.topKField]: sampling.topK }),
    ...(sampling.stopSequences !== undefined && { stop: sampling.stopSequences }),
    ...(sampling.frequencyPenalty !== undefined && { frequency_penalty: sampling.frequencyPenalty }),
    ...(sampling.presencePenalty !== undefined && { presence_penalty: sampling.presencePenalty }),
    ...(sampling.logitBias !== undefined && { logit_bias: sampling.logitBias }),
    ...(sampling.logprobs !== undefined && { logprobs: sampling.logprobs }),
    ...(sampling.topLogprobs !== undefined && { top_logprobs: sampling.topLogprobs }),
    ...(sampling.verbosity !== undefined && { verbosity: sampling.verbosity }),
  };
}

function encodeTool(tool: Tool, quirks: ChatQuirks, losses: LossList): JsonObject {
  switch (tool.kind) {
    case 'function': {
      const { name, description, parameters, strict } = tool;
      if (strict !== undefined && !quirks.strictTools) losses.add('tool.strict');
      return {
        type: 'function',
        function: {
          name,
          ...(description !== undefined && { description }),
          ...(parameters !== undefined && { parameters }),
          ...(strict !== undefined && quirks.strictTools && { strict }),
        },
      };
    }
    case 'custom': {
      const { name, description, format } = tool;
      return {
        type: 'custom',
        custom: { name, ...(description !== undefined && { description }), ...(format !== undefined && { format }) },
      };
    }
    case 'built-in':
      throw cannotCarry('tool.built-in', `of kind ${tool.name} are not offered for this model`);
  }
}

/** The host searches for every request with search options, and has no way to force it beside functions. */
function encodeChoice(call: TextCall, losses: LossList): JsonObject {
  if (call.toolChoice === undefined) return {};
  if (!forcesSearch(call))
    return {
      tool_choice: encodeToolChoice(call.toolChoice, {
        reference: (name) =>
          call.tools.some((tool) => tool.kind === 'custom' && tool.name === name)
            ? { type: 'custom', custom: { name } }
            : { type: 'function', function: { name } },
        allowed: (mode, allowed) => ({ type: 'allowed_tools', allowed_tools: { mode, tools: allowed } }),
      }),
    };
  if (call.tools.length > 0) losses.add('tool-choice.one', 'approximated');
  return {};
}

function encodeOutput(output: OutputFormat | undefined, quirks: ChatQuirks, losses: LossList): JsonObject {
  if (output === undefined || output.kind === 'text') return {};
  if (output.kind === 'json') {
    if (quirks.jsonMode === 'none') losses.add('output.json', 'approximated');
    return quirks.jsonMode === 'none' ? {} : { response_format: { type: 'json_object' } };
  }
  if (quirks.jsonMode !== 'schema') {
    losses.add(output.kind === 'enum' ? 'output.enum' : 'output.schema', 'approximated');
    return quirks.jsonMode === 'object' ? { response_format: { type: 'json_object' } } : {};
  }
  return { response_format: { type: 'json_schema', json_schema: encodeSchemaOutput(output) } };
}

function encodeWebSearch(search: NonNullable<TextCall['webSearch']>, losses: LossList): JsonObject {
  if (search.allowedDomains !== undefined || search.blockedDomains !== undefined)
    throw cannotCarry('call.webSearch', 'cannot limit web search to domains for this model');
  if (search.maxUses !== undefined) losses.add('call.webSearch', 'approximated');
  return {
    ...(search.contextSize !== undefined && { search_context_size: search.contextSize }),
    ...(search.location !== undefined && { user_location: { type: 'approximate', approximate: search.location } }),
  };
}
