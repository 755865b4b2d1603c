/**
 * Writes the requested reasoning for a model: a budget, adaptive thinking with an effort, or none. Both lanes use it. A
 * request met only approximately is reported, like one that is dropped.
 */
import type { Reasoning } from '../../canonical/call.ts';
import { budgetOf, effortOf } from '../../canonical/effort.ts';
import type { CanonicalField, FieldLoss } from '../../canonical/fields.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { LossReason } from '../../canonical/loss.ts';
import { LossList } from '../../passes/loss-list.ts';
import { nearestEffort } from '../../passes/nearest-effort.ts';
import type { ModelFacts } from '../dialect.ts';
import type { MessagesQuirks } from './quirks.ts';
import { MIN_THINKING_BUDGET } from './wire.ts';

export type ThinkingPlan = {
  readonly on: boolean;
  readonly thinking?: JsonObject;
  readonly effort?: string;
  readonly losses: readonly FieldLoss[];
};

/**
 * `barred`: another part of the call cannot be combined with thinking on upstreams of this dialect. `unthought`: not with
 * a budget, because the model called a tool without thinking first.
 */
export type ThinkingFacts = { readonly maxTokens: number; readonly barred: boolean; readonly unthought?: boolean };

export function planThinking(
  reasoning: Reasoning | undefined,
  model: ModelFacts,
  quirks: MessagesQuirks,
  facts: ThinkingFacts,
): ThinkingPlan {
  const { enabled, effort, budgetTokens } = reasoning ?? {};
  if (reasoning === undefined || (enabled === undefined && effort === undefined && budgetTokens === undefined))
    return { on: false, losses: [] };
  const off = enabled === false || effort === 'none';
  const { kind, canDisable } = model.thinking;
  if (kind === 'none') return { on: false, losses: off ? [] : [lost(reasoning, 'no-equivalent')] };
  const barred = facts.barred || (kind === 'budget' && facts.unthought === true);
  if (off || (barred && kind !== 'always')) {
    const losses = off ? [] : [lost(reasoning, 'no-equivalent')];
    if (kind === 'budget') return { on: false, losses };
    if (canDisable) return { on: false, thinking: { type: 'disabled' }, losses };
    return { on: true, losses: [lost(reasoning, 'no-equivalent')] };
  }
  if (kind === 'budget') return withBudget(reasoning, facts);
  const plan = withEffort(reasoning, model, quirks);
  if (!takesBudget(model.thinking) || facts.unthought === true || budgetTokens === undefined || budgetTokens < 0)
    return plan;
  const budget = withBudget(reasoning, facts);
  const losses = [...budget.losses, ...plan.losses.filter(({ field }) => field !== 'reasoning.budgetTokens')];
  return {
    ...budget,
    ...(effort !== undefined && plan.effort !== undefined && { effort: plan.effort }),
    losses,
  };
}

/** Models of the generation between budgets and efforts decide themselves how long to think, or take a budget. */
export const takesBudget = ({ kind, budgetMin }: ModelFacts['thinking']): boolean =>
  kind === 'budget' || (kind === 'adaptive' && budgetMin !== undefined);

const reasoningFieldOf = ({ effort, budgetTokens }: Reasoning): CanonicalField =>
  budgetTokens !== undefined
    ? 'reasoning.budgetTokens'
    : effort !== undefined
      ? 'reasoning.effort'
      : 'reasoning.enabled';

const lost = (reasoning: Reasoning, why: LossReason): FieldLoss => ({ field: reasoningFieldOf(reasoning), why });

function withBudget(reasoning: Reasoning, { maxTokens }: ThinkingFacts): ThinkingPlan {
  const { effort, budgetTokens } = reasoning;
  const requested =
    budgetTokens !== undefined && budgetTokens >= 0 ? budgetTokens : budgetOf(effort ?? 'medium', maxTokens);
  // The answer needs tokens besides thinking: a limit this low leaves none.
  if (maxTokens <= MIN_THINKING_BUDGET) return { on: false, losses: [lost(reasoning, 'no-equivalent')] };
  const budget = Math.min(Math.max(requested, MIN_THINKING_BUDGET), maxTokens - 1);
  const isExact = budgetTokens === undefined ? effort === undefined : budget === budgetTokens;
  const why = budgetTokens === undefined || budgetTokens < 0 ? 'approximated' : 'clamped';
  const losses = isExact ? [] : [lost(reasoning, why)];
  return { on: true, thinking: { type: 'enabled', budget_tokens: budget }, losses };
}

function withEffort(reasoning: Reasoning, model: ModelFacts, quirks: MessagesQuirks): ThinkingPlan {
  const { effort, budgetTokens, show } = reasoning;
  const { kind, levels } = model.thinking;
  const wanted =
    effort ??
    (budgetTokens === undefined || budgetTokens < 0 ? undefined : effortOf(budgetTokens, model.maxOutputTokens));
  const level = wanted === undefined || !quirks.effort ? undefined : nearestEffort(wanted, levels);
  const losses = new LossList();
  if (budgetTokens !== undefined && budgetTokens >= 0) losses.add('reasoning.budgetTokens', 'approximated');
  if (effort !== undefined && level !== effort)
    losses.add('reasoning.effort', level === undefined ? 'no-equivalent' : 'approximated');
  const display = show === 'none' ? 'omitted' : 'summarized';
  return {
    on: true,
    // A model that always thinks has no switch and accepts none.
    ...(kind !== 'always' && { thinking: { type: 'adaptive', display } }),
    ...(level !== undefined && { effort: level }),
    losses: losses.all,
  };
}
