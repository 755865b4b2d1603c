/** Annotations of text, both ways. Only web citations have a form here. */
import type { Citation } from '../../canonical/content.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, stringAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { LOST_CITATIONS } from '../upstream-answers.ts';

/** For example citations of files: they are useless to a host that cannot open the caller's store. */
export const isUnread = (annotation: Json): boolean =>
  !isJsonObject(annotation) || readAnnotation(annotation) === undefined;

const unreadIn = (item: Json): boolean =>
  isJsonObject(item) &&
  arrayAt(item, 'content').some((part) => isJsonObject(part) && arrayAt(part, 'annotations').some(isUnread));

export const answerLosses = (body: Json): readonly Loss[] =>
  isJsonObject(body) && arrayAt(body, 'output').some(unreadIn) ? LOST_CITATIONS : [];

export function readAnnotation(annotation: JsonObject): Citation | undefined {
  const url = stringAt(annotation, 'url');
  if (annotation['type'] !== 'url_citation' || url === undefined) return undefined;
  const title = stringAt(annotation, 'title');
  const from = numberAt(annotation, 'start_index');
  const to = numberAt(annotation, 'end_index');
  return {
    kind: 'web',
    url,
    ...(title !== undefined && { title }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

/** A citation without a range applies to the whole text. */
export function writeAnnotation(citation: Citation, textLength: number): JsonObject | undefined {
  if (citation.kind !== 'web') return undefined;
  return {
    type: 'url_citation',
    start_index: citation.from ?? 0,
    end_index: citation.to ?? textLength,
    url: citation.url,
    title: citation.title ?? '',
  };
}
