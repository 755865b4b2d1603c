/**
 * Joins thinking that a stream of small parts split: clients of other protocols keep the pieces and, last, an empty
 * piece with the signature, but the signature covers the whole text.
 */
import type { Block } from '../../canonical/content.ts';
import type { Sealed } from '../../canonical/sealed.ts';

export function joinThoughts(blocks: readonly Block[], mayOpen: (seal: Sealed) => boolean): readonly Block[] {
  if (!blocks.some((block) => isBareSeal(block) && mayOpen(block.seal))) return blocks;
  const out: Block[] = [];
  for (const block of blocks) {
    if (!isBareSeal(block) || !mayOpen(block.seal)) {
      out.push(block);
      continue;
    }
    const from = out.findLastIndex((piece) => piece.kind !== 'thinking' || piece.seal !== undefined) + 1;
    const pieces = out.splice(from);
    out.push({ ...block, text: pieces.map((piece) => (piece.kind === 'thinking' ? piece.text : '')).join('') });
  }
  return out;
}

type BareSeal = Extract<Block, { kind: 'thinking' }> & { readonly seal: Sealed };

const isBareSeal = (block: Block): block is BareSeal =>
  block.kind === 'thinking' && block.text === '' && block.seal !== undefined;
