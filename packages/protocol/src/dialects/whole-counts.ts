/**
 * Token counts of a host's answer that passes as it came. Callers are promised whole numbers: a count that is none was
 * not read either, so it is shown as 0, as in a translated answer.
 */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';

/** `prompt_tokens`, `promptTokenCount`; not `cost`, which has a fraction. */
const COUNT = /tokens?(?:count)?$/i;

/** The same object if nothing had to change. Only values that are no whole number cost more than a look. */
export function withWholeCounts(usage: JsonObject): JsonObject {
  let changed: Record<string, Json> | undefined;
  for (const name in usage) {
    const value = usage[name];
    if (value === undefined || value === null || (Number.isSafeInteger(value) && Number(value) >= 0)) continue;
    const sound = typeof value === 'object' && !isJsonArray(value) ? withWholeCounts(value) : soundOf(name, value);
    if (sound === value) continue;
    changed ??= { ...usage };
    changed[name] = sound;
  }
  return changed ?? usage;
}

function soundOf(name: string, value: Json): Json {
  if (typeof value === 'number') return (Number.isSafeInteger(value) && value >= 0) || !COUNT.test(name) ? value : 0;
  if (typeof value === 'string') return COUNT.test(name) ? 0 : value;
  if (isJsonObject(value)) return withWholeCounts(value);
  if (!isJsonArray(value)) return value;
  const inner = value.map((each) => soundOf(name, each));
  return inner.some((each, at) => each !== value[at]) ? inner : value;
}
