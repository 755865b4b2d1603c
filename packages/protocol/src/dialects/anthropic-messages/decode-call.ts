/**
 * A checked messages request → the canonical call. Nothing is lost: members without a canonical field are kept in
 * extras.
 */
import type { OutputFormat, Reasoning, Sampling, TextCall, Tool, ToolChoice, WebSearch } from '../../canonical/call.ts';
import type { Block, Turn } from '../../canonical/content.ts';
import { isEffort } from '../../canonical/effort.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import { markPrefill } from '../../passes/normalise-turns.ts';
import { unescapeName } from '../../passes/safe-names.ts';
import type { Sealing } from '../dialect.ts';
import { decodeLocation } from '../request-forms.ts';
import { namesIn } from '../unread-members.ts';
import { type CheckedCall, HINT_FIELDS, KNOWN_FIELDS } from './check.ts';
import { BASH_TYPE, isWebSearch, TEXT_EDITOR_TYPE, WEB_SEARCH_TYPE } from './check-tools.ts';
import { type BlockReading, cacheOf, decodeContent } from './decode-blocks.ts';
import { readSeal } from './seals.ts';
import { CustomTool } from './wire.ts';

const ID = 'anthropic-messages';

export function decodeCall(checked: CheckedCall, sealing: Sealing | undefined): TextCall {
  const { body } = checked;
  const reading: BlockReading = {
    seal: (text, kind) => readSeal(text, kind, sealing),
    toolId: unescapeName,
    toolName: (name) => name,
  };
  const search = checked.tools.find(isWebSearch);
  const toolChoice = decodeToolChoice(checked.toolChoice);
  const reasoning = decodeReasoning(body);
  const output = decodeOutput(body);
  const extras = decodeExtras(body, search);
  const auto = cacheOf(body).cache;
  return {
    operation: 'text',
    model: checked.model,
    stream: checked.stream,
    system: decodeContent(body['system'], reading).filter((block) => block.kind !== 'text' || block.text !== ''),
    turns: markPrefill(joined(arrayAt(body, 'messages').flatMap((message) => decodeTurn(message, reading)))),
    tools: checked.tools.filter((tool) => tool !== search).map(decodeTool),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(wantsOneCall(checked.toolChoice) ? { parallelToolCalls: false } : {}),
    sampling: decodeSampling(body),
    ...(reasoning !== undefined && { reasoning }),
    ...(output !== undefined && { output }),
    ...(auto !== undefined && { autoCache: auto }),
    ...(search !== undefined && { webSearch: decodeWebSearch(search) }),
    ...(isJsonObject(body['metadata']) && { metadata: body['metadata'] }),
    usageWanted: { inStream: true, withCost: false },
    extras: Object.keys(extras).length > 0 ? { [ID]: extras } : {},
  };
}

function decodeTurn(message: Json, reading: BlockReading): Turn[] {
  if (!isJsonObject(message)) return [];
  const role = message['role'];
  if (role !== 'user' && role !== 'assistant' && role !== 'system') return [];
  return [{ role, blocks: decodeContent(message['content'], reading) }];
}

/** Consecutive messages of one role are one turn in this format, except system messages. */
function joined(turns: readonly Turn[]): Turn[] {
  const whole: { role: Turn['role']; blocks: Block[] }[] = [];
  for (const { role, blocks } of turns) {
    const last = whole.at(-1);
    if (last === undefined || last.role !== role || role === 'system') whole.push({ role, blocks: [...blocks] });
    else for (const block of blocks) last.blocks.push(block);
  }
  return whole;
}

function decodeExtras(body: JsonObject, search: JsonObject | undefined): Record<string, Json> {
  const extras: Record<string, Json> = {};
  for (const [name, value] of Object.entries(body))
    if (!KNOWN_FIELDS.has(name) && !HINT_FIELDS.some((hint) => hint === name) && value !== null) extras[name] = value;
  const cache = search === undefined ? undefined : cacheOf(search).cache;
  if (cache !== undefined) extras[SEARCH_CACHE] = { type: 'ephemeral', ...cache };
  if (search !== undefined && search['type'] !== WEB_SEARCH_TYPE) extras[NEWER_SEARCH] = search;
  return extras;
}
/** Key for the cache mark on the web search tool: the canonical search has no field for it. */
export const SEARCH_CACHE = 'web_search_cache_control';
/** Key for a newer version of that tool as the caller wrote it. */
export const NEWER_SEARCH = 'web_search_tool';

function decodeSampling(body: JsonObject): Sampling {
  const [maxOutputTokens, temperature, topP, topK] = ['max_tokens', 'temperature', 'top_p', 'top_k'].map((name) =>
    numberAt(body, name),
  );
  const stops = arrayAt(body, 'stop_sequences').filter((stop) => typeof stop === 'string');
  return {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    // Zero means no limit, like leaving it out.
    ...(topK !== undefined && topK > 0 && { topK }),
    ...(stops.length > 0 && { stopSequences: stops }),
  };
}

const effortIn = (body: JsonObject): string | undefined => stringAt(objectAt(body, 'output_config'), 'effort');

/** Hosts of this dialect may know it; where a request is rebuilt, it is read as `medium`. */
export function hasUnknownEffort(body: JsonObject): boolean {
  const word = effortIn(body);
  return word !== undefined && !isEffort(word);
}

export function decodeReasoning(body: JsonObject): Reasoning | undefined {
  const thinking = objectAt(body, 'thinking');
  const word = effortIn(body);
  const budget = numberAt(thinking, 'budget_tokens');
  const display = thinking?.['display'];
  const reasoning: Reasoning = {
    ...(thinking !== undefined && { enabled: thinking['type'] !== 'disabled' }),
    ...(word !== undefined && { effort: isEffort(word) ? word : 'medium' }),
    ...(budget !== undefined && { budgetTokens: budget }),
    ...(display === 'summarized' && { show: 'summary' as const }),
    ...(display === 'omitted' && { show: 'none' as const }),
  };
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

function decodeOutput(body: JsonObject): OutputFormat | undefined {
  const schema = objectAt(objectAt(objectAt(body, 'output_config'), 'format'), 'schema');
  return schema === undefined ? undefined : { kind: 'schema', schema };
}

const TOOL_FIELDS = namesIn(CustomTool, 'type');

function decodeTool(tool: JsonObject): Tool {
  const name = stringAt(tool, 'name') ?? '';
  const type = stringAt(tool, 'type') ?? 'custom';
  const own = Object.entries(tool).filter(([field, value]) => !TOOL_FIELDS.has(field) && value !== null);
  const settings = Object.fromEntries(own);
  const family = familyOf(type);
  if (family !== undefined)
    return { kind: 'built-in', dialect: ID, family, name, version: type, settings, ...cacheOf(tool) };
  const description = stringAt(tool, 'description');
  const parameters = objectAt(tool, 'input_schema');
  return {
    kind: 'function',
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(typeof tool['strict'] === 'boolean' && { strict: tool['strict'] }),
    ...cacheOf(tool),
    ...(own.length > 0 && { extras: { [ID]: settings } }),
  };
}

function familyOf(type: string): Extract<Tool, { kind: 'built-in' }>['family'] | undefined {
  if (type === 'custom') return undefined;
  if (type === BASH_TYPE) return 'bash';
  return TEXT_EDITOR_TYPE.test(type) ? 'text-editor' : 'other';
}

function decodeToolChoice(choice: JsonObject | undefined): ToolChoice | undefined {
  switch (choice?.['type']) {
    case 'auto':
      return { mode: 'auto' };
    case 'any':
      return { mode: 'any' };
    case 'none':
      return { mode: 'none' };
    case 'tool':
      return { mode: 'one', name: stringAt(choice, 'name') ?? '' };
    default:
      return undefined;
  }
}

export const wantsOneCall = (choice: JsonObject | undefined): boolean => choice?.['disable_parallel_tool_use'] === true;

function decodeWebSearch(tool: JsonObject): WebSearch {
  const texts = (name: string): string[] => arrayAt(tool, name).filter((domain) => typeof domain === 'string');
  const [allowed, blocked] = [texts('allowed_domains'), texts('blocked_domains')];
  const location = decodeLocation(tool['user_location']);
  const maxUses = numberAt(tool, 'max_uses');
  return {
    amongTools: true,
    ...(maxUses !== undefined && { maxUses }),
    ...(allowed.length > 0 && { allowedDomains: allowed }),
    ...(blocked.length > 0 && { blockedDomains: blocked }),
    ...(location !== undefined && { location }),
  };
}
