/** What the operator's policies say of a request: which hosts it may use, what orders them, and what follows a failure. */
import {
  FACTORS,
  type Factor,
  GatewayError,
  type RoutingPreferences,
  type Strategy,
} from '@trivium/protocol/canonical';
import type { LeftOut } from '../../kernel/record.ts';
import type { Tags } from '../../kernel/tags.ts';
import type { Directory, DirectoryEntry, Target } from '../../kernel/target.ts';
import type { PolicyOperation } from '../../models/policies/contract.ts';
import type { PolicySet } from '../../models/policies/policy-set.ts';
import type { Excluded, ResolvedPolicy, Weights } from '../../models/policies/resolved-policy.ts';
import type { PlanPreferences, RouteCandidate } from '../../models/routing/candidate.ts';
import type { Understood } from '../request.ts';
import { stickyDraw } from './conversation.ts';
import type { PlanPorts } from './plan-among.ts';

type Called = Pick<Understood, 'caller' | 'protocol'> & {
  readonly tags?: Tags | undefined;
  readonly dialect: { readonly operation: PolicyOperation };
};

/** `name`: as in the request; a host behind it is no part of the model's name. */
export function policyFor(
  { caller, tags, protocol, dialect }: Called,
  policies: PolicySet,
  directory: Directory,
  name: string,
  modelId: string,
): ResolvedPolicy | undefined {
  const isPinned = name !== modelId && directory.find(name) === undefined;
  const asked = isPinned ? name.slice(0, name.lastIndexOf(':')) : name;
  return policies.of(caller, tags, { asked, modelId, protocol, operation: dialect.operation });
}

/** The hosts that a policy allows; what it excludes is added to `excluded`. Throws if none is left. */
export function allowedBy<C extends RouteCandidate & Pick<Target, 'modelId'>>(
  policy: ResolvedPolicy | undefined,
  model: Pick<DirectoryEntry, 'id'>,
  hosts: readonly C[],
  excluded: LeftOut[],
): readonly C[] {
  if (policy === undefined) return hosts;
  const among = policy.among(hosts);
  for (const one of among.excluded) excluded.push(leftOutOf(one));
  if (among.allowed.length === 0 && hosts.length > 0) throw forbiddenBy(among.excluded, model.id);
  return among.allowed;
}

const leftOutOf = ({ candidate, why, policy }: Excluded<Pick<Target, 'provider' | 'modelId'>>): LeftOut => ({
  provider: candidate.provider,
  modelId: candidate.modelId,
  why,
  policy,
});

/** No host is left; a caller cannot change that, so it is no matter of the request's form. */
export function forbiddenBy(excluded: readonly { readonly policy?: string }[], model: string): GatewayError {
  const names = [...new Set(excluded.flatMap(({ policy }) => policy ?? []))].map((name) => `'${name}'`);
  const word = names.length === 1 ? 'policy' : 'policies';
  return new GatewayError({
    kind: 'forbidden',
    message: `No host of '${model}' that this request may use ${ALLOWED_BY} ${word} ${names.join(', ')}.`,
    field: 'model',
  });
}

const ALLOWED_BY = "is allowed by the operator's";

/** By its text, which is all that a record has of it. */
export const isPolicyRefusal = (message: string): boolean => message.includes(ALLOWED_BY);

/** The caller orders hosts itself: what the operator says of the order does not apply. */
export const ordersHosts = ({ strategy, factor, providers, order }: RoutingPreferences): boolean =>
  (strategy ?? factor ?? providers ?? order) !== undefined;

const isFactor = (word: Strategy | Factor): word is Factor => FACTORS.some((factor) => factor === word);

/** What was drawn for a call; absent: by chance, and not the canary. */
export type Draws = { readonly weights?: number | undefined; readonly isCanary?: boolean | undefined };

/** The caller's preferences with the operator's order, where the caller has none. */
export function withPolicy(
  preferences: PlanPreferences,
  asked: RoutingPreferences,
  policy: ResolvedPolicy | undefined,
  drawn: Draws = {},
): PlanPreferences {
  if (policy === undefined || ordersHosts(asked)) return preferences;
  const { strategy, order } = policy.said;
  const canary = policy.said.canary?.value.host;
  const { weights } = policy;
  if ((strategy ?? order ?? weights ?? canary) === undefined) return preferences;
  const isCanary = canary !== undefined && drawn.isCanary === true;
  return {
    ...preferences,
    ...(strategy !== undefined &&
      (isFactor(strategy.value) ? { factor: strategy.value } : { strategy: strategy.value })),
    ...(order !== undefined && { first: order.value }),
    ...(isCanary && { first: [canary, ...(order?.value ?? [])] }),
    ...(canary !== undefined && !isCanary && { last: canary }),
    ...(weights !== undefined && { weights: weights.byHost, weightsDraw: drawn.weights }),
  };
}

/** What the shares of hosts or credentials draw by; undefined: by chance. */
export const weightsDraw = (
  understood: Understood,
  { said: { sticky, weights } }: ResolvedPolicy,
  purpose: 'weights' | 'credential',
  ports: Pick<PlanPorts, 'fractionOf'>,
): number | undefined =>
  sticky === undefined || weights === undefined ? undefined : stickyDraw(understood, purpose, weights.policy, ports);

/** The same hosts, the first of them under the credential that its shares draw. */
export function withDrawnCredential(
  plan: readonly Target[],
  { byCredential }: Weights,
  draw: () => number,
): readonly Target[] {
  const [first, ...others] = plan;
  const shares = first && byCredential.get(first.provider);
  if (first === undefined || shares === undefined || first.spares === undefined) return plan;
  const all = [first, ...first.spares];
  const shareOf = ({ credential }: Target): number => shares.get(credential ?? 1) ?? 0;
  let left = draw() * all.reduce((sum, one) => sum + shareOf(one), 0);
  const drawn = all.find((one) => {
    left -= shareOf(one);
    return left < 0;
  });
  return drawn === undefined || drawn === first ? plan : [ledBy(first, drawn), ...others];
}

/** Made once for each credential of a host: state about a target is found by its object. */
const LED = new WeakMap<Target, Target>();

function ledBy(first: Target, drawn: Target): Target {
  const known = LED.get(drawn);
  if (known !== undefined) return known;
  const { spares = [], ...lead } = first;
  const led = { ...drawn, spares: [lead, ...spares.filter((spare) => spare !== drawn)] };
  LED.set(drawn, led);
  return led;
}
