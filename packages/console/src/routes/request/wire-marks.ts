/** Places in a body, given in bytes, as pieces of its text. */
import type { Schemas } from '../../api/client.ts';
import { type Line, linesOf } from '../../format/json-lines.ts';

export type WireMark = Schemas['WireMark'];
export type PaneName = NonNullable<WireMark['from']>['pane'];
export type Piece = { readonly text: string; readonly mark: WireMark | undefined };
export type MarkedLine = Line & { readonly mark: WireMark | undefined };

type Place = { readonly start: number; readonly end: number; readonly mark: WireMark };

const placesIn = (pane: PaneName, marks: readonly WireMark[]): readonly Place[] =>
  marks
    .flatMap((mark) => [mark.from, mark.to].map((place) => ({ place, mark })))
    .flatMap(({ place, mark }) =>
      place?.pane === pane && place.start !== null && place.end !== null && place.end > place.start
        ? [{ start: place.start, end: place.end, mark }]
        : [],
    )
    .sort((one, other) => one.start - other.start);

/** The whole body in order; where marks overlap, the one that begins first has the place. */
export function piecesOf(body: string, pane: PaneName, marks: readonly WireMark[]): readonly Piece[] {
  const places = placesIn(pane, marks);
  if (places.length === 0) return [{ text: body, mark: undefined }];
  const bytes = new TextEncoder().encode(body);
  const decoder = new TextDecoder();
  const textOf = (start: number, end: number): string => decoder.decode(bytes.subarray(start, end));
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end, mark } of places) {
    if (start < at || end > bytes.length) continue;
    if (start > at) pieces.push({ text: textOf(at, start), mark: undefined });
    pieces.push({ text: textOf(start, end), mark });
    at = end;
  }
  if (at < bytes.length) pieces.push({ text: textOf(at, bytes.length), mark: undefined });
  return pieces;
}

/** Lines with the first mark that touches each. */
export function markedLines(body: string, pane: PaneName, marks: readonly WireMark[]): readonly MarkedLine[] {
  let at = 0;
  const marked = piecesOf(body, pane, marks).flatMap(({ text, mark }) => {
    const start = at;
    at += text.length;
    return mark === undefined ? [] : [{ start, end: at, mark }];
  });
  return linesOf(body).map((line) => ({
    ...line,
    mark: marked.find(({ start, end }) => start < line.end && end > line.start)?.mark,
  }));
}
