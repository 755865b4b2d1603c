/**
 * Encodes names and ids outside a target's alphabet so that they can be decoded without stored state: a character
 * outside `[A-Za-z0-9_-]` becomes `_x<hex>_`, and text that already looks like that is escaped too.
 */
const UNSAFE = /[^A-Za-z0-9_-]|_(?=x[0-9a-f]+[^A-Za-z0-9-])/gu;
const ESCAPED = /_x([0-9a-f]+)_/g;

export const escapeName = (name: string): string =>
  name.replace(UNSAFE, (character) => `_x${(character.codePointAt(0) ?? 0).toString(16)}_`);

const LAST_CODE_POINT = 0x10ffff;

export const unescapeName = (name: string): string =>
  name.includes('_x')
    ? name.replace(ESCAPED, (whole, hex: string) => {
        const code = Number.parseInt(hex, 16);
        return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
      })
    : name;

/**
 * Ids within a maximum length, one to one within a request: kept if they fit, escaped if that fits, else replaced by a
 * digest. Calls and their results use the same instance, so they keep matching.
 */
export class SafeIds {
  readonly #maxLength: number;
  readonly #byId = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #called = new Set<string>();
  /**
   * How often an id was replaced. The next replacement continues from there: a caller may use one id ten thousand
   * times.
   */
  readonly #bumps = new Map<string, number>();

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** For a call: a duplicate id is replaced, and later results refer to the later call. */
  call(id: string): string {
    if (this.#called.has(id)) this.#byId.delete(id);
    this.#called.add(id);
    return this.of(id);
  }

  of(id: string): string {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const escaped = escapeName(id);
    let safe = escaped.length > 0 && escaped.length <= this.#maxLength ? escaped : `id_${digest(id)}`;
    let bump = this.#bumps.get(id) ?? 0;
    while (this.#taken.has(safe)) safe = `id_${digest(`${id}#${++bump}`)}`;
    if (bump > 0) this.#bumps.set(id, bump);
    this.#byId.set(id, safe);
    this.#taken.add(safe);
    return safe;
  }
}

/** FNV-1a in 64 bits: distributes well, and is not used for security. */
export function digest(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new Uint16Array(Array.from(text, (_, at) => text.charCodeAt(at)))) {
    hash ^= BigInt(byte);
    hash = BigInt.asUintN(64, hash * 0x100000001b3n);
  }
  return hash.toString(36);
}
