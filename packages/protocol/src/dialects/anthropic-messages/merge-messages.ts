/** Merges consecutive messages of one role: the format's home merges them itself, compatible hosts may not. */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';

/** Undefined if no two consecutive messages have the same role, or if one is not an object. */
export function mergedMessages(messages: readonly Json[]): JsonObject[] | undefined {
  const out: JsonObject[] = [];
  // Blocks of the last message of `out` once something was added: extended in place, because a run may be very long.
  let gathered: Json[] | undefined;
  let merged = false;
  for (const message of messages) {
    if (!isJsonObject(message)) return undefined;
    const last = out.at(-1);
    if (last === undefined || last['role'] !== message['role']) {
      out.push(message);
      gathered = undefined;
      continue;
    }
    merged = true;
    if (gathered === undefined) {
      gathered = [...blocksOf(last['content'])];
      out[out.length - 1] = { ...last, content: gathered };
    }
    for (const block of blocksOf(message['content'])) gathered.push(block);
  }
  return merged ? out : undefined;
}

const blocksOf = (content: Json | undefined): readonly Json[] =>
  isJsonArray(content) ? content : typeof content === 'string' ? [{ type: 'text', text: content }] : [];
