/**
 * Metadata of an answer outside its blocks, in the format of the dialect it came from: losses for callers whose format
 * has no field for it.
 */
import type { TextAnswer } from '../canonical/answer.ts';
import type { Extras } from '../canonical/dialect-id.ts';
import type { Finish, FinishReason } from '../canonical/events.ts';
import { arrayAt, objectAt } from '../canonical/json.ts';
import type { PathLosses } from '../canonical/loss.ts';

/** For callers of every dialect except generate content, which gets the notes unchanged. */
export function loseNotes(extras: Extras | undefined, losses: PathLosses): void {
  const notes = extras?.['google-generate'];
  if (notes === undefined) return;
  if (arrayAt(notes, 'safetyRatings').length > 0) losses.add('safetyRatings');
  // Sources that support no specific text cannot become citations.
  const grounding = objectAt(notes, 'groundingMetadata');
  if (arrayAt(grounding, 'groundingChunks').length > 0 && arrayAt(grounding, 'groundingSupports').length === 0)
    losses.add('citations');
}

/**
 * For the same callers. A finish reason that their format lacks is sent as the nearest one; the upstream's own words on
 * it have no field.
 */
export function loseFinish(
  finish: Finish | undefined,
  path: string,
  unfit: ReadonlySet<FinishReason>,
  losses: PathLosses,
): void {
  if (finish === undefined) return;
  if (unfit.has(finish.reason)) losses.add(path, 'approximated');
  if ((finish.message ?? '') !== '') losses.add('finishMessage');
}

/** For the same callers, whose formats only say that the prompt was refused. */
export function loseBlocked(blocked: TextAnswer['promptBlocked'], losses: PathLosses): void {
  loseNotes(blocked?.extras, losses);
  if ((blocked?.message ?? '') !== '') losses.add('blockReasonMessage');
}
