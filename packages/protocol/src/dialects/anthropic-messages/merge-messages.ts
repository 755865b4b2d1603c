/** Neighbouring messages of one role, as one: the format's home merges them itself, hosts that follow it may not. */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';

/** Undefined where no two neighbours have the same role. */
export function mergedMessages(messages: readonly Json[]): JsonObject[] | undefined {
  const out: JsonObject[] = [];
  let merged = false;
  for (const message of messages) {
    if (!isJsonObject(message)) return undefined;
    const last = out.at(-1);
    if (last === undefined || last['role'] !== message['role']) {
      out.push(message);
      continue;
    }
    merged = true;
    out[out.length - 1] = { ...last, content: [...blocksOf(last['content']), ...blocksOf(message['content'])] };
  }
  return merged ? out : undefined;
}

const blocksOf = (content: Json | undefined): readonly Json[] =>
  isJsonArray(content) ? content : typeof content === 'string' ? [{ type: 'text', text: content }] : [];
