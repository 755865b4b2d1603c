/** The content of a message or delta: a string or, on some hosts, parts, among which the model's thoughts may stand. */
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
  // A host that was asked for JSON may give the value itself.
  return isJsonObject(content) ? JSON.stringify(content) : '';
}

/** A thought holds parts of its own. Asked of every piece of a stream, nearly all of which are plain strings. */
export function readThoughts(message: JsonObject): string {
  if (!isJsonArray(message['content'])) return '';
  const thoughts = partsOf(message, 'thinking');
  return thoughts.map((part) => joined(arrayAt(part, 'thinking').filter(isJsonObject))).join('');
}

/** A thought and the words after it. It is told as complete: what follows it is the answer. */
export const writeParts = (thought: string, blocks: readonly Block[]): JsonObject[] => [
  { type: 'thinking', thinking: [{ type: 'text', text: thought }], closed: true },
  ...blocks.flatMap((block) => (block.kind === 'text' ? [{ type: 'text', text: block.text }] : [])),
];
