// Which ranges of a text come from which source, in the vendor's unit.
import type { Piece, Source } from './script.ts';

export interface Passage {
  readonly source: Source;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Consecutive pieces of one source are one passage. Pieces other than text do not count. */
export function passagesOf(pieces: readonly Piece[], measure: (text: string) => number): readonly Passage[] {
  const found: Passage[] = [];
  let offset = 0;
  for (const piece of pieces) {
    if (piece.kind !== 'text') continue;
    const end = offset + measure(piece.text);
    const last = found.at(-1);
    if (piece.source !== undefined) {
      if (last !== undefined && last.source === piece.source && last.end === offset) {
        found[found.length - 1] = { ...last, text: last.text + piece.text, end };
      } else {
        found.push({ source: piece.source, text: piece.text, start: offset, end });
      }
    }
    offset = end;
  }
  return found;
}
