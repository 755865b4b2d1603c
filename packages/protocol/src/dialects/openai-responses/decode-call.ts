/**
 * A checked Responses request → the canonical call. Nothing is lost: members without a canonical field are kept in
 * extras.
 */
import type { OutputFormat, Reasoning, Sampling, TextCall, Tool, ToolChoice } from '../../canonical/call.ts';
import { isEffort } from '../../canonical/effort.ts';
import { isJsonObject, type Json, type JsonObject, objectAt } from '../../canonical/json.ts';
import type { Sealing } from '../dialect.ts';
import { decodeLocation, decodeSchemaOutput } from '../request-forms.ts';
import { namesIn } from '../unread-members.ts';
import { type CheckedResponses, wantsLogprobs } from './check.ts';
import type { CheckedFormat, CheckedResponsesTool, CheckedToolChoice } from './check-tools.ts';
import { decodeItems, ID } from './decode-items.ts';
import { ENCRYPTED_REASONING, isCanonicalField, LOGPROBS } from './known-fields.ts';
import { type ResponsesCallWire, ToolsByType } from './wire.ts';

export function decodeCall(checked: CheckedResponses, sealing: Sealing | undefined): TextCall {
  const { wire } = checked;
  const { system, turns } = decodeItems(wire.instructions, checked.input.items, sealing);
  const reasoning = decodeReasoning(wire);
  const output = decodeOutput(checked.format);
  const toolChoice = decodeToolChoice(checked.toolChoice);
  const search = checked.tools.find((tool) => tool.type === 'web_search');
  const own = ownMembers(checked);
  return {
    operation: 'text',
    model: wire.model,
    stream: wire.stream === true,
    system,
    turns,
    tools: checked.tools.flatMap(decodeTool),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(typeof wire.parallel_tool_calls === 'boolean' && { parallelToolCalls: wire.parallel_tool_calls }),
    sampling: decodeSampling(wire),
    ...(reasoning !== undefined && { reasoning }),
    ...(output !== undefined && { output }),
    ...(search !== undefined && { webSearch: decodeWebSearch(search.search) }),
    ...(isJsonObject(wire.metadata) && { metadata: wire.metadata }),
    usageWanted: { inStream: true, withCost: false },
    extras: Object.keys(own).length > 0 ? { [ID]: own } : {},
  };
}

/** Members of the search tool that have a canonical field. */
const SEARCH_MEMBERS = namesIn(ToolsByType.web_search);

/** Members that only an upstream of this dialect understands. */
function ownMembers({ body, wire, tools }: CheckedResponses): JsonObject {
  const own: Record<string, Json> = {};
  for (const [name, value] of Object.entries(body))
    if (!isCanonicalField(name) && value !== null && !(name === 'truncation' && value === 'disabled'))
      own[name] = value;
  const include = (wire.include ?? []).filter((name) => name !== ENCRYPTED_REASONING && name !== LOGPROBS);
  if (include.length > 0) own['include'] = include;
  const { effort: _e, summary, generate_summary: _g, ...thinking } = objectAt(body, 'reasoning') ?? {};
  const more = { ...thinking, ...(typeof summary === 'string' && summary !== 'auto' && { summary }) };
  if (Object.keys(more).length > 0) own['reasoning'] = more;
  const search = tools.find((tool) => tool.type === 'web_search');
  const { allowed_domains: _d, ...filters } = objectAt(search?.wire, 'filters') ?? {};
  const searchMore = Object.entries(search?.wire ?? {}).filter(([name]) => !SEARCH_MEMBERS.has(name));
  if (Object.keys(filters).length > 0) searchMore.push(['filters', filters]);
  if (searchMore.length > 0) own['webSearchTool'] = Object.fromEntries(searchMore);
  return own;
}

function decodeSampling(wire: ResponsesCallWire): Sampling {
  return {
    ...(typeof wire.max_output_tokens === 'number' && { maxOutputTokens: wire.max_output_tokens }),
    ...(typeof wire.temperature === 'number' && { temperature: wire.temperature }),
    ...(typeof wire.top_p === 'number' && { topP: wire.top_p }),
    ...(wantsLogprobs(wire) && { logprobs: true }),
    ...(wantsLogprobs(wire) && typeof wire.top_logprobs === 'number' && { topLogprobs: wire.top_logprobs }),
    ...(wire.text?.verbosity && { verbosity: wire.text.verbosity }),
  };
}

export function decodeReasoning(wire: ResponsesCallWire): Reasoning | undefined {
  const word = wire.reasoning?.effort;
  const reasoning: Reasoning = {
    // An unknown effort is read as `medium`.
    ...(typeof word === 'string' && { effort: isEffort(word) ? word : 'medium' }),
    ...(typeof (wire.reasoning?.summary ?? wire.reasoning?.generate_summary) === 'string' && {
      show: 'summary' as const,
    }),
  };
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

function decodeOutput(format: CheckedFormat | undefined): OutputFormat | undefined {
  switch (format?.type) {
    case undefined:
      return undefined;
    case 'text':
      return { kind: 'text' };
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema':
      return decodeSchemaOutput(format);
  }
}

function decodeTool(tool: CheckedResponsesTool): Tool[] {
  switch (tool.type) {
    case 'function': {
      const { name, description, parameters, strict } = tool;
      return [
        {
          kind: 'function',
          name,
          ...(typeof description === 'string' && { description }),
          ...(isJsonObject(parameters) && { parameters }),
          // If absent, this dialect means "strict where the schema allows it"; no other dialect does.
          ...(typeof strict === 'boolean' ? { strict } : { extras: { [ID]: { strictUnsaid: true } } }),
        },
      ];
    }
    case 'custom': {
      const { name, description } = tool;
      const format = isJsonObject(tool.format) ? nestedFormat(tool.format) : undefined;
      return [
        {
          kind: 'custom',
          name,
          ...(typeof description === 'string' && { description }),
          ...(format !== undefined && { format }),
        },
      ];
    }
    case 'web_search':
      return [];
    case 'own':
      return [{ kind: 'built-in', dialect: ID, family: 'other', name: tool.name, settings: tool.wire }];
  }
}

/** Canonical tools hold a grammar in an object of its own. */
function nestedFormat(format: JsonObject): JsonObject {
  const { syntax, definition, ...rest } = format;
  if (format['type'] !== 'grammar' || syntax === undefined || definition === undefined) return format;
  return { ...rest, grammar: { syntax, definition } };
}

function decodeToolChoice(choice: CheckedToolChoice | undefined): ToolChoice | undefined {
  if (choice === undefined) return undefined;
  if (choice === 'required') return { mode: 'any' };
  if (typeof choice === 'string') return { mode: choice };
  if (choice.type !== 'allowed_tools') return { mode: 'one', name: choice.name };
  const names = choice.tools.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  return { mode: 'some', names, required: choice.mode === 'required' };
}

function decodeWebSearch(
  tool: Extract<CheckedResponsesTool, { type: 'web_search' }>['search'],
): NonNullable<TextCall['webSearch']> {
  const { search_context_size: size, filters, user_location: place } = tool;
  const domains = filters?.allowed_domains;
  const location = decodeLocation(place);
  return {
    amongTools: true,
    ...(size && { contextSize: size }),
    ...(domains && { allowedDomains: domains }),
    ...(location !== undefined && { location }),
  };
}
