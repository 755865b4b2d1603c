/**
 * Nested members of a request (in messages, parts, tools) that a codec does not read. The verbatim lane forwards them;
 * a rebuilt request drops them and reports each by its path without indexes.
 */
import type { TSchema } from 'typebox';
import { isJsonObject, type Json, type JsonObject } from '../canonical/json.ts';
import type { Loss } from '../canonical/loss.ts';
import { isGiven } from './checking.ts';

/** Maximum number of distinct paths listed per request. */
const MAX_UNREAD = 64;
/** Members with other names are reported by the path of their parent. */
const PLAIN_NAME = /^[\w.-]{1,64}$/;

export type Names = ReadonlySet<string>;

/**
 * The members a schema knows, and others that are known to have no effect. The schema of a list stands for that of its
 * elements, and one that also allows null, text or a list for that of its object.
 */
export const namesIn = (schema: TSchema, ...others: readonly string[]): Names =>
  new Set([...Object.keys(propertiesOf(schema) ?? {}), ...others]);

/** The same for a nested object, by the dotted path of its members. */
export function namesAt(schema: TSchema, path: string, ...others: readonly string[]): Names {
  let at = schema;
  for (const step of path.split('.')) {
    const next = propertiesOf(at)?.[step];
    if (next === undefined) throw new Error(`no schema at ${path}`);
    at = next;
  }
  return namesIn(at, ...others);
}

/** The same for schemas that a tag discriminates. */
export const namesByTag = (
  schemas: Readonly<Record<string, TSchema>>,
  ...others: readonly string[]
): ReadonlyMap<string, Names> =>
  new Map(Object.entries(schemas).map(([tag, schema]) => [tag, namesIn(schema, ...others)]));

/** The same for members under the name of the tag, where there are any. */
export const namesInsideTag = (schemas: Readonly<Record<string, TSchema>>): ReadonlyMap<string, Names> =>
  new Map(
    Object.entries(schemas).flatMap(([tag, schema]) => {
      const inner = propertiesOf(schema)?.[tag];
      return inner === undefined || propertiesOf(inner) === undefined ? [] : [[tag, namesIn(inner)]];
    }),
  );

function propertiesOf(schema: TSchema): Readonly<Record<string, TSchema>> | undefined {
  const { properties, items, anyOf } = schema as {
    readonly properties?: Readonly<Record<string, TSchema>>;
    readonly items?: TSchema;
    readonly anyOf?: readonly TSchema[];
  };
  if (properties !== undefined || items === undefined)
    return properties ?? anyOf?.map(propertiesOf).find((found) => found !== undefined);
  return propertiesOf(items);
}

export class UnreadMembers {
  readonly #paths = new Set<string>();

  /** Null counts as absent. */
  look(value: Json | undefined, known: Names | undefined, path: string): void {
    if (known === undefined || !isJsonObject(value)) return;
    for (const name in value)
      if (!known.has(name) && isGiven(value[name]) && this.#paths.size < MAX_UNREAD)
        this.#paths.add(PLAIN_NAME.test(name) ? `${path}.${name}` : path);
  }

  /** Checks the members of one member. */
  lookIn(object: JsonObject, name: string, known: Names, path: string): void {
    this.look(object[name], known, `${path}.${name}`);
  }

  get losses(): readonly Loss[] {
    return [...this.#paths].map((path) => ({ path, why: 'no-equivalent' }));
  }
}

export const objectsIn = (list: Json | undefined): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isJsonObject) : [];
