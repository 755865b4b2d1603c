/**
 * Blocks of white space only are refused here, but callers that store a stream of small parts send them between words:
 * such a block is merged into its neighbour. Without a neighbour it has no content and is dropped later.
 */
import type { Block, TextBlock } from '../../canonical/content.ts';

export function joinBlanks(blocks: readonly Block[]): readonly Block[] {
  if (!blocks.some(isBlank)) return blocks;
  const out: Block[] = [];
  let held: TextBlock | undefined;
  for (const block of blocks) {
    const last = out.at(-1);
    if (block.kind !== 'text') {
      held = undefined;
      out.push(block);
    } else if (!isBlank(block)) {
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

const isBlank = (block: Block): boolean => block.kind === 'text' && block.text.trim() === '';
