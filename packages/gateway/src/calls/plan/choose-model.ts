/**
 * Which requested model comes first, where the caller states the task and complexity or leaves the choice to the
 * gateway.
 */
import type { Complexity, RoutingPreferences } from '@trivium/protocol/canonical';
import { estimateInputTokens } from '@trivium/protocol/dialects';
import type { DecidedBy } from '../../kernel/record.ts';
import type { Target } from '../../kernel/target.ts';
import { byCost } from '../../models/routing/by-factor.ts';
import { estimateComplexity } from '../../models/routing/estimate-complexity.ts';
import { type RankingFacts, rankModels } from '../../models/routing/rank-models.ts';
import { OPERATIONS } from '../operations.ts';
import type { Understood } from '../request.ts';
import type { Usable } from './candidates.ts';

/** A preferred model stays in front. */
export function rankUsable(
  understood: Understood,
  usable: readonly Usable[],
  preferences: RoutingPreferences,
): { readonly ranked: readonly Usable[]; readonly by?: DecidedBy['models'] } {
  const by = usable.length < 2 ? undefined : ruleFor(understood, preferences);
  if (by === undefined) return { ranked: usable };
  const inFront = preferences.preference === undefined ? 0 : 1;
  const others = usable.slice(inFront).map((one) => ({ one, facts: factsOf(one) }));
  const ranked = rankModels(others, by.taskType, by.complexity).map(({ one }) => one);
  return { ranked: [...usable.slice(0, inFront), ...ranked], by };
}

/** Undefined where the order of the list applies. */
function ruleFor(understood: Understood, preferences: RoutingPreferences): DecidedBy['models'] {
  const { models, preference, taskType = OPERATIONS[understood.dialect.operation].taskType, complexity } = preferences;
  if (complexity !== undefined) return { taskType, complexity, estimated: false };
  if (models !== undefined || preference !== undefined) return undefined;
  return { taskType, complexity: complexityOf(understood), estimated: true };
}

function complexityOf({ understanding, onWorker }: Understood): Complexity {
  if (onWorker !== undefined) return onWorker.figures.complexity;
  const call = understanding.call();
  return estimateComplexity(call, estimateInputTokens(call));
}

/** A model's price is that of its cheapest host. */
function factsOf({ targets }: Usable): RankingFacts {
  const [cheapest] = targets.toSorted((one, other) => byCost(one.route.picoUsd, other.route.picoUsd));
  const { promptPicoUsd, completionPicoUsd } = cheapest!.route;
  return { promptPicoUsd, completionPicoUsd, thinks: targets.some(canThink) };
}

const canThink = ({ facts }: Target): boolean => facts.model.thinking.kind !== 'none';
