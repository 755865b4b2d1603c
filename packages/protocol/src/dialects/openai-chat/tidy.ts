/**
 * Optional members given as null count as absent, also when nested. Not all upstreams treat them so: on the verbatim
 * lane they are removed from the text, and every other member stays unchanged, known or not.
 */
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';

/** Members for which null is a valid value in the format. */
const NULL_MEANS_NULL: ReadonlySet<string> = new Set(['content', 'refusal', 'audio', 'function_call']);

/** Top-level members that contain nulls, empty lists of calls or tools without a type, each corrected. */
export function tidied(body: JsonObject): [name: string, value: Json][] {
  const out: [string, Json][] = [];
  const messages = replaced(body['messages'], tidiedMessage);
  if (messages !== undefined) out.push(['messages', messages]);
  const tools = replaced(body['tools'], tidiedTool);
  if (tools !== undefined) out.push(['tools', tools]);
  const choice = body['tool_choice'];
  if (isJsonObject(choice) && typed(choice) !== choice) out.push(['tool_choice', typed(choice)]);
  const format = tidiedTagged(body['response_format'] ?? null);
  if (format !== undefined) out.push(['response_format', format]);
  return out;
}

/** A list with some elements replaced; undefined if none is. */
function replaced(list: Json | undefined, better: (item: Json) => Json | undefined): Json[] | undefined {
  if (!Array.isArray(list)) return undefined;
  let out: Json[] | undefined;
  for (const [position, item] of list.entries()) {
    const replacement = better(item);
    if (replacement === undefined) continue;
    out ??= [...list];
    out[position] = replacement;
  }
  return out;
}

function tidiedMessage(message: Json): Json | undefined {
  if (!isJsonObject(message)) return undefined;
  const parts = replaced(message['content'], tidiedTagged);
  const names = namesWhere(message, isEmpty);
  if (parts === undefined && names.length === 0) return undefined;
  return { ...without(message, names), ...(parts !== undefined && { content: parts }) };
}

const isEmpty = (name: string, value: Json | undefined): boolean =>
  (value === null && !NULL_MEANS_NULL.has(name)) ||
  (name === 'tool_calls' && Array.isArray(value) && value.length === 0);

/**
 * Some hosts' SDKs omit the type: an object with `function` is a function. Returns the same object if the type is
 * there.
 */
export const typed = (value: JsonObject): JsonObject =>
  value['type'] === undefined && isJsonObject(value['function']) ? { type: 'function', ...value } : value;

function tidiedTool(tool: Json): Json | undefined {
  if (!isJsonObject(tool)) return undefined;
  const complete = typed(tool);
  return tidiedTagged(complete) ?? (complete === tool ? undefined : complete);
}

/** Parts, tools and formats have their members one level down, under the name of their type. */
function tidiedTagged(value: Json): Json | undefined {
  if (!isJsonObject(value) || typeof value['type'] !== 'string') return undefined;
  const { type } = value;
  const inner = value[type];
  if (!isJsonObject(inner)) return undefined;
  const nulls = namesWhere(inner, (_name, member) => member === null);
  return nulls.length === 0 ? undefined : { ...value, [type]: without(inner, nulls) };
}

const NONE: readonly string[] = [];

/** Allocates nothing for the usual object without such a member: this runs over every message of every request. */
function namesWhere(
  object: JsonObject,
  isWanted: (name: string, value: Json | undefined) => boolean,
): readonly string[] {
  let names: string[] | undefined;
  for (const name in object) {
    if (!isWanted(name, object[name])) continue;
    names ??= [];
    names.push(name);
  }
  return names ?? NONE;
}

const without = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
