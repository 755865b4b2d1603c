/**
 * Which hosts could answer, and in which order: by the routing preferences, else in the model's own order. A single
 * host is not ranked.
 */
import { grow, type Planned, type Understood } from '../request.ts';
import { type PlanPorts, planAmong } from './plan-among.ts';
import { planByPreferences } from './plan-by-preferences.ts';
import { preferencesOf } from './preferences.ts';
import { requireModel, unusable, usableTargets } from './require-model.ts';

const NO_OPTIONS = {};

export function resolve(understood: Understood, ports: PlanPorts): Planned {
  const preferences = preferencesOf(understood);
  if (preferences !== undefined) return planByPreferences(understood, preferences, ports);
  const model = requireModel(understood.understanding.model, understood.caller, ports.directory);
  if (model.choice !== undefined) return planByPreferences(understood, NO_OPTIONS, ports);
  const targets = usableTargets(understood, model);
  if (model.targets.length === 1 && targets.length === 1) return grow(understood, { model, plan: targets });
  const choice = planAmong(understood, model, [targets], NO_OPTIONS, ports);
  return grow(understood, {
    model,
    ...choice,
    leftOut: [...unusable(understood, model, targets), ...(choice.leftOut ?? [])],
  });
}
