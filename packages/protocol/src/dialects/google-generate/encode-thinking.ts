/** The requested reasoning as a thinking config this model accepts: a budget, or one of its levels. */
import type { Effort, Reasoning } from '../../canonical/call.ts';
import { budgetOf } from '../../canonical/effort.ts';
import type { FieldLoss } from '../../canonical/fields.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { LossReason } from '../../canonical/loss.ts';
import { nearestEffort, reasoningFieldOf } from '../../passes/nearest-effort.ts';
import type { ModelFacts } from '../dialect.ts';

/** Smallest budget in tokens for a model that publishes none and cannot switch thinking off. */
const LEAST_BUDGET = 128;

export function encodeThinking(
  reasoning: Reasoning | undefined,
  model: ModelFacts,
  losses: FieldLoss[],
): JsonObject | undefined {
  if (reasoning === undefined) return undefined;
  const lose = (why: LossReason): void => void losses.push({ field: reasoningFieldOf(reasoning), why });
  const off = reasoning.enabled === false || reasoning.effort === 'none' || reasoning.budgetTokens === 0;
  const asked = reasoning.enabled === true || reasoning.effort !== undefined || reasoning.budgetTokens !== undefined;
  const { kind } = model.thinking;
  if (kind === 'none') {
    if (asked && !off) lose('no-equivalent');
    return undefined;
  }
  const amount = !asked && !off ? {} : off ? encodeOff(model, lose) : encodeAmount(reasoning, model, lose);
  const shown = reasoning.show !== 'none' && !off;
  const config = { ...amount, ...(shown && { includeThoughts: true }) };
  return Object.keys(config).length > 0 ? config : undefined;
}

function encodeOff({ thinking }: ModelFacts, lose: (why: LossReason) => void): JsonObject {
  if (thinking.canDisable) return { thinkingBudget: 0 };
  lose('approximated');
  if (thinking.kind === 'budget') return { thinkingBudget: thinking.budgetMin ?? LEAST_BUDGET };
  const least = thinking.kind === 'always' ? undefined : nearestLevel('none', thinking.levels);
  return least === undefined ? {} : { thinkingLevel: least.toUpperCase() };
}

function encodeAmount(
  { budgetTokens, effort }: Reasoning,
  model: ModelFacts,
  lose: (why: LossReason) => void,
): JsonObject {
  const { thinking } = model;
  if (thinking.kind === 'budget') {
    if (budgetTokens === -1 || (budgetTokens === undefined && effort === undefined)) return { thinkingBudget: -1 };
    const { budgetMin = 1, budgetMax = Number.POSITIVE_INFINITY } = thinking;
    const usable = Math.min(model.maxOutputTokens ?? Number.POSITIVE_INFINITY, budgetMax);
    const wanted =
      budgetTokens ?? budgetOf(effort ?? 'medium', usable === Number.POSITIVE_INFINITY ? undefined : usable);
    const budget = Math.min(Math.max(wanted, budgetMin), budgetMax);
    if (budgetTokens === undefined) lose('approximated');
    else if (budget !== budgetTokens) lose('clamped');
    return { thinkingBudget: budget };
  }
  // Models with levels also accept a budget, which is more precise than a level.
  if (budgetTokens !== undefined) return { thinkingBudget: budgetTokens };
  if (effort === undefined) return {};
  if (thinking.kind === 'always') {
    lose('no-equivalent');
    return {};
  }
  const level = nearestLevel(effort, thinking.levels);
  if (level !== effort) lose(level === undefined ? 'no-equivalent' : 'approximated');
  return level === undefined ? {} : { thinkingLevel: level.toUpperCase() };
}

const OWN_LEVELS: readonly string[] = ['minimal', 'low', 'medium', 'high'];

/** A model that lists no level supports low and high. */
function nearestLevel(requested: Effort, levels: readonly string[]): Effort | undefined {
  const named = levels.length > 0 ? levels : ['low', 'high'];
  return nearestEffort(
    requested,
    named.filter((level) => OWN_LEVELS.includes(level)),
  );
}
