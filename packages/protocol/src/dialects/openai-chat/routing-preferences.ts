/**
 * `provider`, `models` and `model_routing_config` of a checked chat request → routing preferences, each with its path.
 */
import type { Static } from 'typebox';
import { isJsonObject } from '../../canonical/json.ts';
import type { PathLosses } from '../../canonical/loss.ts';
import type { MaxPrice, NamedList, RoutingPreferences } from '../../canonical/routing-preferences.ts';
import { isGiven } from '../checking.ts';
import { type Names, namesAt, namesIn } from '../unread-members.ts';
import { type ChatCallWire, type hostPreferenceMembers, RoutingPreference, type SORTS } from './wire.ts';

export type CheckedRouting = {
  readonly preference: Static<typeof RoutingPreference>;
  readonly placeOf: (member: string) => string;
};

/** Undefined for most requests, without any allocation. */
export function routingPreferences(
  routing: CheckedRouting | undefined,
  wire: ChatCallWire,
): RoutingPreferences | undefined {
  const { model_routing_config: config } = wire;
  const fallbacks = fallbackModels(wire);
  if (routing === undefined && !config && fallbacks === undefined) return undefined;
  const list = namedList(config?.available_models, 'model_routing_config.available_models') ?? fallbacks;
  const preference = config?.preference;
  const { task_type, complexity } = config?.task_info ?? {};
  const preferences: RoutingPreferences = {
    ...(routing !== undefined && routingOfProvider(routing)),
    ...(list && { models: list }),
    // A caller who lists fallback models wants the next one after any failure.
    ...(fallbacks !== undefined && list === fallbacks && { onRefusal: 'next' }),
    ...(preference && { preference: { name: preference, field: 'model_routing_config.preference' } }),
    ...(task_type && { taskType: task_type }),
    ...(complexity && { complexity }),
  };
  return Object.keys(preferences).length > 0 ? preferences : undefined;
}

function routingOfProvider({ preference, placeOf }: CheckedRouting): RoutingPreferences {
  const { type, primary_factor, providers, fallback } = preference;
  const hosts = namedList(providers, placeOf('providers'));
  return {
    ...hostPreferences(preference, placeOf),
    ...(type && { strategy: type }),
    ...(primary_factor && { factor: primary_factor }),
    ...(hosts && { providers: hosts }),
    // Booleans and their strings are read alike.
    ...(isGiven(fallback) && { fallback: { name: String(fallback), field: placeOf('fallback') } }),
  };
}

/** `model` first, then those listed. */
function fallbackModels({ model, models }: ChatCallWire): NamedList | undefined {
  const list = namedList(models, 'models');
  if (list === undefined || list.names.some(({ name }) => name === model)) return list;
  return { ...list, names: [{ name: model, field: 'model' }, ...list.names] };
}

const KNOWN = namesIn(RoutingPreference);

/** Reports the parts of `provider` and `models` that the gateway does not carry out. */
export function loseRouting(
  routing: CheckedRouting | undefined,
  { provider, models, model_routing_config }: ChatCallWire,
  losses: PathLosses,
): void {
  if (isGiven(models) && (model_routing_config?.available_models?.length ?? 0) > 0)
    losses.add('models', 'not-forwarded');
  if (routing === undefined || !isJsonObject(provider)) return;
  loseHostPreferences(routing.preference, routing.placeOf, losses);
  const { routing: nested, ...flat } = provider;
  for (const [place, preference] of [
    ['provider.routing', nested],
    ['provider', flat],
  ] as const)
    if (isJsonObject(preference))
      for (const name in preference)
        if (!KNOWN.has(name) && name !== 'routing' && isGiven(preference[name])) losses.add(`${place}.${name}`);
}

// Members of `provider` in the form other routers use: the routing preferences they become, and losses for members
// without an equivalent here. Privacy preferences are never losses: they are honoured, or the request is refused.

export type HostPreference = Pick<CheckedRouting['preference'], keyof typeof hostPreferenceMembers>;

/** `placeOf`: the path of a member in the caller's request. */
type PlaceOf = (member: string) => string;

const namedList = (list: readonly string[] | null | undefined, field: string): NamedList | undefined =>
  list && list.length > 0
    ? { field, names: list.map((name, position) => ({ name, field: `${field}[${position}]` })) }
    : undefined;

export function hostPreferences(preference: HostPreference, placeOf: PlaceOf): RoutingPreferences {
  const order = namedList(preference.order, placeOf('order'));
  const only = namedList(preference.only, placeOf('only'));
  const ignore = namedList(preference.ignore, placeOf('ignore'));
  const maxPrice = maxPriceOf(preference, placeOf('max_price'));
  const isAlone = preference.allow_fallbacks === false;
  const sort = sortOf(preference);
  return {
    ...(sort !== undefined && { factor: sort === 'price' ? 'cost' : 'speed' }),
    ...(only !== undefined && { only }),
    ...(ignore !== undefined && { ignore }),
    ...(order !== undefined && { order }),
    // Without fallbacks, an order is exclusive; without an order, only the first host is tried.
    ...(isAlone && order !== undefined && { onlyOrdered: true }),
    ...(isAlone && order === undefined && { fallback: { name: 'false', field: placeOf('allow_fallbacks') } }),
    ...(maxPrice !== undefined && { maxPrice }),
    ...(preference.data_collection === 'deny' && { noTraining: placeOf('data_collection') }),
    ...(preference.zdr === true && { zeroRetention: placeOf('zdr') }),
    ...(preference.require_parameters === true && { requireParameters: true }),
  };
}

const sortOf = ({ sort }: HostPreference): (typeof SORTS)[number] | undefined =>
  (typeof sort === 'string' ? sort : sort?.by) ?? undefined;

function maxPriceOf({ max_price }: HostPreference, field: string): MaxPrice | undefined {
  if (!isGiven(max_price?.prompt) && !isGiven(max_price?.completion)) return undefined;
  return {
    field,
    ...(isGiven(max_price?.prompt) && { promptUsdPerMillion: Number(max_price?.prompt) }),
    ...(isGiven(max_price?.completion) && { completionUsdPerMillion: Number(max_price?.completion) }),
  };
}

const SORT_MEMBERS = namesAt(RoutingPreference, 'sort');
const PRICE_MEMBERS = namesAt(RoutingPreference, 'max_price');

export function loseHostPreferences(preference: HostPreference, placeOf: PlaceOf, losses: PathLosses): void {
  // The catalogue does not record these facts about hosts: quantization and tokens per second.
  if (isGiven(preference.quantizations) && preference.quantizations?.length !== 0) losses.add(placeOf('quantizations'));
  if (sortOf(preference) === 'throughput') losses.add(placeOf('sort'), 'approximated');
  for (const name of othersIn(preference.sort, SORT_MEMBERS)) losses.add(`${placeOf('sort')}.${name}`);
  for (const name of othersIn(preference.max_price, PRICE_MEMBERS)) losses.add(`${placeOf('max_price')}.${name}`);
}

const othersIn = (value: unknown, known: Names): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, member]) => (known.has(name) || !isGiven(member) ? [] : [name]))
    : [];
