/** Members that chat hosts add to an answer and that no other format (and no caller of the gateway) has a field for. */
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';

/** Sources of the answer that refer to no specific text. */
const SOURCES = ['citations', 'search_results'] as const;
/** Next to the choices, and in a message or delta. */
const BESIDE = ['images', 'related_questions'] as const;
const INSIDE = ['executed_tools'] as const;

const holds = (object: JsonObject | undefined, name: string): boolean => arrayAt(object, name).length > 0;

const isUnread = (annotation: Json): boolean => {
  if (!isJsonObject(annotation) || annotation['type'] !== 'url_citation') return true;
  return stringAt(objectAt(annotation, 'url_citation') ?? annotation, 'url') === undefined;
};

/** The names found in a complete answer or a chunk; `message` is its message or delta. */
export function unreadIn(wire: JsonObject, message: JsonObject | undefined): readonly string[] {
  const annotations = arrayAt(message, 'annotations');
  const names: string[] = [];
  if (annotations.length > 0 ? annotations.some(isUnread) : SOURCES.some((name) => holds(wire, name)))
    names.push('citations');
  for (const name of BESIDE) if (holds(wire, name)) names.push(name);
  for (const name of INSIDE) if (holds(message, name)) names.push(name);
  return names;
}

export function answerLosses(body: Json): readonly Loss[] {
  if (!isJsonObject(body)) return [];
  const choice = arrayAt(body, 'choices')[0];
  const message = isJsonObject(choice) ? objectAt(choice, 'message') : undefined;
  return unreadIn(body, message).map((path) => ({ path, why: 'no-equivalent' }));
}
