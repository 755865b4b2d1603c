/**
 * The operator's canary: a share of conversations goes to another model or host first. Whatever fails there, the call
 * goes on as if there were no canary.
 */
import type { CanaryDecision, LeftOut } from '../../kernel/record.ts';
import { isSameEndpoint } from '../../kernel/target.ts';
import type { Canary } from '../../models/policies/contract.ts';
import type { ResolvedPolicy, Said } from '../../models/policies/resolved-policy.ts';
import type { PlanPreferences } from '../../models/routing/candidate.ts';
import type { Planned, Understood } from '../request.ts';
import { stickyDraw } from './conversation.ts';
import { mayLeaveModel, planOther } from './fallbacks.ts';
import type { Choice, PlanPorts } from './plan-among.ts';
import { ordersHosts } from './policies.ts';
import { preferencesOf } from './preferences.ts';

export type CanaryDraw = { readonly policy: string; readonly canary: Canary; readonly isChosen: boolean };

/** Undefined: there is no canary for this call. A caller that names hosts, models or no fallback is not moved. */
export function drawCanary(
  understood: Understood,
  modelId: string,
  said: NonNullable<Said['canary']>,
  preferences: PlanPreferences,
  ports: PlanPorts,
): CanaryDraw | undefined {
  if (ports.policies?.isSteppedBack(said.policy) !== false) return undefined;
  const asked = preferencesOf(understood);
  if (asked !== undefined && (ordersHosts(asked) || asked.only !== undefined)) return undefined;
  if (!mayLeaveModel(understood, preferences, ports)) return undefined;
  const { model, percent } = said.value;
  if (model !== undefined && ports.directory.find(model)?.id === modelId) return undefined;
  const draw = stickyDraw(understood, 'canary', said.policy, ports) ?? ports.random('canary');
  return { policy: said.policy, canary: said.value, isChosen: draw * 100 < percent };
}

/** The plan with the canary's target in front, if the draw chose it and it may serve the call. */
export function withCanary(
  understood: Understood,
  policy: ResolvedPolicy,
  { policy: name, canary, isChosen }: CanaryDraw,
  main: Choice,
  preferences: PlanPreferences,
  ports: PlanPorts,
): Choice & Pick<Planned, 'steps'> & { readonly canary: CanaryDecision } {
  const decided = { policy: name, percent: canary.percent };
  if (!isChosen) return { ...main, canary: decided };
  const leftOut: LeftOut[] = [...(main.leftOut ?? [])];
  const planned =
    canary.model === undefined ? main : planOther(understood, canary.model, preferences, leftOut, ports, policy);
  const target = planned?.plan[0];
  if (target === undefined || (canary.host !== undefined && target.provider !== canary.host))
    return { ...main, leftOut, canary: decided };
  const others = main.plan.flatMap((one, place) =>
    isSameEndpoint(one, target) ? [] : [{ one, weighed: main.weighed![place]! }],
  );
  return {
    ...main,
    plan: [target, ...others.map(({ one }) => one)],
    weighed: [planned!.weighed![0]!, ...others.map(({ weighed }) => weighed)],
    leftOut,
    ...(others.length > 0 && { steps: [{ from: 1, on: 'any' }] }),
    canary: { ...decided, sentTo: { provider: target.provider, modelId: target.modelId } },
  };
}
