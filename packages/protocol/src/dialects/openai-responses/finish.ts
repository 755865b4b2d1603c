/** Maps finish reasons between this dialect and the canonical form. */
import type { FinishReason } from '../../canonical/events.ts';
import { type JsonObject, objectAt, stringAt } from '../../canonical/json.ts';

export type Ending =
  | { readonly status: 'completed' }
  | { readonly status: 'incomplete'; readonly reason: 'max_output_tokens' | 'content_filter' };

export type SeenItems = { readonly toolCall: boolean; readonly refusal: boolean };

const COMPLETED: Ending = { status: 'completed' };
const CUT: Ending = { status: 'incomplete', reason: 'max_output_tokens' };
export const FILTERED: Ending = { status: 'incomplete', reason: 'content_filter' };

/** A refusal with text is a complete answer; one without text was filtered. */
const WRITE: Readonly<Record<FinishReason, Ending>> = {
  stop: COMPLETED,
  'stop-sequence': COMPLETED,
  length: CUT,
  'context-full': CUT,
  'tool-call': COMPLETED,
  filter: FILTERED,
  refusal: FILTERED,
  recitation: FILTERED,
  pause: CUT,
  'bad-tool-call': COMPLETED,
  'no-image': FILTERED,
  other: COMPLETED,
};

/** Finish reasons that have only a less specific equivalent here. */
export const UNFIT: ReadonlySet<FinishReason> = new Set(['other', 'pause']);

export const writeFinish = (reason: FinishReason, seen: SeenItems): Ending =>
  reason === 'refusal' && seen.refusal ? COMPLETED : WRITE[reason];

/** For answers that ended. One that is not complete was truncated, even if its reason is unknown. */
export function readFinish(response: JsonObject, seen: SeenItems): { reason: FinishReason; raw: string } {
  const status = stringAt(response, 'status');
  if (status === 'completed')
    return { reason: seen.toolCall ? 'tool-call' : seen.refusal ? 'refusal' : 'stop', raw: status };
  const raw = stringAt(objectAt(response, 'incomplete_details'), 'reason') ?? 'incomplete';
  return { reason: raw === 'content_filter' ? 'filter' : 'length', raw };
}
