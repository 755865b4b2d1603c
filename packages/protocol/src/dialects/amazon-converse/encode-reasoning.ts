/** The requested reasoning in the members that a family of models takes it in. */
import type { Reasoning, TextCall } from '../../canonical/call.ts';
import { budgetOf, effortOf } from '../../canonical/effort.ts';
import type { Json } from '../../canonical/json.ts';
import type { LossReason } from '../../canonical/loss.ts';
import type { LossList } from '../../passes/loss-list.ts';
import { nearestEffort, reasoningFieldOf } from '../../passes/nearest-effort.ts';
import type { TargetFacts } from '../dialect.ts';
import type { FamilyRules } from './quirks.ts';

type ReasoningPlan = {
  /** The request asks the model to reason. */
  readonly on: boolean;
  /** Values by the dotted paths of their members. */
  readonly members: Readonly<Record<string, Json>>;
};

const MIN_BUDGET = 1024;
const OFF: ReasoningPlan = { on: false, members: {} };

export function encodeReasoning(
  { reasoning, sampling }: TextCall,
  { model }: TargetFacts,
  family: FamilyRules,
  losses: LossList,
): ReasoningPlan {
  const { enabled, effort, budgetTokens } = reasoning ?? {};
  if (reasoning?.show === 'none') losses.add('reasoning.show');
  if (reasoning === undefined || (enabled ?? effort ?? budgetTokens) === undefined) return OFF;
  const { kind, levels, canDisable } = model.thinking;
  const lose = (why: LossReason): void => losses.add(reasoningFieldOf(reasoning), why);
  if (enabled === false || effort === 'none') {
    if (levels.includes('none') && family.effortAt !== '') return { on: false, members: { [family.effortAt]: 'none' } };
    // No member stops a model that decides for itself, or always reasons.
    if (kind !== 'none' && (!canDisable || kind === 'always')) lose('no-equivalent');
    return OFF;
  }
  if (kind === 'none') {
    lose('no-equivalent');
    return OFF;
  }
  if (family.thinkingAt !== '' && kind === 'budget')
    return withBudget(reasoning, model.maxOutputTokens, sampling.maxOutputTokens);
  const usable =
    sampling.maxOutputTokens === undefined ? levels : levels.filter((level) => level !== family.uncappedEffort);
  const wanted = effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens, model.maxOutputTokens));
  const level = family.effortAt === '' ? undefined : nearestEffort(wanted ?? 'medium', usable);
  const thinking = family.thinkingAt === '' ? {} : { [family.thinkingAt]: { type: 'adaptive' } };
  if (level === undefined) {
    // A switch alone is met by a model that reasons anyhow.
    if (wanted !== undefined || (kind !== 'always' && family.thinkingAt === '')) lose('no-equivalent');
    return { on: kind !== 'always', members: thinking };
  }
  if (wanted !== undefined && level !== effort) lose('approximated');
  return { on: true, members: { ...thinking, ...family.effortWith, [family.effortAt]: level } };

  function withBudget(
    { effort: asked = 'medium', budgetTokens: given }: Reasoning,
    most: number | undefined,
    cap: number | undefined,
  ): ReasoningPlan {
    const limit = cap ?? most;
    if (limit !== undefined && limit <= MIN_BUDGET) {
      lose('no-equivalent');
      return OFF;
    }
    const requested = given !== undefined && given >= 0 ? given : budgetOf(asked, limit);
    const budget = Math.min(Math.max(requested, MIN_BUDGET), (limit ?? Number.POSITIVE_INFINITY) - 1);
    if (given === undefined ? effort !== undefined : budget !== given)
      lose(given === undefined ? 'approximated' : 'clamped');
    return { on: true, members: { [family.thinkingAt]: { type: 'enabled', budget_tokens: budget } } };
  }
}
