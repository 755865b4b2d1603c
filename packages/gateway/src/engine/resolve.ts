/** Which hosts could answer? The model's targets in order, less those that cannot read what was sent; or as wished. */
import { planByWishes } from './plan-by-wishes.ts';
import type { Directory, WishTurns } from './ports.ts';
import { requireModel } from './require-model.ts';
import { grow, type Planned, type Understood } from './stages.ts';
import { usableTargets } from './usable-targets.ts';
import { wishesOf } from './wishes.ts';

export function resolve(understood: Understood, directory: Directory, turns: WishTurns): Planned {
  const wishes = wishesOf(understood);
  if (wishes !== undefined) return planByWishes(understood, wishes, directory, turns);
  const model = requireModel(understood.understanding.model, understood.caller, directory);
  return grow(understood, { model, plan: usableTargets(understood, model) });
}
