/** Annotations of text, both ways. Only citations of the web have a form here. */
import type { Citation } from '../../canonical/content.ts';
import { type JsonObject, numberAt, stringAt } from '../../canonical/json.ts';

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

/** One without a range stands for the whole text. */
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
