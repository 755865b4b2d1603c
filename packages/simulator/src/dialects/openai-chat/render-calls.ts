// Tool-call fragments of a stream, as OpenAI and hosts that deviate from it send them.
import { type BlockOf, blocksOf } from '../../scenarios/blocks.ts';
import type { CallManner, Piece } from '../../scenarios/script.ts';

export class CallFragments {
  readonly #manner: CallManner;
  readonly #calls: readonly BlockOf<'call'>[];

  constructor(manner: CallManner, pieces: readonly Piece[]) {
    this.#manner = manner;
    this.#calls = blocksOf(pieces).filter((block) => block.kind === 'call');
  }

  /** The fragments of `delta.tool_calls` for one piece; each fragment becomes its own chunk. */
  render(piece: Extract<Piece, { kind: 'call-start' | 'call-arguments' }>): readonly object[] {
    const index = this.#manner === 'index-zero' ? 0 : piece.call;
    const { id, name, isFree, texts } = this.#callOf(piece) ?? { id: undefined, name: undefined, texts: [] };
    if (piece.kind === 'call-arguments') {
      const { text } = piece;
      if (isFree === true) return [{ index: piece.call, custom: { input: text } }];
      if (this.#manner === 'index-missing') return [];
      if (this.#manner === 'id-repeated') return [{ index, id, type: 'function', function: { name, arguments: text } }];
      return [{ index, function: { arguments: text } }];
    }
    if (isFree === true) return [{ index: piece.call, id, type: 'custom', custom: { name, input: '' } }];
    if (this.#manner === 'index-missing')
      return [{ id, type: 'function', function: { name, arguments: texts.join('') } }];
    if (this.#manner === 'late-name')
      return [
        { index, id, type: 'function', function: { arguments: '' } },
        { index, function: { name } },
      ];
    return [{ index, id, type: 'function', function: { name, arguments: '' } }];
  }

  /** A call sent whole accounts for the tokens of all its pieces. */
  tokensOf(piece: Piece): number {
    const isWhole = this.#manner === 'index-missing' && piece.kind === 'call-start';
    return isWhole ? 1 + (this.#callOf(piece)?.texts.length ?? 0) : 1;
  }

  #callOf({ call }: { readonly call: number }): BlockOf<'call'> | undefined {
    return this.#calls.find((block) => block.call === call);
  }
}
