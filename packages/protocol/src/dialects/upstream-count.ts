/** What the counting paths of hosts have in common. */
import type { Json, JsonObject } from '../canonical/json.ts';

/** Those of a call's members that a counting path takes. */
export const onlyMembers = (body: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));

/** A number of tokens as a host sends it; undefined for what cannot be one. */
export const countIn = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
