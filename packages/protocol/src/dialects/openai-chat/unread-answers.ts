/** What chat hosts add to an answer, each in a member of its own, that no other format (and no caller of ours) has a place for. */
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';

/** Sources beside the text, not tied to any of its words. */
const SOURCES = ['citations', 'search_results'] as const;
/** Beside the choices, and in a message or its pieces. */
const BESIDE = ['images', 'related_questions'] as const;
const INSIDE = ['executed_tools'] as const;

const holds = (object: JsonObject | undefined, name: string): boolean => arrayAt(object, name).length > 0;

const isUnread = (annotation: Json): boolean => {
  if (!isJsonObject(annotation) || annotation['type'] !== 'url_citation') return true;
  return stringAt(objectAt(annotation, 'url_citation') ?? annotation, 'url') === undefined;
};

/** The names of what stands in a whole answer or a chunk of one; `message` is its message or piece. */
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
