/**
 * A last turn of the assistant's is the beginning of the answer in some formats, and something said before in others.
 * Decoders of the former mark it; encoders that cannot have it continued must refuse, since an answer to it is no answer.
 */
import type { TextCall } from '../canonical/call.ts';
import type { Turn } from '../canonical/content.ts';

/** Only words go on: a call waits for its result, and a search that paused is its own format's affair. */
export function markPrefill(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1);
  const kind = last?.blocks.at(-1)?.kind;
  if (last?.role !== 'assistant' || (kind !== 'text' && kind !== 'thinking')) return turns;
  return [...turns.slice(0, -1), { ...last, continues: true }];
}

export const isPrefilled = (call: TextCall): boolean => call.turns.at(-1)?.continues === true;

export const NOT_CONTINUED = 'ends with words of the assistant, which this model cannot continue';
