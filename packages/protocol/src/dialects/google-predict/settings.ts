/** Members of a `:predict` request, read one by one: null counts as absent, and errors name the path. */
import { isJsonObject, type Json, type JsonObject } from '../../canonical/json.ts';
import { malformed } from '../checking.ts';

export class Members {
  readonly #object: JsonObject;
  readonly #path: string;
  readonly #read = new Set<string>();

  constructor(object: JsonObject, path: string) {
    this.#object = object;
    this.#path = path;
  }

  at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  take(name: string): Json | undefined {
    this.#read.add(name);
    return this.#object[name] ?? undefined;
  }

  text(name: string): string | undefined {
    return this.#typed(name, 'a text', (value) => typeof value === 'string');
  }

  flag(name: string): boolean | undefined {
    return this.#typed(name, 'true or false', (value) => typeof value === 'boolean');
  }

  number(name: string): number | undefined {
    return this.#typed(name, 'a number', (value) => typeof value === 'number');
  }

  integer(name: string, minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER): number | undefined {
    const range = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum} on` : `from ${minimum} to ${maximum}`;
    const wanted = minimum === Number.MIN_SAFE_INTEGER ? 'a whole number' : `a whole number ${range}`;
    return this.#typed(
      name,
      wanted,
      (value): value is number => Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
    );
  }

  word<W extends string>(name: string, words: readonly W[]): W | undefined {
    return this.#typed(name, `one of ${words.join(', ')}`, (value): value is W => words.some((word) => word === value));
  }

  object(name: string): JsonObject | undefined {
    return this.#typed(name, 'an object', isJsonObject);
  }

  /** Members that were not read. */
  rest(): JsonObject {
    return Object.fromEntries(
      Object.entries(this.#object).filter(([name, value]) => value !== null && !this.#read.has(name)),
    );
  }

  #typed<T extends Json>(name: string, wanted: string, isFine: (value: Json) => value is T): T | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (!isFine(value)) throw malformed(this.at(name), `must be ${wanted}`);
    return value;
  }
}
