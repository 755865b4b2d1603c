/**
 * Nested members of a request (in messages, parts, tools) that a codec does not read. The verbatim lane forwards them;
 * a rebuilt request drops them and reports each by its path without indexes.
 */
import { isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';
import type { Loss } from '../canonical/loss.ts';
import { isGiven } from './checking.ts';

/** Maximum number of distinct paths listed per request. */
const MAX_UNREAD = 64;
/** Members with other names are reported by the path of their parent. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

export type Names = ReadonlySet<string>;

/** The members a schema knows, and others that are known to have no effect. */
export const namesIn = (
  schema: { readonly properties: Readonly<Record<string, unknown>> },
  ...others: readonly string[]
): Names => new Set([...Object.keys(schema.properties), ...others]);

/** The same for schemas that a tag discriminates. */
export const namesByTag = (
  schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, unknown>> }>>,
  ...others: readonly string[]
): ReadonlyMap<string, Names> =>
  new Map(Object.entries(schemas).map(([tag, schema]) => [tag, namesIn(schema, ...others)]));

export class UnreadMembers {
  readonly #paths = new Set<string>();

  /** Null counts as absent. */
  look(value: Json | undefined, known: Names | undefined, path: string): void {
    if (known === undefined || !isJsonObject(value)) return;
    for (const name in value) if (!known.has(name) && isGiven(value[name])) this.#add(name, path);
  }

  /** Checks the members of one member. */
  lookIn(object: JsonObject, name: string, known: Names, path: string): void {
    this.look(object[name], known, `${path}.${name}`);
  }

  #add(name: string, path: string): void {
    if (this.#paths.size < MAX_UNREAD) this.#paths.add(PLAIN_NAME.test(name) ? `${path}.${name}` : path);
  }

  get losses(): readonly Loss[] {
    return [...this.#paths].map((path) => ({ path, why: 'no-equivalent' }));
  }
}

export const objectsIn = (list: Json | undefined): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isJsonObject) : [];
