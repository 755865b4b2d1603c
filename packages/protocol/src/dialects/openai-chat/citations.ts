/**
 * `annotations` of a message, both ways. Their offsets count from the message's first character, canonical ones from
 * the block's.
 */
import type { Citation } from '../../canonical/content.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';

type WebCitation = Extract<Citation, { kind: 'web' }>;

/** `before` is the length of the message's text before the block. */
export function readAnnotations(message: JsonObject, before: number): WebCitation[] {
  return arrayAt(message, 'annotations').flatMap((annotation) => {
    if (!isJsonObject(annotation) || annotation['type'] !== 'url_citation') return [];
    // Some servers omit the inner object.
    const cited = objectAt(annotation, 'url_citation') ?? annotation;
    const url = stringAt(cited, 'url');
    if (url === undefined) return [];
    const title = stringAt(cited, 'title');
    const from = numberAt(cited, 'start_index');
    const to = numberAt(cited, 'end_index');
    return [
      {
        kind: 'web',
        url,
        ...(title !== undefined && { title }),
        ...(from !== undefined && { from: from - before }),
        ...(to !== undefined && { to: to - before }),
      },
    ];
  });
}

/** Undefined if the citation has no equivalent here. A citation without a range applies to the whole block. */
export function writeAnnotation(citation: Citation, textLength: number, before: number): JsonObject | undefined {
  if (citation.kind !== 'web') return undefined;
  return {
    type: 'url_citation',
    url_citation: {
      url: citation.url,
      title: citation.title ?? '',
      start_index: before + (citation.from ?? 0),
      end_index: before + (citation.to ?? textLength),
    },
  };
}

// Members that chat hosts add to an answer and that no other format (and no caller of the gateway) has a field for.

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
