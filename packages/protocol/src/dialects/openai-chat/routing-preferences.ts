/**
 * `provider`, `models` and `model_routing_config` of a checked chat request → routing preferences, each with its path.
 */
import type { Static } from 'typebox';
import { isJsonObject } from '../../canonical/json.ts';
import type { PathLosses } from '../../canonical/loss.ts';
import type { NamedList, RoutingPreferences } from '../../canonical/routing-preferences.ts';
import { isGiven } from '../checking.ts';
import { hostPreferences, loseHostPreferences, namedList } from '../host-preferences.ts';
import { type ChatCallWire, RoutingPreference } from './wire.ts';

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

const KNOWN: ReadonlySet<string> = new Set(Object.keys(RoutingPreference.properties));

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
