/**
 * `annotations` of a message, both ways. Their offsets count from the message's first character, canonical ones from
 * the block's.
 */
import type { Citation } from '../../canonical/content.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../../canonical/json.ts';

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
