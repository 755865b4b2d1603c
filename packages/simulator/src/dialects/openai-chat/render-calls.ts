// Tool-call fragments of a stream, as OpenAI and hosts that deviate from it send them.
import type { CallManner, Piece } from '../../scenarios/script.ts';

type CallStart = Extract<Piece, { kind: 'call-start' }>;

/** Keeps the calls seen so far, because some hosts repeat or delay what came at the start. */
export class CallFragments {
  readonly #manner: CallManner;
  readonly #starts = new Map<number, CallStart>();
  readonly #pieces: readonly Piece[];

  constructor(manner: CallManner, pieces: readonly Piece[]) {
    this.#manner = manner;
    this.#pieces = pieces;
  }

  /** The fragments of `delta.tool_calls` for one piece; each fragment becomes its own chunk. */
  render(piece: Piece): readonly object[] {
    if (piece.kind === 'call-start') {
      this.#starts.set(piece.call, piece);
      return this.#start(piece);
    }
    return piece.kind === 'call-arguments' ? this.#arguments(piece.call, piece.text) : [];
  }

  /** A call sent whole accounts for the tokens of all its pieces. */
  tokensOf(piece: Piece): number {
    if (this.#manner !== 'index-missing' || piece.kind !== 'call-start') return 1;
    return this.#pieces.filter((one) => 'call' in one && one.call === piece.call).length;
  }

  #start(start: CallStart): readonly object[] {
    const index = start.call;
    if (start.isFree === true)
      return [{ index, id: start.id, type: 'custom', custom: { name: start.name, input: '' } }];
    const opening = { id: start.id, type: 'function', function: { name: start.name, arguments: '' } };
    switch (this.#manner) {
      case 'standard':
      case 'id-repeated':
        return [{ index, ...opening }];
      case 'index-zero':
        return [{ index: 0, ...opening }];
      case 'late-name':
        return [
          { index, id: start.id, type: 'function', function: { arguments: '' } },
          { index, function: { name: start.name } },
        ];
      case 'index-missing': {
        const whole = this.#pieces.flatMap((one) =>
          one.kind === 'call-arguments' && one.call === start.call ? [one.text] : [],
        );
        return [{ ...opening, function: { name: start.name, arguments: whole.join('') } }];
      }
    }
  }

  #arguments(call: number, text: string): readonly object[] {
    const start = this.#starts.get(call);
    if (start?.isFree === true) return [{ index: call, custom: { input: text } }];
    switch (this.#manner) {
      case 'standard':
      case 'late-name':
        return [{ index: call, function: { arguments: text } }];
      case 'index-zero':
        return [{ index: 0, function: { arguments: text } }];
      case 'id-repeated':
        return [{ index: call, id: start?.id, type: 'function', function: { name: start?.name, arguments: text } }];
      case 'index-missing':
        return [];
    }
  }
}
