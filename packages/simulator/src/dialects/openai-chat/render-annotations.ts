// Citations of text, and images in answers; the latter as OpenRouter-like hosts send them.
import { passagesOf } from '../../scenarios/passages.ts';
import type { Piece } from '../../scenarios/script.ts';

/** `annotations` for the cited passages, or nothing; in a stream, for those that end at the current position. */
export function annotationFields(
  pieces: readonly Piece[],
  endingAt?: number,
): { readonly annotations?: readonly object[] } {
  const annotations = passagesOf(pieces, (text) => text.length)
    .filter(({ end }) => endingAt === undefined || end === endingAt)
    .map(({ source, start, end }) => ({
      type: 'url_citation',
      url_citation: { start_index: start, end_index: end, url: source.url, title: source.title },
    }));
  return annotations.length === 0 ? {} : { annotations };
}

export function imagePart(piece: Extract<Piece, { kind: 'image' }>): object {
  return { type: 'image_url', image_url: { url: `data:${piece.mimeType};base64,${piece.base64}` } };
}
