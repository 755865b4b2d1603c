/** What an answer says of itself beside its blocks, in a home's own words: losses for callers with no place for it. */
import type { Extras } from '../canonical/dialect-id.ts';
import type { FinishReason } from '../canonical/events.ts';
import { arrayAt, type JsonObject, objectAt } from '../canonical/json.ts';
import type { Loss } from '../canonical/loss.ts';

/** For callers of any dialect but generate content, which is told its notes as they came. */
export function untoldNotes(extras: Extras | undefined): readonly Loss[] {
  const notes = extras?.['google-generate'];
  if (notes === undefined) return [];
  const losses: Loss[] = [];
  if (arrayAt(notes, 'safetyRatings').length > 0) losses.push({ path: 'safetyRatings', why: 'no-equivalent' });
  if (namesSourcesAlone(notes)) losses.push({ path: 'citations', why: 'no-equivalent' });
  return losses;
}

/** An ending that a format has no word for is told by its nearest word, and that it was is told, too. */
export const untoldEnding = (
  reason: FinishReason | undefined,
  path: string,
  unfit: ReadonlySet<FinishReason>,
): readonly Loss[] => (reason !== undefined && unfit.has(reason) ? [{ path, why: 'approximated' }] : []);

/** Sources of no words in particular cannot be cited. */
function namesSourcesAlone(notes: JsonObject): boolean {
  const grounding = objectAt(notes, 'groundingMetadata');
  return arrayAt(grounding, 'groundingChunks').length > 0 && arrayAt(grounding, 'groundingSupports').length === 0;
}
