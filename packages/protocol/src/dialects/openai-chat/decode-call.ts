/**
 * A checked chat request → the canonical call. Nothing is lost: members without a canonical field are kept in extras.
 */
import type { OutputFormat, Reasoning, Sampling, TextCall, Tool, ToolChoice } from '../../canonical/call.ts';
import { isEffort } from '../../canonical/effort.ts';
import { isJsonObject, type JsonObject, objectAt } from '../../canonical/json.ts';
import type { Sealing } from '../dialect.ts';
import { decodeLocation, decodeSchemaOutput } from '../request-forms.ts';
import type { CheckedChat, CheckedChatTool } from './check.ts';
import { decodeMessages } from './decode-messages.ts';
import { KNOWN_FIELDS } from './known-fields.ts';
import type { ChatCallWire } from './wire.ts';

export function decodeCall(checked: CheckedChat, sealing: Sealing | undefined): TextCall {
  const { wire, body } = checked;
  const { system, turns } = decodeMessages(checked.messages.list, sealing);
  const reasoning = decodeReasoning(wire);
  const output = decodeOutput(checked.responseFormat);
  const toolChoice = decodeToolChoice(checked.toolChoice);
  const unknown = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !KNOWN_FIELDS.has(name) && value !== null),
  );
  return {
    operation: 'text',
    model: wire.model,
    stream: wire.stream === true,
    system,
    turns,
    tools: checked.tools.map(decodeTool),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(typeof wire.parallel_tool_calls === 'boolean' && { parallelToolCalls: wire.parallel_tool_calls }),
    sampling: decodeSampling(wire),
    ...(reasoning !== undefined && { reasoning }),
    ...(output !== undefined && { output }),
    ...(isJsonObject(wire.web_search_options) && { webSearch: decodeWebSearch(wire.web_search_options) }),
    ...(isJsonObject(wire.metadata) && { metadata: wire.metadata }),
    usageWanted: { inStream: wantsUsageInStream(wire), withCost: wire.usage?.include === true },
    extras: Object.keys(unknown).length > 0 ? { 'openai-chat': unknown } : {},
  };
}

export const wantsUsageInStream = (wire: ChatCallWire): boolean =>
  wire.stream_options?.include_usage === true || wire.usage?.include === true;

/** `max_tokens` is the old name; the new one wins if both are given. */
export const maxOutputTokensOf = (wire: ChatCallWire): number | undefined =>
  wire.max_completion_tokens ?? wire.max_tokens ?? undefined;

function decodeSampling(wire: ChatCallWire): Sampling {
  const maxOutputTokens = maxOutputTokensOf(wire);
  return {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(typeof wire.temperature === 'number' && { temperature: wire.temperature }),
    ...(typeof wire.top_p === 'number' && { topP: wire.top_p }),
    ...(typeof wire.stop === 'string' && { stopSequences: [wire.stop] }),
    ...(Array.isArray(wire.stop) && { stopSequences: wire.stop }),
    ...(typeof wire.frequency_penalty === 'number' && { frequencyPenalty: wire.frequency_penalty }),
    ...(typeof wire.presence_penalty === 'number' && { presencePenalty: wire.presence_penalty }),
    ...(wire.logit_bias && { logitBias: wire.logit_bias }),
    ...(typeof wire.logprobs === 'boolean' && { logprobs: wire.logprobs }),
    ...(typeof wire.top_logprobs === 'number' && { topLogprobs: wire.top_logprobs }),
    ...(wire.verbosity && { verbosity: wire.verbosity }),
  };
}

export function decodeReasoning(wire: ChatCallWire): Reasoning | undefined {
  const nested = wire.reasoning;
  const word = nested?.effort ?? wire.reasoning_effort;
  const reasoning: Reasoning = {
    ...(typeof nested?.enabled === 'boolean' && { enabled: nested.enabled }),
    // An unknown effort is read as `medium`.
    ...(typeof word === 'string' && { effort: isEffort(word) ? word : 'medium' }),
    ...(typeof nested?.max_tokens === 'number' && { budgetTokens: nested.max_tokens }),
    ...(nested?.exclude === true && { show: 'none' as const }),
  };
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

function decodeOutput(format: CheckedChat['responseFormat']): OutputFormat | undefined {
  if (format === undefined) return undefined;
  switch (format.type) {
    case 'text':
      return { kind: 'text' };
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema':
      return decodeSchemaOutput(format.json_schema);
  }
}

function decodeTool(tool: CheckedChatTool): Tool {
  if (tool.type === 'custom') {
    const { name, description, format } = tool.custom;
    return {
      kind: 'custom',
      name,
      ...(typeof description === 'string' && { description }),
      ...(isJsonObject(format) && { format }),
    };
  }
  const { name, description, parameters, strict } = tool.function;
  return {
    kind: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    ...(isJsonObject(parameters) && { parameters }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

function decodeToolChoice(choice: CheckedChat['toolChoice']): ToolChoice | undefined {
  if (choice === undefined) return undefined;
  if (choice === 'required') return { mode: 'any' };
  if (typeof choice === 'string') return { mode: choice };
  switch (choice.type) {
    case 'function':
      return { mode: 'one', name: choice.function.name };
    case 'custom':
      return { mode: 'one', name: choice.custom.name };
    case 'allowed_tools': {
      const names = choice.allowed_tools.tools.flatMap((tool) => nameOfAllowedTool(tool) ?? []);
      return { mode: 'some', names, required: choice.allowed_tools.mode === 'required' };
    }
  }
}

function nameOfAllowedTool(tool: Readonly<Record<string, unknown>>): string | undefined {
  for (const form of ['function', 'custom'] as const) {
    const inner = tool[form];
    if (isJsonObject(inner) && typeof inner['name'] === 'string') return inner['name'];
  }
  return typeof tool['name'] === 'string' ? tool['name'] : undefined;
}

function decodeWebSearch(options: JsonObject): NonNullable<TextCall['webSearch']> {
  const size = options['search_context_size'];
  const location = decodeLocation(objectAt(options, 'user_location')?.['approximate']);
  return {
    amongTools: true,
    ...((size === 'low' || size === 'medium' || size === 'high') && { contextSize: size }),
    ...(location !== undefined && { location }),
  };
}
