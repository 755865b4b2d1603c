/**
 * Which hosts could answer, and in which order: by the routing preferences, else in the model's own order. Every name in
 * preferences exists here, or the request is refused naming the field.
 */
import type { GatewayError, NamedList, RoutingPreferences } from '@trivium/protocol/canonical';
import type { DecidedBy, LeftOut } from '../../kernel/record.ts';
import { type Directory, type DirectoryEntry, hostIdOf, type Target } from '../../kernel/target.ts';
import type { ResolvedPolicy } from '../../models/policies/resolved-policy.ts';
import type { PlanPreferences } from '../../models/routing/candidate.ts';
import type { Planned, Understood } from '../request.ts';
import { type CanaryDraw, drawCanary, withCanary } from './canary.ts';
import { candidates, type Usable } from './candidates.ts';
import { rankUsable } from './choose-model.ts';
import { withFallbacks } from './fallbacks.ts';
import { type Choice, type PlanPorts, planAmong } from './plan-among.ts';
import { forbiddenBy, weightsDraw, withDrawnCredential, withPolicy } from './policies.ts';
import { preferencesOf, refusedPreference } from './preferences.ts';

/** A single host is not ranked. */
export function resolve(understood: Understood, ports: PlanPorts): Planned {
  const asked = preferencesOf(understood);
  if (asked !== undefined) {
    Object.assign(understood, { preferences: asked });
    requireHosts(asked, ports.directory, understood.strict);
  }
  const { usable, excluded, isPlain } = candidates(understood, ports.directory, asked, ports.policies);
  const [{ model, targets, policy }] = usable as readonly [Usable];
  if (isPlain && model.targets.length === 1 && targets.length === 1 && policy === undefined)
    return Object.assign(understood, { model, plan: targets });
  const preferences = asked ?? NO_PREFERENCES;
  if (usable.some((one) => one.policy?.strict === true)) Object.assign(understood, { strict: true });
  const { ranked, by } = rankUsable(understood, usable, preferences);
  const ordering = ranked[0]!.policy;
  const groups = groupsOf(ranked, preferences);
  const planPreferences = planPreferencesOf(preferences);
  const canary =
    ordering?.said.canary && drawCanary(understood, ranked[0]!.model.id, ordering.said.canary, planPreferences, ports);
  const drawn = ordering?.said.sticky && { weights: weightsDraw(understood, ordering, 'weights', ports) };
  const wanted = withPolicy(planPreferences, preferences, ordering, { ...drawn, isCanary: canary?.isChosen });
  const choice = planAmong(understood, ranked[0]!.model, groups, wanted, ports);
  const [first] = choice.plan;
  const lead = ranked.find((one) => first !== undefined && one.targets.includes(first));
  if (lead === undefined) {
    const shut = excluded.filter((one) => one.policy !== undefined);
    if (shut.length > 0) throw forbiddenBy(shut, ranked[0]!.model.id);
    throw emptyPlan(preferences, choice.leftOut ?? [], ranked[0]!.model.id);
  }
  if (ordering !== undefined)
    return Object.assign(
      understood,
      underPolicy(
        understood,
        ordering,
        { model: lead.model, excluded, choice, by, planPreferences, wanted, canary },
        ports,
      ),
    );
  return Object.assign(understood, {
    model: lead.model,
    ...choice,
    ...(by !== undefined && choice.decidedBy !== undefined && { decidedBy: { ...choice.decidedBy, models: by } }),
    leftOut: [...excluded, ...(choice.leftOut ?? [])],
  });
}

const NO_PREFERENCES: RoutingPreferences = {};

type MainPlan = {
  readonly model: DirectoryEntry;
  readonly excluded: readonly LeftOut[];
  readonly choice: Choice;
  readonly by: DecidedBy['models'] | undefined;
  readonly planPreferences: PlanPreferences;
  readonly wanted: PlanPreferences;
  readonly canary: CanaryDraw | undefined;
};

/** The plan with what the operator adds to it: credentials by share, a canary, fallbacks, timeouts, and who decided. */
function underPolicy(
  understood: Understood,
  policy: ResolvedPolicy,
  { model, excluded, choice, by, planPreferences, wanted, canary }: MainPlan,
  ports: PlanPorts,
): Omit<Planned, keyof Understood> {
  const { timeouts } = policy.said;
  const isDrawn = wanted.weights !== undefined && policy.weights !== undefined;
  const draw = (): number => weightsDraw(understood, policy, 'credential', ports) ?? ports.random('credential');
  const plan = isDrawn ? withDrawnCredential(choice.plan, policy.weights!, draw) : choice.plan;
  const own = { ...choice, plan, leftOut: [...excluded, ...(choice.leftOut ?? [])] };
  const { canary: decided, ...main } =
    canary === undefined
      ? { ...own, canary: undefined }
      : withCanary(understood, policy, canary, own, planPreferences, ports);
  return {
    model,
    ...withFallbacks(understood, policy, main, planPreferences, ports),
    decidedBy: {
      hosts: choice.decidedBy?.hosts ?? 'default',
      ...(by !== undefined && { models: by }),
      policies: policy.decisions,
      ...(decided !== undefined && { canary: decided }),
    },
    ...(timeouts !== undefined && { timeouts: timeouts.value }),
  };
}

export function requireHosts(
  { providers, fallback, only, order }: RoutingPreferences,
  { hosts }: Directory,
  strict: boolean,
): void {
  // Lists written for another router may name hosts that are not configured here: only strict requests are refused for
  // it.
  const must = strict ? [...(only?.names ?? []), ...(order?.names ?? [])] : [];
  for (const { name, field } of [...(providers?.names ?? []), ...must])
    if (!hosts.has(hostIdOf(name)))
      throw refusedPreference(field, `names a host that is not known here: ${name.slice(0, 64)}`);
  if (fallback === undefined || fallback.name === 'true' || fallback.name === 'false') return;
  const { name, field } = fallback;
  if (!hosts.has(hostIdOf(name))) throw refusedPreference(field, 'must be true, false or a host that is known here');
  if (providers !== undefined && !providers.names.some((one) => hostIdOf(one.name) === hostIdOf(name)))
    throw refusedPreference(field, `names a host that is not in ${providers.field}`);
}

const idsIn = (list: NamedList | undefined): readonly string[] | undefined =>
  list?.names.map(({ name }) => hostIdOf(name));

export function planPreferencesOf(preferences: RoutingPreferences): PlanPreferences {
  const { strategy, factor, fallback } = preferences;
  const first = idsIn(preferences.order);
  const only = idsIn(preferences.only);
  const ordered = preferences.onlyOrdered === true ? first : undefined;
  return {
    strategy,
    factor,
    providers: idsIn(preferences.providers),
    // The words `true` and `false` are in lower case, too.
    fallback: fallback === undefined ? undefined : hostIdOf(fallback.name),
    first,
    only: only === undefined ? ordered : only.filter((host) => ordered?.includes(host) ?? true),
    ignore: idsIn(preferences.ignore),
    maxPrice: preferences.maxPrice,
    noTraining: preferences.noTraining !== undefined,
    retentionDays: preferences.zeroRetention === undefined ? undefined : 0,
    regions: preferences.regions?.names.map(({ name }) => name.toLowerCase()),
  };
}

/** The preference that left no host; a privacy preference is named before others, because it must not be dropped. */
export function emptyPlan(
  preferences: RoutingPreferences,
  leftOut: readonly Pick<LeftOut, 'why'>[],
  model: string,
): GatewayError {
  const reasons: readonly (readonly [why: LeftOut['why'], field: string | undefined, problem: string])[] = [
    [
      'may-train',
      preferences.noTraining,
      `leaves no provider: none of '${model}' is marked as not training on data. Set providers.<id>.trains: false`,
    ],
    [
      'may-retain',
      preferences.zeroRetention,
      `leaves no provider: none of '${model}' is marked as keeping no data. Set providers.<id>.retentionDays: 0`,
    ],
    [
      'other-region',
      preferences.regions?.field,
      `leaves no provider: none of '${model}' is marked as working there. Set providers.<id>.region`,
    ],
    [
      'too-dear',
      preferences.maxPrice?.field,
      `is below the price of every provider of '${model}', or their price is not known`,
    ],
    ['ignored', preferences.ignore?.field, `leaves no provider that serves '${model}'`],
  ];
  const found = reasons.find(([why]) => leftOut.some((one) => one.why === why));
  if (found !== undefined) return refusedPreference(found[1] ?? 'model', found[2]);
  const { providers, only, order } = preferences;
  return refusedPreference((providers ?? only ?? order)?.field ?? 'model', `names no host that serves '${model}'`);
}

/** One group per model; but if a factor decides and no model is preferred, all hosts form one group. */
function groupsOf(
  usable: readonly Usable[],
  { factor, preference }: RoutingPreferences,
): readonly (readonly Target[])[] {
  const groups = usable.map(({ targets }) => targets);
  return factor !== undefined && preference === undefined ? [groups.flat()] : groups;
}
