/** A call that does not fit its budget, planned anew for the model that the template names for that: alone, at its price. */
import { GatewayError, type Loss } from '@trivium/protocol/canonical';
import type { LeftOut, OnLimitDecision } from '../../kernel/record.ts';
import type { DirectoryEntry } from '../../kernel/target.ts';
import type { Planned } from '../request.ts';
import { requireModel, usableIn } from './candidates.ts';
import { mayLeaveModel } from './fallbacks.ts';
import { type PlanPorts, planAmong } from './plan-among.ts';
import { policyFor, withDrawnCredential, withPolicy } from './policies.ts';
import { preferencesOf } from './preferences.ts';
import { planPreferencesOf } from './resolve.ts';

/** What replaces the plan of the model that was asked for. */
type Replacement = Pick<
  Planned,
  'model' | 'plan' | 'leftOut' | 'decidedBy' | 'weighed' | 'prompt' | 'inputBounds' | 'steps' | 'timeouts' | 'ownLosses'
>;

const LOSSES: readonly Loss[] = [{ path: 'model', why: 'approximated' }];

/** Undefined if the call may not leave the model it asks for, or may not use the other. */
export function planOnLimit(planned: Planned, onLimit: OnLimitDecision, ports: PlanPorts): Replacement | undefined {
  try {
    const model = requireModel(onLimit.model, planned.caller, ports.directory);
    return model.id === planned.model.id ? alone(planned, onLimit) : replaced(planned, model, onLimit, ports);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** The model asked for is the one that may go further; models behind it may not. */
function alone({ model, plan, leftOut = [], decidedBy, weighed = [] }: Planned, onLimit: OnLimitDecision): Replacement {
  const isOwn = ({ modelId }: { readonly modelId: string }): boolean => modelId === model.id;
  return {
    model,
    plan: plan.filter(isOwn),
    leftOut,
    decidedBy: { ...(decidedBy ?? { hosts: 'default' }), onLimit },
    weighed: weighed.filter(isOwn),
    steps: undefined,
  };
}

function replaced(
  planned: Planned,
  model: DirectoryEntry,
  onLimit: OnLimitDecision,
  ports: PlanPorts,
): Replacement | undefined {
  const asked = preferencesOf(planned) ?? {};
  const preferences = planPreferencesOf(asked);
  const { policies, directory, random } = ports;
  const policy = policies && policyFor(planned, policies, directory, onLimit.model, model.id);
  const isStrict = planned.strict || policy?.strict === true;
  if (isStrict && planned.caller.bounds?.tolerates?.('model') !== true) return undefined;
  if (!mayLeaveModel(planned, preferences, ports)) return undefined;
  const leftOut: LeftOut[] = [...(planned.leftOut ?? [])];
  const { targets } = usableIn(planned, model, policy, leftOut);
  const wanted = withPolicy(preferences, asked, policy);
  const choice = planAmong(planned, model, [targets], wanted, ports);
  if (choice.plan.length === 0) return undefined;
  const isDrawn = wanted.weights !== undefined && policy?.weights !== undefined;
  return {
    model,
    plan: isDrawn ? withDrawnCredential(choice.plan, policy.weights, random) : choice.plan,
    leftOut: [...leftOut, ...(choice.leftOut ?? [])],
    decidedBy: {
      hosts: choice.decidedBy?.hosts ?? 'default',
      ...(policy !== undefined && { policies: policy.decisions }),
      onLimit,
    },
    weighed: choice.weighed ?? [],
    prompt: choice.prompt,
    inputBounds: choice.inputBounds,
    steps: undefined,
    timeouts: policy?.said.timeouts?.value,
    ownLosses: LOSSES,
  };
}
