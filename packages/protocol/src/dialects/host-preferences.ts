/**
 * Members of `provider` in the form other routers use: their schema, the routing preferences they become, and losses
 * for members without an equivalent here. Privacy preferences are never losses: they are honoured, or the request is
 * refused.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { isJsonObject, type JsonObject, objectAt } from '../canonical/json.ts';
import type { PathLosses } from '../canonical/loss.ts';
import {
  MAX_PREFERRED_NAMES,
  type MaxPrice,
  type NamedList,
  type RoutingPreferences,
} from '../canonical/routing-preferences.ts';
import { isGiven, unsupported } from './checking.ts';

const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const names = Maybe(Type.Array(Type.String(), { maxItems: MAX_PREFERRED_NAMES }));
const SORTS = ['price', 'throughput', 'latency'] as const;
/** USD per million tokens; some callers send prices as strings. */
const price = Maybe(
  Type.Union([Type.Number({ minimum: 0 }), Type.String({ pattern: '^[0-9]{1,9}(\\.[0-9]{1,12})?$' })]),
);

export const hostPreferenceMembers = {
  only: names,
  order: names,
  ignore: names,
  allow_fallbacks: Maybe(Type.Boolean()),
  sort: Maybe(Type.Union([Type.Enum([...SORTS]), Type.Object({ by: Maybe(Type.Enum([...SORTS])) })])),
  max_price: Maybe(Type.Object({ prompt: price, completion: price })),
  require_parameters: Maybe(Type.Boolean()),
  quantizations: names,
  data_collection: Maybe(Type.Enum(['allow', 'deny'])),
  zdr: Maybe(Type.Boolean()),
} as const;
const HostPreference = Type.Object(hostPreferenceMembers);
export type HostPreference = Static<typeof HostPreference>;

/** `placeOf`: the path of a member in the caller's request. */
type PlaceOf = (member: string) => string;

export const namedList = (list: readonly string[] | null | undefined, field: string): NamedList | undefined =>
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

/** For formats without `provider`: privacy preferences in it are refused rather than ignored. */
export function refuseUnreadPrivacy({ provider }: JsonObject): void {
  if (!isJsonObject(provider)) return;
  const places = { provider, 'provider.routing': objectAt(provider, 'routing') ?? {} };
  for (const [place, preference] of Object.entries(places))
    for (const [member, header] of PRIVACY_HEADERS)
      if (isGiven(preference[member]) && preference[member] !== false && preference[member] !== 'allow')
        throw unsupported(`${place}.${member}`, `is not read in this protocol; send the header ${header}`);
}

const PRIVACY_HEADERS = [
  ['zdr', 'x-trivium-zdr'],
  ['data_collection', 'x-trivium-data-collection'],
] as const;

const SORT_MEMBERS: readonly string[] = ['by'];
const PRICE_MEMBERS: readonly string[] = ['prompt', 'completion'];

export function loseHostPreferences(preference: HostPreference, placeOf: PlaceOf, losses: PathLosses): void {
  // The catalogue does not record these facts about hosts: quantization and tokens per second.
  if (isGiven(preference.quantizations) && preference.quantizations?.length !== 0) losses.add(placeOf('quantizations'));
  if (sortOf(preference) === 'throughput') losses.add(placeOf('sort'), 'approximated');
  for (const name of othersIn(preference.sort, SORT_MEMBERS)) losses.add(`${placeOf('sort')}.${name}`);
  for (const name of othersIn(preference.max_price, PRICE_MEMBERS)) losses.add(`${placeOf('max_price')}.${name}`);
}

const othersIn = (value: unknown, known: readonly string[]): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, member]) => (known.includes(name) || !isGiven(member) ? [] : [name]))
    : [];
