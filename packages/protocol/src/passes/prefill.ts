/**
 * In some formats a last assistant turn is the start of the answer (prefill), in others it is an earlier message.
 * Decoders of the former mark it; encoders that cannot have it continued must refuse, because a reply to it would be
 * wrong.
 */
import type { TextCall } from '../canonical/call.ts';
import type { Turn } from '../canonical/content.ts';

/**
 * Only text and thinking can be continued: a tool call waits for its result, and a paused search is handled by its own
 * dialect.
 */
export function markPrefill(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1);
  const kind = last?.blocks.at(-1)?.kind;
  if (last?.role !== 'assistant' || (kind !== 'text' && kind !== 'thinking')) return turns;
  return [...turns.slice(0, -1), { ...last, continues: true }];
}

export const isPrefilled = (call: TextCall): boolean => call.turns.at(-1)?.continues === true;

export const NOT_CONTINUED = 'ends with words of the assistant, which this model cannot continue';
