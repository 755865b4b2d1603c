/**
 * Names the tool call that a seal belongs to, for formats in which the seal is a block of its own: clients move blocks
 * within a message, and add defaults to the arguments, which the seal then no longer covers.
 */
import { isJsonArray, isJsonObject, type Json } from '../canonical/json.ts';

/** Without arguments the seal is found by its call alone. */
export const nameOfCall = (id: string, input?: Json): string =>
  input === undefined ? hashOf(id) : `${hashOf(id)}.${hashOf(inOrder(JSON.stringify(input)))}`;

export const isOfCall = (name: string, id: string): boolean => name.split('.', 1)[0] === hashOf(id);

/** Are these the arguments that the seal covers? */
export function coversArguments(name: string, input: Json): boolean {
  const covered = name.split('.')[1];
  return covered === undefined || covered === hashOf(inOrder(JSON.stringify(input)));
}

/** JSON text with sorted members and without white space: clients may serialise arguments differently. */
export function inOrder(text: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(text === '' ? '{}' : text)));
  } catch {
    return text;
  }
}

function sorted(value: Json): Json {
  if (isJsonArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name] ?? null)]),
  );
}

/** 53 bits of a hash without cryptography: the envelope around the name is signed, so a collision is an accident. */
function hashOf(text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}
