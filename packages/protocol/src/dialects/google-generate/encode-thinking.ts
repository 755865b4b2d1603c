/** The requested reasoning as a thinking config this model accepts: a budget, or one of its levels. */
import type { Effort, Reasoning } from '../../canonical/call.ts';
import { budgetOf } from '../../canonical/effort.ts';
import type { CanonicalField } from '../../canonical/fields.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { LossList } from '../../passes/loss-list.ts';
import { nearestEffort, reasoningFieldOf } from '../../passes/nearest-effort.ts';
import type { ModelFacts } from '../dialect.ts';

/** Smallest budget in tokens for a model that publishes none and cannot switch thinking off. */
const LEAST_BUDGET = 128;

export function encodeThinking(
  reasoning: Reasoning | undefined,
  model: ModelFacts,
  losses: LossList,
): JsonObject | undefined {
  if (reasoning === undefined) return undefined;
  const field = reasoningFieldOf(reasoning);
  const off = reasoning.enabled === false || reasoning.effort === 'none' || reasoning.budgetTokens === 0;
  const asked = reasoning.enabled === true || reasoning.effort !== undefined || reasoning.budgetTokens !== undefined;
  const { kind } = model.thinking;
  if (kind === 'none') {
    if (asked && !off) losses.add(field);
    return undefined;
  }
  const amount =
    !asked && !off ? {} : off ? encodeOff(model, field, losses) : encodeAmount(reasoning, model, field, losses);
  const shown = reasoning.show !== 'none' && !off;
  const config = { ...amount, ...(shown && { includeThoughts: true }) };
  return Object.keys(config).length > 0 ? config : undefined;
}

function encodeOff({ thinking }: ModelFacts, field: CanonicalField, losses: LossList): JsonObject {
  if (thinking.canDisable) return { thinkingBudget: 0 };
  losses.add(field, 'approximated');
  if (thinking.kind === 'budget') return { thinkingBudget: thinking.budgetMin ?? LEAST_BUDGET };
  const least = thinking.kind === 'always' ? undefined : nearestLevel('none', thinking.levels);
  return least === undefined ? {} : { thinkingLevel: least.toUpperCase() };
}

function encodeAmount(
  { budgetTokens, effort }: Reasoning,
  model: ModelFacts,
  field: CanonicalField,
  losses: LossList,
): JsonObject {
  const { thinking } = model;
  if (thinking.kind === 'budget') {
    if (budgetTokens === -1 || (budgetTokens === undefined && effort === undefined)) return { thinkingBudget: -1 };
    const { budgetMin = 1, budgetMax = Number.POSITIVE_INFINITY } = thinking;
    const usable = Math.min(model.maxOutputTokens ?? Number.POSITIVE_INFINITY, budgetMax);
    const wanted =
      budgetTokens ?? budgetOf(effort ?? 'medium', usable === Number.POSITIVE_INFINITY ? undefined : usable);
    const budget = Math.min(Math.max(wanted, budgetMin), budgetMax);
    if (budgetTokens === undefined) losses.add(field, 'approximated');
    else if (budget !== budgetTokens) losses.add(field, 'clamped');
    return { thinkingBudget: budget };
  }
  // Models with levels also accept a budget, which is more precise than a level.
  if (budgetTokens !== undefined) return { thinkingBudget: budgetTokens };
  if (effort === undefined) return {};
  if (thinking.kind === 'always') {
    losses.add(field);
    return {};
  }
  const level = nearestLevel(effort, thinking.levels);
  if (level !== effort) losses.add(field, level === undefined ? 'no-equivalent' : 'approximated');
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
