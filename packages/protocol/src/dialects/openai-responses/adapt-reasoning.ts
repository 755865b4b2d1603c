/** Writes the requested reasoning at an effort the model supports. A request met only approximately is reported. */
import type { Effort, Reasoning } from '../../canonical/call.ts';
import { effortOf } from '../../canonical/effort.ts';
import type { LossList } from '../../passes/loss-list.ts';
import { nearestEffort, reasoningFieldOf } from '../../passes/nearest-effort.ts';
import type { ModelFacts } from '../dialect.ts';

/** The effort to request; undefined: none. */
export function planEffort(reasoning: Reasoning | undefined, model: ModelFacts, losses: LossList): Effort | undefined {
  const { enabled, effort, budgetTokens } = reasoning ?? {};
  const off = enabled === false || effort === 'none';
  if (!off && enabled !== true && effort === undefined && budgetTokens === undefined) return undefined;
  const { kind, levels, canDisable } = model.thinking;
  if (kind === 'none') {
    if (!off) losses.add(reasoningFieldOf(reasoning ?? {}));
    return undefined;
  }
  if (off) {
    if (levels.includes('none') || (canDisable && levels.length === 0)) return 'none';
    losses.add(reasoningFieldOf(reasoning ?? {}), 'approximated');
    return nearestEffort('none', levels);
  }
  if (effort === undefined && budgetTokens === undefined) return undefined;
  // An effort sets the amount, and this format has no budget beside it.
  if (effort !== undefined && budgetTokens !== undefined) losses.add('reasoning.budgetTokens');
  const wanted = effort ?? effortOf(budgetTokens ?? -1, model.maxOutputTokens);
  const level = levels.length === 0 ? wanted : nearestEffort(wanted, levels);
  if (level === undefined) losses.add(reasoningFieldOf(reasoning ?? {}));
  else if (level !== effort) losses.add(reasoningFieldOf(reasoning ?? {}), 'approximated');
  return level;
}
