/** Shared by the token-count paths of all hosts. */
import type { Json, JsonObject } from '../canonical/json.ts';

/** The members of a call that a token-count path accepts. */
export const onlyMembers = (body: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));

/** A host's token count; undefined if the value is not a valid count. */
export const countIn = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
