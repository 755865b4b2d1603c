/** How a model is asked to think: the caller's wish at a level the model has. A wish met only nearly is reported. */
import type { Effort, Reasoning } from '../../canonical/call.ts';
import { effortOf } from '../../canonical/effort.ts';
import type { CanonicalField } from '../../canonical/fields.ts';
import type { LossList } from '../../passes/loss-list.ts';
import { nearestEffort } from '../../passes/nearest-effort.ts';
import type { ModelFacts } from '../dialect.ts';

/** The effort to ask for; undefined: none is asked for. */
export function planEffort(reasoning: Reasoning | undefined, model: ModelFacts, losses: LossList): Effort | undefined {
  const { enabled, effort, budgetTokens } = reasoning ?? {};
  const off = enabled === false || effort === 'none';
  if (!off && enabled !== true && effort === undefined && budgetTokens === undefined) return undefined;
  const { kind, levels, canDisable } = model.thinking;
  if (kind === 'none') {
    if (!off) losses.add(wishedField(reasoning ?? {}));
    return undefined;
  }
  if (off) {
    if (levels.includes('none') || (canDisable && levels.length === 0)) return 'none';
    losses.add(wishedField(reasoning ?? {}), 'approximated');
    return nearestEffort('none', levels);
  }
  if (effort === undefined && budgetTokens === undefined) return undefined;
  // A level says how much, and there is no cap beside it.
  if (effort !== undefined && budgetTokens !== undefined) losses.add('reasoning.budgetTokens');
  const wanted = effort ?? effortOf(budgetTokens ?? -1, model.maxOutputTokens);
  const level = levels.length === 0 ? wanted : nearestEffort(wanted, levels);
  if (level === undefined) losses.add(wishedField(reasoning ?? {}));
  else if (level !== effort) losses.add(wishedField(reasoning ?? {}), 'approximated');
  return level;
}

const wishedField = ({ effort, budgetTokens }: Reasoning): CanonicalField =>
  effort !== undefined
    ? 'reasoning.effort'
    : budgetTokens !== undefined
      ? 'reasoning.budgetTokens'
      : 'reasoning.enabled';
