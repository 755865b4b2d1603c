/** The operator's fallbacks to other models: each is planned like a model the caller asks for, behind those before it. */
import { GatewayError } from '@trivium/protocol/canonical';
import type { LeftOut } from '../../kernel/record.ts';
import { isSameEndpoint, type Target } from '../../kernel/target.ts';
import type { ResolvedPolicy } from '../../models/policies/resolved-policy.ts';
import type { PlanPreferences } from '../../models/routing/candidate.ts';
import type { FallbackKind, FallbackStep } from '../../models/routing/next.ts';
import type { Planned, Understood } from '../request.ts';
import { findModel, requireModel, usableIn } from './candidates.ts';
import { type Choice, type PlanPorts, planAmong } from './plan-among.ts';
import { allowedBy, policyFor, weightsDraw, withPolicy } from './policies.ts';
import { preferencesOf } from './preferences.ts';

/** Content that one provider filters goes to another only if the operator says so. */
const DEFAULT_ON: readonly FallbackKind[] = ['error', 'over-rate', 'context-exceeded'];

/** `preferences`: the caller's own, without the operator's order for the first model. */
export function withFallbacks(
  understood: Understood,
  policy: ResolvedPolicy,
  main: Choice & Pick<Planned, 'steps'>,
  preferences: PlanPreferences,
  ports: PlanPorts,
): typeof main {
  const { fallbacks } = policy.said;
  if (fallbacks === undefined || !mayLeaveModel(understood, preferences, ports)) return main;
  const plan: Target[] = [...main.plan];
  const weighed = [...(main.weighed ?? [])];
  const leftOut: LeftOut[] = [...(main.leftOut ?? [])];
  const steps: FallbackStep[] = [...(main.steps ?? [])];
  for (const { model, on = DEFAULT_ON } of fallbacks.value) {
    const planned = planOther(understood, model, preferences, leftOut, ports);
    if (planned === undefined) continue;
    const from = plan.length;
    for (const [place, target] of planned.plan.entries()) {
      if (plan.some((one) => isSameEndpoint(one, target))) continue;
      plan.push(target);
      weighed.push(planned.weighed![place]!);
    }
    if (plan.length > from) steps.push({ from, on });
  }
  return plan.length === main.plan.length ? { ...main, leftOut } : { ...main, plan, weighed, leftOut, steps };
}

/** A caller that names its models, one host, or no fallback has narrowed the choice: no other model is added. */
export function mayLeaveModel(
  understood: Understood,
  { fallback = 'true' }: PlanPreferences,
  ports: PlanPorts,
): boolean {
  const asked = preferencesOf(understood);
  if (asked?.models !== undefined || asked?.preference !== undefined || fallback !== 'true') return false;
  // A name with a host is no model's own.
  return ports.directory.find(understood.understanding.model) !== undefined;
}

/**
 * A model that the operator adds to the plan; undefined if the caller may not use it, or no host of it is left. `within`:
 * its limits hold besides the model's own.
 */
export function planOther(
  understood: Understood,
  name: string,
  preferences: PlanPreferences,
  leftOut: LeftOut[],
  ports: PlanPorts,
  within?: ResolvedPolicy,
): Choice | undefined {
  const { policies, directory } = ports;
  try {
    const model = requireModel(name, understood.caller, directory);
    const policy = policies && policyFor(understood, policies, directory, name, model.id);
    const { targets } = usableIn(understood, model, policy, leftOut);
    const allowed = allowedBy(within, model, targets, leftOut);
    if (policy?.strict === true) Object.assign(understood, { strict: true });
    const drawn = policy && { weights: weightsDraw(understood, policy, 'weights', ports) };
    const wanted = withPolicy(preferences, preferencesOf(understood) ?? {}, policy, drawn);
    const planned = planAmong(understood, model, [allowed], wanted, ports);
    leftOut.push(...(planned.leftOut ?? []));
    return planned;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    for (const { provider, modelId } of findModel(name, directory)?.targets ?? [])
      if (!leftOut.some((one) => one.provider === provider && one.modelId === modelId))
        leftOut.push({ provider, modelId, why: error.fault.kind });
    return undefined;
  }
}
