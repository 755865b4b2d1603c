/** What callers kept of a stream, in small pieces, as the blocks that it was. */
import type { Block, TextBlock } from '../canonical/content.ts';
import type { Sealed } from '../canonical/sealed.ts';

/**
 * Some hosts refuse blocks of white space only, but callers that store a stream of small parts send them between words:
 * such a block is merged into its neighbour. Without a neighbour it has no content and is dropped later.
 */
export function joinBlanks(blocks: readonly Block[]): readonly Block[] {
  if (!blocks.some(isBlankBlock)) return blocks;
  const out: Block[] = [];
  let held: TextBlock | undefined;
  for (const block of blocks) {
    const last = out.at(-1);
    if (block.kind !== 'text') {
      held = undefined;
      out.push(block);
    } else if (!isBlankBlock(block)) {
      out.push(held === undefined ? block : { ...lengthened(held, block), ...block, text: held.text + block.text });
      held = undefined;
    } else if (last?.kind === 'text') out[out.length - 1] = lengthened(last, block);
    else held = held === undefined ? block : lengthened(held, block);
  }
  return out;
}

/** A cache mark on the blank becomes a mark on the text it is merged into. */
const lengthened = (text: TextBlock, { text: blank, cache }: TextBlock): TextBlock => ({
  ...text,
  text: text.text + blank,
  ...(cache !== undefined && { cache }),
});

const isBlankBlock = (block: Block): boolean => block.kind === 'text' && block.text.trim() === '';

/**
 * Joins thinking that a stream of small parts split: clients of other protocols keep the pieces and, last, an empty
 * piece with the signature, but the signature covers the whole text.
 */
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
