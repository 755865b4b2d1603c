/** Tools, the tool choice and web search → the wire. */
import type { TextCall, Tool, ToolChoice, WebSearch } from '../../canonical/call.ts';
import { cannotCarry } from '../../canonical/gateway-error.ts';
import { type JsonObject, objectAt } from '../../canonical/json.ts';
import type { ToolOffer } from '../../passes/offered-tools.ts';
import { escapeName } from '../../passes/safe-names.ts';
import { WEB_SEARCH_TYPE } from './check-tools.ts';
import { NEWER_SEARCH, SEARCH_CACHE } from './decode-call.ts';
import type { BlockEncoder, EncodingPorts } from './encode-blocks.ts';
import type { MessagesQuirks } from './quirks.ts';
import { DEFERRED, defersTools, isToolSearch, offersSearch } from './tool-search.ts';

const ID = 'anthropic-messages';

export const offerOf = (quirks: MessagesQuirks): ToolOffer => ({
  takes: (tool) =>
    tool.kind === 'function' ||
    (tool.kind === 'built-in' && tool.dialect === ID && offers(tool.version ?? tool.name, quirks)),
  webSearch: quirks.webSearch,
});

/** Is a built-in tool of this type offered? Those without a family of their own run on the client. */
export function offers(type: string, quirks: MessagesQuirks): boolean {
  if (isToolSearch(type)) return offersSearch(type, quirks);
  return type.startsWith('web_fetch_') ? quirks.webFetch : quirks.clientTools;
}

/** `given`: before the tools that the host does not offer were left out. */
export function encodeTools(
  call: TextCall,
  given: TextCall,
  ports: EncodingPorts,
  encoder: BlockEncoder,
): JsonObject[] {
  // Without tools there is nothing to call.
  if (call.toolChoice?.mode === 'none' && !ports.quirks.toolChoiceNone) {
    ports.losses.add('tool-choice.none', 'approximated');
    return [];
  }
  const allowed = call.toolChoice?.mode === 'some' ? new Set(call.toolChoice.names) : undefined;
  const tools = call.tools.filter((tool) => allowed === undefined || allowed.has(tool.name));
  // Few calls defer tools, and those that do defer many.
  let found: boolean | undefined;
  const defers = (): boolean => (found ??= defersTools(given.tools.map(builtInType), ports.quirks));
  const encoded = tools.map((tool) => encodeTool(tool, defers, ports, encoder));
  if (call.webSearch !== undefined) encoded.push(encodeWebSearch(call.webSearch, call, ports));
  return encoded;
}

const builtInType = (tool: Tool): string => (tool.kind === 'built-in' ? (tool.version ?? tool.name) : '');

function encodeTool(tool: Tool, defers: () => boolean, ports: EncodingPorts, encoder: BlockEncoder): JsonObject {
  const { quirks, losses } = ports;
  switch (tool.kind) {
    case 'function': {
      const name = escapeName(tool.name);
      if (tool.strict !== undefined && !quirks.strictTools) losses.add('tool.strict');
      return {
        name,
        ...(tool.description !== undefined && { description: tool.description }),
        input_schema: { ...tool.parameters, type: 'object', ...(tool.parameters === undefined && { properties: {} }) },
        ...(tool.strict !== undefined && quirks.strictTools && { strict: tool.strict }),
        ...ownMembers(tool, defers, ports),
        ...encoder.cache(tool.cache),
      };
    }
    case 'custom':
      throw cannotCarry('tool.custom', `of type custom are not offered for this model (${tool.name})`);
    case 'built-in':
      return { type: tool.version ?? tool.name, name: tool.name, ...tool.settings, ...encoder.cache(tool.cache) };
  }
}

function ownMembers(tool: Tool, defers: () => boolean, { losses }: EncodingPorts): JsonObject {
  const { [DEFERRED]: deferred, ...others } = tool.extras?.[ID] ?? {};
  if (deferred === undefined) return others;
  if (defers()) return { ...others, [DEFERRED]: deferred };
  if (deferred === true) losses.add('tool.function', 'approximated');
  return others;
}

function encodeWebSearch(search: WebSearch, call: TextCall, { quirks, losses }: EncodingPorts): JsonObject {
  if (!quirks.webSearch) throw cannotCarry('call.webSearch', 'of kind web_search are not offered for this model');
  const newer = objectAt(call.extras[ID], NEWER_SEARCH);
  if (newer !== undefined && quirks.webFetch) return newer;
  if (newer !== undefined) losses.add('call.webSearch', 'approximated');
  if (search.contextSize !== undefined) losses.add('call.webSearch', 'approximated');
  const { city, region, country, timezone } = search.location ?? {};
  const mark = objectAt(call.extras[ID], SEARCH_CACHE);
  return {
    type: WEB_SEARCH_TYPE,
    name: 'web_search',
    ...(search.maxUses !== undefined && { max_uses: search.maxUses }),
    ...(search.allowedDomains !== undefined && { allowed_domains: search.allowedDomains }),
    ...(search.blockedDomains !== undefined && { blocked_domains: search.blockedDomains }),
    ...(search.location !== undefined && {
      user_location: {
        type: 'approximate',
        ...(city !== undefined && { city }),
        ...(region !== undefined && { region }),
        ...(country !== undefined && { country }),
        ...(timezone !== undefined && { timezone }),
      },
    }),
    ...(mark !== undefined && { cache_control: mark }),
  };
}

/** In this dialect, "at most one call" is part of the tool choice. */
export function encodeToolChoice(call: TextCall, ports: EncodingPorts): JsonObject | undefined {
  const single = call.parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  const choice = call.toolChoice;
  if (choice === undefined) return call.parallelToolCalls === false ? { type: 'auto', ...single } : undefined;
  return choice.mode === 'none' ? { type: 'none' } : { ...chosen(choice, ports), ...single };
}

function chosen(choice: ToolChoice, { losses }: EncodingPorts): JsonObject {
  switch (choice.mode) {
    case 'auto':
    case 'none':
    case 'any':
      return { type: choice.mode };
    case 'validated':
      losses.add('tool-choice.validated', 'approximated');
      return { type: 'auto' };
    case 'one':
      return { type: 'tool', name: escapeName(choice.name) };
    case 'some':
      // The tools themselves are reduced to those allowed, which invalidates the upstream's cache.
      losses.add('tool-choice.some', 'approximated');
      return { type: choice.required ? 'any' : 'auto' };
  }
}

export const forcesTool = (choice: ToolChoice | undefined): boolean =>
  choice !== undefined &&
  (choice.mode === 'any' || choice.mode === 'one' || (choice.mode === 'some' && choice.required));
