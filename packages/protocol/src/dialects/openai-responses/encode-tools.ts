/** Tools, the tool choice and the output format → the wire, for an upstream. */
import type { OutputFormat, TextCall, Tool, ToolChoice } from '../../canonical/call.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { isJsonObject, type Json, type JsonObject, objectAt } from '../../canonical/json.ts';
import type { LossList } from '../../passes/loss-list.ts';
import { forcesSearch, type ToolOffer } from '../../passes/offered-tools.ts';
import type { TargetFacts } from '../dialect.ts';
import { type ChoiceForms, encodeSchemaOutput, encodeToolChoice } from '../request-forms.ts';
import { ID } from './decode-items.ts';
import { quirksOf, type ResponsesQuirks } from './quirks.ts';

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

export const offerOf = (quirks: ResponsesQuirks): ToolOffer => ({
  takes: (tool) =>
    tool.kind === 'function' ||
    (tool.kind === 'custom' ? quirks.freeFormTools : tool.dialect === ID && quirks.homeMembers),
  webSearch: quirks.webSearchTool,
});

export function encodeTools(call: TextCall, quirks: ResponsesQuirks, losses: LossList): JsonObject {
  const tools = call.tools.map((tool) => encodeTool(tool, quirks, losses));
  if (call.webSearch !== undefined) tools.push(encodeWebSearch(call, call.webSearch, quirks, losses));
  if (tools.length === 0) return {};
  return {
    tools,
    ...(call.toolChoice !== undefined && { tool_choice: encodeChoice(call, call.toolChoice) }),
    ...(call.parallelToolCalls !== undefined && { parallel_tool_calls: call.parallelToolCalls }),
  };
}

function encodeTool(tool: Tool, quirks: ResponsesQuirks, losses: LossList): JsonObject {
  if (tool.cache !== undefined) losses.add('block.cache');
  switch (tool.kind) {
    case 'function': {
      const { name, description, parameters = NO_PARAMETERS, strict } = tool;
      const unsaid = tool.extras?.[ID]?.['strictUnsaid'] === true;
      if (strict === true && !quirks.strictFunctions) losses.add('tool.strict');
      return {
        type: 'function',
        name,
        ...(description !== undefined && { description }),
        parameters,
        // If absent, it would mean "strict where possible", which callers of other dialects did not request.
        ...(quirks.strictFunctions && !unsaid && { strict: strict ?? false }),
      };
    }
    case 'custom': {
      const { name, description, format } = tool;
      return {
        type: 'custom',
        name,
        ...(description !== undefined && { description }),
        ...(format !== undefined && { format: flatFormat(format) }),
      };
    }
    case 'built-in':
      return tool.settings;
  }
}

/** In this format a grammar's members are beside its type. */
function flatFormat(format: JsonObject): JsonObject {
  const { grammar, ...rest } = format;
  return isJsonObject(grammar) ? { ...rest, ...grammar } : format;
}

/** A search cannot be named, but it can be the only tool that is allowed. */
function encodeChoice(call: TextCall, choice: ToolChoice): Json {
  const forms = formsFor(call.tools);
  if (!forcesSearch(call)) return encodeToolChoice(choice, forms);
  return call.tools.length === 0 ? 'required' : forms.allowed('required', [{ type: 'web_search' }]);
}

const formsFor = (tools: readonly Tool[]): ChoiceForms => ({
  reference: (name) => reference(name, tools),
  allowed: (mode, allowed) => ({ type: 'allowed_tools', mode, tools: allowed }),
});

const reference = (name: string, tools: readonly Tool[]): JsonObject => ({
  type: tools.some((tool) => tool.kind === 'custom' && tool.name === name) ? 'custom' : 'function',
  name,
});

function encodeWebSearch(
  call: TextCall,
  search: NonNullable<TextCall['webSearch']>,
  quirks: ResponsesQuirks,
  losses: LossList,
): JsonObject {
  if (!quirks.webSearchTool) throw cannotCarry('call.webSearch', 'cannot search the web for this model');
  if (search.blockedDomains !== undefined)
    throw cannotCarry('call.webSearch', 'cannot keep web search away from domains for this model');
  if (search.maxUses !== undefined) losses.add('call.webSearch', 'approximated');
  const { contextSize, allowedDomains, location } = search;
  const own = objectAt(call.extras[ID], 'webSearchTool');
  return {
    type: 'web_search',
    ...own,
    ...(contextSize !== undefined && { search_context_size: contextSize }),
    ...(allowedDomains !== undefined && { filters: { ...objectAt(own, 'filters'), allowed_domains: allowedDomains } }),
    ...(location !== undefined && { user_location: { type: 'approximate', ...location } }),
  };
}

/** `medium` is what models without a choice do anyway. */
export const takesVerbosity = (verbosity: string | null | undefined, target: TargetFacts): boolean =>
  !verbosity || (quirksOf(target).textVerbosity && (verbosity === 'medium' || target.model.verbosity !== false));

export function encodeText(
  output: OutputFormat | undefined,
  verbosity: string | undefined,
  target: TargetFacts,
  losses: LossList,
): JsonObject {
  const takes = takesVerbosity(verbosity, target);
  if (!takes) losses.add('sampling.verbosity');
  const text: JsonObject = {
    ...(output !== undefined &&
      output.kind !== 'text' && {
        format:
          output.kind === 'json' ? { type: 'json_object' } : { type: 'json_schema', ...encodeSchemaOutput(output) },
      }),
    ...(verbosity !== undefined && takes && { verbosity }),
  };
  return Object.keys(text).length > 0 ? { text } : {};
}
