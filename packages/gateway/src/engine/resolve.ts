/** Which hosts could answer? The model's targets in order, less those that cannot read what was sent; or as wished. */
import { inService } from '../routing/observed.ts';
import { type PlanPorts, planByWishes } from './plan-by-wishes.ts';
import { requireModel } from './require-model.ts';
import { grow, type LeftOut, type Planned, type Understood } from './stages.ts';
import { usableTargets } from './usable-targets.ts';
import { wishesOf } from './wishes.ts';

export function resolve(understood: Understood, ports: PlanPorts): Planned {
  const wishes = wishesOf(understood);
  if (wishes !== undefined) return planByWishes(understood, wishes, ports);
  const { directory, health, clock } = ports;
  const model = requireModel(understood.understanding.model, understood.caller, directory);
  const usable = usableTargets(understood, model);
  const nowMs = clock.monotonicMs();
  const { stay, ejected } = inService(usable, ({ routeKey }) => health.observed(routeKey, nowMs));
  if (ejected.length === 0) return grow(understood, { model, plan: usable });
  const leftOut = ejected.map(({ provider, modelId }): LeftOut => ({ provider, modelId, why: 'ejected' }));
  return grow(understood, { model, plan: stay, leftOut });
}
