/**
 * Turns are extended in place while they are read: copying a turn for each piece would take quadratic time, and callers
 * may send a hundred thousand pieces.
 */
import type { Block, ToolResultBlock, Turn } from '../canonical/content.ts';

export type GrowingTurn = Turn & { readonly blocks: Block[] };

/** Results of one turn are grouped, even if the dialect sends each as a message of its own. */
export function pushResult(turns: GrowingTurn[], result: ToolResultBlock): void {
  const last = turns.at(-1);
  // Callers of this function never mix a result with other blocks in one turn, so checking the last block is enough.
  if (last?.role === 'user' && (last.blocks.at(-1) ?? result).kind === 'tool-result') last.blocks.push(result);
  else turns.push({ role: 'user', blocks: [result] });
}
