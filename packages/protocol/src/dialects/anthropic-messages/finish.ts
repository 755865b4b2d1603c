/** Maps finish reasons between this dialect and the canonical form. */
import type { FinishReason } from '../../canonical/events.ts';

const READ: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'context-full',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-call',
  pause_turn: 'pause',
  // The caller sends the compacted conversation back, as after a pause.
  compaction: 'pause',
  refusal: 'refusal',
};

const WRITE: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  length: 'max_tokens',
  'context-full': 'max_tokens',
  'tool-call': 'tool_use',
  filter: 'refusal',
  refusal: 'refusal',
  recitation: 'refusal',
  pause: 'pause_turn',
  'bad-tool-call': 'end_turn',
  'no-image': 'refusal',
  other: 'end_turn',
};

/** Finish reasons that have only a less specific equivalent here. */
export const UNFIT: ReadonlySet<FinishReason> = new Set(['other']);

export type SeenBlocks = { readonly toolCall: boolean; readonly refusal?: boolean };

export const readFinish = (raw: string, seen: SeenBlocks): FinishReason => corrected(READ[raw] ?? 'other', seen);

/** Only a plain stop is corrected by the content of the answer: a truncated or filtered one keeps its reason. */
const corrected = (reason: FinishReason, { toolCall, refusal }: SeenBlocks): FinishReason =>
  reason !== 'stop' ? reason : toolCall ? 'tool-call' : refusal === true ? 'refusal' : reason;

export const writeFinish = (reason: FinishReason, seen: SeenBlocks): string => WRITE[corrected(reason, seen)];

/** An upstream's finish reason as one that callers know. */
export const tidyFinish = (raw: string, seen: SeenBlocks): string => writeFinish(readFinish(raw, seen), seen);
