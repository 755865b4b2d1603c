/**
 * Turns that are read piece by piece grow in place: copied for each piece, a turn of many would take the square of the time, and
 * callers may send a hundred thousand of them.
 */
import type { Block, ToolResultBlock, Turn } from '../canonical/content.ts';

export type GrowingTurn = Turn & { readonly blocks: Block[] };

/** Results of one turn belong together, also where a dialect gives each a place of its own. */
export function pushResult(turns: GrowingTurn[], result: ToolResultBlock): void {
  const last = turns.at(-1);
  // Nobody who reads turns this way puts a result beside anything else: the last block speaks for all of them.
  if (last?.role === 'user' && (last.blocks.at(-1) ?? result).kind === 'tool-result') last.blocks.push(result);
  else turns.push({ role: 'user', blocks: [result] });
}
