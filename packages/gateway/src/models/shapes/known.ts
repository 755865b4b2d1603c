/** What is known of the shape of an answer: members, types and words of the format, never content. */

/** Letters of JSON types: `s`tring, `n`umber, `b`oolean, `z` for null, `o`bject, `a`rray. */
export type TypeLetter = 's' | 'n' | 'b' | 'z' | 'o' | 'a';

export type Known = {
  /** The letters that may stand here. */
  readonly t: string;
  readonly m?: Readonly<Record<string, Known>>;
  /** Members that are always there. */
  readonly r?: readonly string[];
  /** Items of an array. */
  readonly i?: Known;
  /** Objects whose member `type` says which members they have. */
  readonly v?: Readonly<Record<string, Known>>;
  /** The only words that a string may be. */
  readonly w?: readonly string[];
  /** Content of a caller, a model or a tool: neither looked at nor shown. */
  readonly x?: 1;
};

export type KnownShapes = {
  /** By what was asked: `answer`, `event`, `error`, `count`. */
  readonly roots: Readonly<Record<string, Known>>;
  /** Pairs of neighbours in a stream, as `one>next`; the ends are `^` and `$`. */
  readonly order: readonly string[];
};

export const letterOf = (value: unknown): TypeLetter => {
  if (value === null) return 'z';
  if (Array.isArray(value)) return 'a';
  switch (typeof value) {
    case 'string':
      return 's';
    case 'number':
      return 'n';
    case 'boolean':
      return 'b';
    default:
      return 'o';
  }
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  s: 'string',
  n: 'number',
  b: 'boolean',
  z: 'null',
  o: 'object',
  a: 'array',
};

export const typeNames = (letters: string): string => [...letters].map((letter) => TYPE_NAMES[letter]).join(' or ');

/** Of an event that its name alone tells apart from others, and of one that says in itself what it is. */
export const knownEvent = (shapes: KnownShapes, event: string | undefined, data: unknown): Known | undefined => {
  const isNamed = event !== undefined && typeof data === 'object' && data !== null && !('type' in data);
  return shapes.roots[isNamed ? `event ${event}` : 'event'];
};
