/** A plan for a request with wishes: every name in them is known here, or the request is refused naming its place. */
import { GatewayError, type Named, type RoutingWishes } from '@trivium/protocol/canonical';
import type { Observed } from '../routing/observed.ts';
import { planRoute } from '../routing/plan.ts';
import type { Clock, Directory, DirectoryEntry, Health, Target, WishTurns } from './ports.ts';
import { findModel, requireModel, unknownModel } from './require-model.ts';
import { grow, type LeftOut, type Planned, type Understood } from './stages.ts';
import { usableTargets } from './usable-targets.ts';
import { refusedWish } from './wishes.ts';

type Usable = { readonly model: DirectoryEntry; readonly targets: readonly Target[] };

export type PlanPorts = {
  readonly directory: Directory;
  readonly turns: WishTurns;
  readonly health: Health;
  readonly clock: Clock;
};

export function planByWishes(
  understood: Understood,
  wishes: RoutingWishes,
  { directory, turns, health, clock }: PlanPorts,
): Planned {
  const providers = wishes.providers?.names.map(({ name }) => name);
  requireHosts(wishes, directory, providers);
  const leftOut: LeftOut[] = [];
  const usable = usableModels(understood, wishes, directory, leftOut);
  const groups = groupsOf(usable, wishes);
  const turn =
    wishes.strategy === 'round_robin'
      ? turns.next(`${usable.map(({ model }) => model.id).join()} ${providers?.join() ?? ''}`)
      : 0;
  const { strategy, factor, fallback } = wishes;
  const nowMs = clock.monotonicMs();
  const observedOf = ({ routeKey }: Target): Observed => health.observed(routeKey, nowMs);
  const plan = planRoute(groups, { strategy, factor, providers, fallback: fallback?.name }, turn, observedOf);
  const [first] = plan.order;
  const lead = usable.find(({ targets }) => first !== undefined && targets.includes(first));
  if (lead === undefined)
    throw refusedWish(wishes.providers?.field ?? 'model', `names no host that serves '${usable[0]?.model.id}'`);
  for (const { candidate, why } of plan.leftOut)
    leftOut.push({ provider: candidate.provider, modelId: candidate.modelId, why });
  return grow(understood, { model: lead.model, plan: plan.order, leftOut });
}

function requireHosts(
  { providers, fallback }: RoutingWishes,
  { hosts }: Directory,
  names: readonly string[] | undefined,
): void {
  for (const { name, field } of providers?.names ?? [])
    if (!hosts.has(name)) throw refusedWish(field, `names a host that is not known here: ${name.slice(0, 64)}`);
  if (fallback === undefined || fallback.name === 'true' || fallback.name === 'false') return;
  const { name, field } = fallback;
  if (!hosts.has(name)) throw refusedWish(field, 'must be true, false or a host that is known here');
  if (names !== undefined && !names.includes(name))
    throw refusedWish(field, `names a host that is not in ${providers?.field}`);
}

/** The models asked for, the preferred one first, less those that cannot do it. Never empty. */
function usableModels(
  understood: Understood,
  wishes: RoutingWishes,
  directory: Directory,
  leftOut: LeftOut[],
): readonly Usable[] {
  const { caller, understanding } = understood;
  const asked = requested(understanding.model, wishes, directory);
  const usable: Usable[] = [];
  const seen = new Set<Target>();
  let refusal: GatewayError | undefined;
  for (const { name } of asked) {
    try {
      const model = requireModel(name, caller, directory);
      const targets = usableTargets(understood, model);
      for (const { provider, modelId } of model.targets.filter((target) => !targets.includes(target)))
        leftOut.push({ provider, modelId, why: 'unsupported' });
      const fresh = targets.filter((target) => !seen.has(target));
      for (const target of fresh) seen.add(target);
      if (fresh.length > 0) usable.push({ model, targets: fresh });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal ??= error;
      for (const { provider, modelId } of findModel(name, directory)?.targets ?? [])
        leftOut.push({ provider, modelId, why: error.fault.kind });
    }
  }
  if (usable.length === 0 && refusal !== undefined) throw refusal;
  return usable;
}

function requested(model: string, { models, preference }: RoutingWishes, directory: Directory): readonly Named[] {
  if (findModel(model, directory) === undefined) throw unknownModel(model, directory);
  const own: Named = { name: model, field: 'model' };
  for (const { name, field } of [...(models?.names ?? []), ...(preference === undefined ? [] : [preference])])
    if (findModel(name, directory) === undefined)
      throw refusedWish(field, `names a model that does not exist here: ${name.slice(0, 128)}`);
  if (models === undefined) return preference === undefined ? [own] : [preference, own];
  const isListed = ({ name }: Named): boolean => models.names.some((listed) => listed.name === name);
  if (preference !== undefined && !isListed(preference))
    throw refusedWish(preference.field, `is not in ${models.field}`);
  const lead = preference ?? own;
  return isListed(lead) ? [lead, ...models.names] : models.names;
}

/** Model by model; but where a factor decides and no model is preferred, it decides among them all. */
function groupsOf(usable: readonly Usable[], { factor, preference }: RoutingWishes): readonly (readonly Target[])[] {
  const groups = usable.map(({ targets }) => targets);
  return factor !== undefined && preference === undefined ? [groups.flat()] : groups;
}
