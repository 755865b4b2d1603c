/** Which of the models asked for comes first, where the caller tells what the call is about, or leaves it all to us. */
import type { Complexity, RoutingWishes, TaskType } from '@trivium/protocol/canonical';
import { estimateInputTokens } from '@trivium/protocol/dialects';
import { byCost } from '../routing/by-factor.ts';
import { estimateComplexity } from '../routing/estimate-complexity.ts';
import { type ModelFacts, rankModels } from '../routing/rank-models.ts';
import type { Usable } from './plan-among.ts';
import type { Target } from './ports.ts';
import type { Understood } from './stages.ts';

/** A preferred model stays where it is, in front. */
export function rankUsable(
  understood: Understood,
  usable: readonly Usable[],
  { preference, taskType, complexity, models }: RoutingWishes,
): readonly Usable[] {
  if (usable.length < 2) return usable;
  const isLeftToUs = models === undefined && preference === undefined;
  const level = complexity ?? (isLeftToUs ? complexityOf(understood) : undefined);
  if (level === undefined) return usable;
  const inFront = preference === undefined ? 0 : 1;
  const ranked = rankModels(
    usable.slice(inFront).map((one) => ({ one, facts: factsOf(one) })),
    taskType ?? taskOf(understood),
    level,
  );
  return [...usable.slice(0, inFront), ...ranked.map(({ one }) => one)];
}

const taskOf = ({ dialect }: Understood): TaskType => (dialect.operation === 'embed' ? 'embedding' : 'chat');

function complexityOf({ understanding }: Understood): Complexity {
  const call = understanding.call();
  return estimateComplexity(call, estimateInputTokens(call));
}

/** A model costs what its cheapest host asks. */
function factsOf({ targets }: Usable): ModelFacts {
  const [cheapest] = targets.toSorted((one, other) => byCost(one.route.picoUsd, other.route.picoUsd));
  const { promptPicoUsd, completionPicoUsd } = cheapest!.route;
  return { promptPicoUsd, completionPicoUsd, thinks: targets.some(canThink) };
}

const canThink = ({ facts }: Target): boolean => facts.model.thinking.kind !== 'none';
