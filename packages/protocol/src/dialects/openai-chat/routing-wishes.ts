/** `provider` and `model_routing_config` of a checked chat request → wishes, each with the place it was found at. */
import type { Static } from 'typebox';
import type { NamedList, RoutingWishes } from '../../canonical/routing-wishes.ts';
import type { ModelRoutingWish, RoutingWish } from './wire.ts';

export type CheckedRouting = { readonly wish: Static<typeof RoutingWish>; readonly field: string };

const listOf = (names: readonly string[] | null | undefined, field: string): NamedList | undefined =>
  names && names.length > 0
    ? { field, names: names.map((name, position) => ({ name, field: `${field}[${position}]` })) }
    : undefined;

/** Undefined for most requests, and then nothing was made. */
export function routingWishes(
  routing: CheckedRouting | undefined,
  models: Static<typeof ModelRoutingWish> | null | undefined,
): RoutingWishes | undefined {
  if (routing === undefined && !models) return undefined;
  const { type, primary_factor, providers, fallback } = routing?.wish ?? {};
  const hosts = listOf(providers, `${routing?.field}.providers`);
  const list = listOf(models?.available_models, 'model_routing_config.available_models');
  const preference = models?.preference;
  const { task_type, complexity } = models?.task_info ?? {};
  const wishes: RoutingWishes = {
    ...(type && { strategy: type }),
    ...(primary_factor && { factor: primary_factor }),
    ...(hosts && { providers: hosts }),
    // Both forms of yes and no are read as the text.
    ...(fallback !== undefined &&
      fallback !== null && { fallback: { name: String(fallback), field: `${routing?.field}.fallback` } }),
    ...(list && { models: list }),
    ...(preference && { preference: { name: preference, field: 'model_routing_config.preference' } }),
    ...(task_type && { taskType: task_type }),
    ...(complexity && { complexity }),
  };
  return Object.keys(wishes).length > 0 ? wishes : undefined;
}
