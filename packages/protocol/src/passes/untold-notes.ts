/**
 * Metadata of an answer outside its blocks, in the format of the dialect it came from: losses for callers whose format
 * has no field for it.
 */
import type { TextAnswer } from '../canonical/answer.ts';
import type { Extras } from '../canonical/dialect-id.ts';
import type { Finish, FinishReason } from '../canonical/events.ts';
import { arrayAt, type JsonObject, objectAt } from '../canonical/json.ts';
import type { Loss } from '../canonical/loss.ts';

/** For callers of every dialect except generate content, which gets the notes unchanged. */
export function noteLosses(extras: Extras | undefined): readonly Loss[] {
  const notes = extras?.['google-generate'];
  if (notes === undefined) return [];
  const losses: Loss[] = [];
  if (arrayAt(notes, 'safetyRatings').length > 0) losses.push({ path: 'safetyRatings', why: 'no-equivalent' });
  if (namesSourcesAlone(notes)) losses.push({ path: 'citations', why: 'no-equivalent' });
  return losses;
}

/**
 * For the same callers. A finish reason that their format lacks is sent as the nearest one; the upstream's own words on
 * it have no field.
 */
export function finishLosses(
  finish: Finish | undefined,
  path: string,
  unfit: ReadonlySet<FinishReason>,
): readonly Loss[] {
  if (finish === undefined) return [];
  const { reason, message = '' } = finish;
  const losses: Loss[] = unfit.has(reason) ? [{ path, why: 'approximated' }] : [];
  if (message !== '') losses.push({ path: 'finishMessage', why: 'no-equivalent' });
  return losses;
}

/** For the same callers, whose formats only say that the prompt was refused. */
export function blockLosses(blocked: TextAnswer['promptBlocked']): readonly Loss[] {
  const losses: Loss[] = [...noteLosses(blocked?.extras)];
  if ((blocked?.message ?? '') !== '') losses.push({ path: 'blockReasonMessage', why: 'no-equivalent' });
  return losses;
}

/** Sources that support no specific text cannot become citations. */
function namesSourcesAlone(notes: JsonObject): boolean {
  const grounding = objectAt(notes, 'groundingMetadata');
  return arrayAt(grounding, 'groundingChunks').length > 0 && arrayAt(grounding, 'groundingSupports').length === 0;
}
