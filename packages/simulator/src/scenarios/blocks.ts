// A script's pieces as blocks, one after the other: for dialects that finish one block before they start the next.
import type { Piece, Source } from './script.ts';

type TextPiece = Extract<Piece, { kind: 'text' }>;

export type ScriptBlock =
  | { readonly kind: 'reasoning'; readonly texts: string[] }
  | { readonly kind: 'refusal'; readonly texts: string[] }
  | { readonly kind: 'sealed-reasoning'; readonly text: string }
  | { readonly kind: 'text'; readonly pieces: TextPiece[]; readonly source: Source | undefined }
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly id: string;
      readonly name: string;
      readonly isFree?: true;
      readonly texts: string[];
    }
  | Extract<Piece, { kind: 'search' | 'image' }>;

export type BlockOf<K extends ScriptBlock['kind']> = Extract<ScriptBlock, { kind: K }>;

export interface BlockOptions {
  /** Passages with different sources stay in one block of text. */
  readonly joinsSources: boolean;
}

/** Interleaved calls are sorted by their start. */
export function blocksOf(
  pieces: readonly Piece[],
  options: BlockOptions = { joinsSources: false },
): readonly ScriptBlock[] {
  const blocks: ScriptBlock[] = [];
  for (const piece of pieces) {
    const last = blocks.at(-1);
    switch (piece.kind) {
      case 'reasoning':
      case 'refusal':
        if (last?.kind === piece.kind) last.texts.push(piece.text);
        else blocks.push({ kind: piece.kind, texts: [piece.text] });
        break;
      case 'text':
        if (last?.kind === 'text' && (options.joinsSources || last.source === piece.source)) last.pieces.push(piece);
        else blocks.push({ kind: 'text', pieces: [piece], source: piece.source });
        break;
      case 'call-start':
        blocks.push({ ...piece, kind: 'call', texts: [] });
        break;
      case 'call-arguments':
        for (const block of blocks)
          if (block.kind === 'call' && block.call === piece.call) block.texts.push(piece.text);
        break;
      default:
        blocks.push(piece);
    }
  }
  return blocks;
}

export function textOf(block: BlockOf<'text'>): string {
  return block.pieces.map((piece) => piece.text).join('');
}

/** Tokens of a block: one per piece. */
export function tokensOf(block: ScriptBlock): number {
  if (block.kind === 'text') return block.pieces.length;
  return 'texts' in block ? block.texts.length + (block.kind === 'call' ? 1 : 0) : 1;
}
