/** The last step for messages to an upstream: repairs order and edges that it would refuse, and reports the changes. */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import type { LossList } from '../../passes/loss-list.ts';

const OPENING: JsonObject = {
  role: 'user',
  content: [{ type: 'text', text: '(The conversation begins with your words.)' }],
};

export function mended(messages: readonly JsonObject[], losses: LossList): JsonObject[] {
  const thoughtless = messages.flatMap((message) => withoutTrailingThoughts(message, losses));
  const merged = mergedMessages(thoughtless) ?? thoughtless;
  if (merged[0]?.['role'] === 'assistant') {
    losses.add('block.text', 'approximated');
    merged.unshift(OPENING);
  }
  return withoutTrailingSpace(merged, losses);
}

const isThought = (block: Json | undefined): boolean =>
  isJsonObject(block) && (block['type'] === 'thinking' || block['type'] === 'redacted_thinking');

/** Thinking at the end of a message, with no output after it, is not accepted back. */
function withoutTrailingThoughts(message: JsonObject, losses: LossList): JsonObject[] {
  const content = message['content'];
  if (!isJsonArray(content) || !isThought(content.at(-1))) return [message];
  losses.add('block.thinking');
  const last = content.findLastIndex((block) => !isThought(block));
  return last === -1 ? [] : [{ ...message, content: content.slice(0, last + 1) }];
}

/** Text to be continued may not end in white space. */
function withoutTrailingSpace(messages: JsonObject[], losses: LossList): JsonObject[] {
  const last = messages.at(-1);
  const content = last?.['content'];
  if (last?.['role'] !== 'assistant' || !isJsonArray(content)) return messages;
  const block = content.at(-1);
  const text = isJsonObject(block) ? block['text'] : undefined;
  if (!isJsonObject(block) || typeof text !== 'string' || text === text.trimEnd()) return messages;
  losses.add('turn.prefill', 'approximated');
  const trimmed = { ...last, content: [...content.slice(0, -1), { ...block, text: text.trimEnd() }] };
  return [...messages.slice(0, -1), trimmed];
}

// Merges consecutive messages of one role: the format's home merges them itself, compatible hosts may not.

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
