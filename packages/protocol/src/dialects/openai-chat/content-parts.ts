/** The content of a message or delta: a string or, on some hosts, parts, which may include the model's reasoning. */
import type { Block } from '../../canonical/content.ts';
import { arrayAt, isJsonArray, isJsonObject, type JsonObject, stringAt } from '../../canonical/json.ts';

const partsOf = (message: JsonObject, type: 'text' | 'thinking'): JsonObject[] =>
  arrayAt(message, 'content')
    .filter(isJsonObject)
    .filter((part) => part['type'] === type);

const joined = (parts: readonly JsonObject[]): string => parts.map((part) => stringAt(part, 'text') ?? '').join('');

export function readText(message: JsonObject): string {
  const content = message['content'];
  if (typeof content === 'string') return content;
  if (isJsonArray(content)) return joined(partsOf(message, 'text'));
  // A host in JSON mode may return the value itself.
  return isJsonObject(content) ? JSON.stringify(content) : '';
}

/**
 * A reasoning part has nested parts. This runs for every chunk of a stream, and nearly all of them are plain strings.
 */
export function readThoughts(message: JsonObject): string {
  if (!isJsonArray(message['content'])) return '';
  const thoughts = partsOf(message, 'thinking');
  return thoughts.map((part) => joined(arrayAt(part, 'thinking').filter(isJsonObject))).join('');
}

/** A reasoning part and the text after it. The part is marked complete, because the answer follows it. */
export const writeParts = (thought: string, blocks: readonly Block[]): JsonObject[] => [
  { type: 'thinking', thinking: [{ type: 'text', text: thought }], closed: true },
  ...blocks.flatMap((block) => (block.kind === 'text' ? [{ type: 'text', text: block.text }] : [])),
];
