/** The requested reasoning effort → the closest one the model supports. */
import type { Effort, Reasoning } from '../canonical/call.ts';
import { EFFORTS } from '../canonical/effort.ts';
import type { CanonicalField } from '../canonical/fields.ts';

/** The cheaper of two equally close ones; undefined if the model lists no effort. */
export function nearestEffort(wanted: Effort, levels: readonly string[]): Effort | undefined {
  const own = EFFORTS.filter((effort) => effort !== 'none' && levels.includes(effort));
  const distance = (effort: Effort): number => Math.abs(EFFORTS.indexOf(effort) - EFFORTS.indexOf(wanted));
  return own.reduce<Effort | undefined>(
    (best, effort) => (best === undefined || distance(effort) < distance(best) ? effort : best),
    undefined,
  );
}

/** The parameter with which the caller asked for reasoning; a loss names it. */
export const reasoningFieldOf = ({ effort, budgetTokens }: Reasoning): CanonicalField =>
  effort !== undefined
    ? 'reasoning.effort'
    : budgetTokens !== undefined
      ? 'reasoning.budgetTokens'
      : 'reasoning.enabled';
