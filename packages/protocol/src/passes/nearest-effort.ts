/** The requested reasoning effort → the closest one a model has. */
import type { Effort, Reasoning } from '../canonical/call.ts';
import { EFFORTS } from '../canonical/effort.ts';
import type { CanonicalField } from '../canonical/fields.ts';

/** The cheaper of two that are equally close; undefined when the model names no effort at all. */
export function nearestEffort(wanted: Effort, levels: readonly string[]): Effort | undefined {
  const own = EFFORTS.filter((effort) => effort !== 'none' && levels.includes(effort));
  const distance = (effort: Effort): number => Math.abs(EFFORTS.indexOf(effort) - EFFORTS.indexOf(wanted));
  return own.reduce<Effort | undefined>(
    (best, effort) => (best === undefined || distance(effort) < distance(best) ? effort : best),
    undefined,
  );
}

/** The parameter by which the caller asked for reasoning: what a loss of it names. */
export const reasoningFieldOf = ({ effort, budgetTokens }: Reasoning): CanonicalField =>
  effort !== undefined
    ? 'reasoning.effort'
    : budgetTokens !== undefined
      ? 'reasoning.budgetTokens'
      : 'reasoning.enabled';
