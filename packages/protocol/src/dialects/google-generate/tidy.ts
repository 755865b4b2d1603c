/**
 * Members in this dialect's own spelling and without nulls: snake_case is read as camelCase, and null as absent. The
 * caller's own data (arguments, results, JSON Schemas, labels) is never changed. Unchanged values keep their identity,
 * which shows which members of a request were rewritten.
 */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { malformed } from '../checking.ts';

const WORDS_OF_THE_CALLER: ReadonlySet<string> = new Set([
  'args',
  'response',
  'responseJsonSchema',
  'parametersJsonSchema',
  'responseFormat',
  'labels',
  'default',
  'example',
  'enum',
]);
/** The caller names their members, and the values are in this dialect again. */
const MAPS: ReadonlySet<string> = new Set(['properties']);

export function tidied(body: JsonObject): JsonObject {
  return tidiedObject(body, '');
}

function tidiedObject(object: JsonObject, path: string): JsonObject {
  let changed: Record<string, Json> | undefined;
  const seen: string[] = [];
  for (const name in object) {
    const value = object[name] ?? null;
    // Below the root only schemas use `oneOf`, which this dialect does not have: it is read as `anyOf`.
    const own =
      name === 'oneOf' && path !== ''
        ? 'anyOf'
        : name.includes('_')
          ? name.replace(/([a-z0-9])_([a-z0-9])/g, (_, before, after) => before + after.toUpperCase())
          : name;
    const better = value === null ? null : WORDS_OF_THE_CALLER.has(own) ? value : tidiedValue(value, own, path);
    if (changed === undefined && own === name && better === value && value !== null) {
      seen.push(name);
      continue;
    }
    changed ??= Object.fromEntries(seen.map((each) => [each, object[each] ?? null]));
    if (better === null) continue;
    if (Object.hasOwn(changed, own) || (own !== name && object[own] !== undefined && object[own] !== null))
      throw malformed(path === '' ? own : `${path}.${own}`, `is given twice, as ${name} too`);
    changed[own] = better;
  }
  return changed ?? object;
}

function tidiedValue(value: Json, name: string, path: string): Json {
  const inner = path === '' ? name : `${path}.${name}`;
  if (isJsonArray(value)) return tidiedList(value, inner);
  if (!isJsonObject(value)) return value;
  return MAPS.has(name) ? tidiedMap(value, inner) : tidiedObject(value, inner);
}

function tidiedList(list: readonly Json[], path: string): readonly Json[] {
  let changed: Json[] | undefined;
  for (const [position, item] of list.entries()) {
    const better = isJsonObject(item) ? tidiedObject(item, `${path}[${position}]`) : item;
    if (better === item) continue;
    changed ??= [...list];
    changed[position] = better;
  }
  return changed ?? list;
}

function tidiedMap(map: JsonObject, path: string): JsonObject {
  const entries = Object.entries(map).map(
    ([name, value]) => [name, value, isJsonObject(value) ? tidiedObject(value, `${path}.${name}`) : value] as const,
  );
  if (entries.every(([, value, better]) => value === better)) return map;
  return Object.fromEntries(entries.map(([name, , better]) => [name, better]));
}
