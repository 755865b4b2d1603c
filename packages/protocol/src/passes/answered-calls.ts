/**
 * Every tool call has one result, for hosts that refuse a call without one: an interrupted agent leaves such calls behind.
 * Only these calls are touched; `normalise-turns.ts` does more, for stricter hosts.
 */
import type { Turn } from '../canonical/content.ts';
import { callsIn, noResult, withoutRepeatedResults } from './normalise-turns.ts';

/** The same turns if nothing is missing. Calls at the very end are left alone: their results are what comes next. */
export function withAnsweredCalls(given: readonly Turn[], mended: () => void): readonly Turn[] {
  const turns = withoutRepeatedResults(given, mended);
  let out: Turn[] | undefined;
  for (const [position, turn] of turns.entries()) {
    const missing = turn.role === 'assistant' ? unanswered(turn, turns, position) : [];
    if (missing.length > 0) out ??= turns.slice(0, position);
    out?.push(turn);
    if (missing.length === 0) continue;
    mended();
    out?.push({ role: 'user', blocks: missing.map(noResult) });
  }
  return out ?? turns;
}

/** Results stand before the next answer of the assistant; some formats make several turns of one answer. */
function unanswered(turn: Turn, turns: readonly Turn[], position: number): readonly string[] {
  const open = new Set(callsIn(turn));
  if (open.size === 0) return [];
  let isPast = false;
  for (let at = position + 1; at < turns.length && open.size > 0; at++) {
    const next = turns[at];
    if (next === undefined || (isPast && next.role === 'assistant')) break;
    if (next.role !== 'assistant') isPast = true;
    for (const block of next.blocks) if (block.kind === 'tool-result') open.delete(block.callId);
  }
  return isPast ? [...open] : [];
}
