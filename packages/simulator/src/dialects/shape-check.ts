// Validates parsed JSON against shapes and describes the problems neutrally; each vendor words them.
import { asRecord, asText, type JsonRecord } from '../json-value.ts';
import { imageTypeOf, isBase64 } from './judgement.ts';
import { type Shape, ShapeReader } from './shape-notation.ts';

export type Path = readonly (string | number)[];

export interface ShapeProblem {
  readonly path: Path;
  readonly kind: 'unknown' | 'missing' | 'type' | 'word' | 'low' | 'high' | 'short' | 'long' | 'pattern';
  /** A type name, the allowed values, the limit, or the pattern. */
  readonly expected: string;
  readonly found: unknown;
  /** All types that would do, if there are several. */
  readonly types?: readonly string[];
  /** The limit is one of whole numbers. */
  readonly isInteger?: boolean;
}

const TYPES = {
  text: 'string',
  chars: 'string',
  words: 'string',
  int: 'integer',
  num: 'number',
  flag: 'boolean',
  list: 'array',
  map: 'object',
  object: 'object',
  by: 'object',
} as const;
const DATA_URI = /^data:(image\/(?:png|jpeg));base64,(.+)$/u;

export const quoted = (words: Iterable<string>): string => Array.from(words, (word) => `'${word}'`).join(', ');

/** A whole number is of two types. */
export function typesOf(found: unknown): readonly string[] {
  if (found === null) return ['null'];
  if (Array.isArray(found)) return ['array'];
  return Number.isInteger(found) ? ['number', 'integer'] : [typeof found];
}

export class Shapes {
  readonly #shapes: ReadonlyMap<string, Shape>;

  constructor(source: string) {
    this.#shapes = new ShapeReader(source).shapes;
  }

  /** The names of an object's members, or the words that tell its shapes apart. */
  names(name: string): readonly string[] {
    const shape = this.#named(name);
    if (shape.kind === 'by') return [...shape.shapes.keys()];
    return shape.kind === 'object' ? shape.members.map(([member]) => member) : [];
  }

  /** The problem that most vendors report. */
  first(name: string, found: unknown, ignoreUnknown = false): ShapeProblem | undefined {
    return this.all(name, found, [], ignoreUnknown)[0];
  }

  all(name: string, found: unknown, path: Path, ignoreUnknown: boolean): readonly ShapeProblem[] {
    const problems: ShapeProblem[] = [];
    this.#check(this.#named(name), found, path, [], problems);
    return ignoreUnknown ? problems.filter(({ kind }) => kind !== 'unknown') : problems;
  }

  #named(name: string): Shape {
    const shape = this.#shapes.get(name);
    if (shape === undefined) throw new ReferenceError(`there is no shape "${name}"`);
    return shape;
  }

  /** The type of JSON that a shape describes; undefined if it takes several. */
  #typeOf(shape: Shape): string | undefined {
    if (shape.kind === 'named') return this.#typeOf(this.#named(shape.name));
    return shape.kind in TYPES ? TYPES[shape.kind as keyof typeof TYPES] : undefined;
  }

  /** `tags` are members that distinguish shapes: they belong to the object, too. */
  #check(shape: Shape, found: unknown, path: Path, tags: readonly string[], problems: ShapeProblem[]): void {
    const report = (kind: ShapeProblem['kind'], expected: string, more: Partial<ShapeProblem> = {}): void => {
      problems.push({ path, kind, expected, found, ...more });
    };
    const type = this.#typeOf(shape);
    if (shape.kind === 'named') {
      this.#check(this.#named(shape.name), found, path, tags, problems);
    } else if (shape.kind === 'one-of') {
      const others = shape.shapes.filter(({ kind }) => kind !== 'null');
      const types = others.map((one) => this.#typeOf(one) ?? 'any');
      const fitting = types.findIndex((one) => one === 'any' || typesOf(found).includes(one));
      const chosen = others[others.length === 1 ? 0 : fitting];
      if (found === null && others.length < shape.shapes.length) return;
      if (chosen === undefined) report('type', types.at(-1) ?? '', { types });
      else this.#check(chosen, found, path, tags, problems);
    } else if (shape.kind === 'words') {
      if (!shape.words.some((word) => word === found)) report('word', quoted(shape.words));
    } else if (shape.kind === 'imageUri') {
      const [, declared, bytes = ''] = DATA_URI.exec(asText(found)) ?? [];
      if (!isBase64(bytes) || imageTypeOf(bytes) !== declared) report('pattern', 'data:image/…;base64,…');
    } else if (shape.kind === 'imageBytes') {
      if (!isBase64(asText(found)) || imageTypeOf(asText(found)) === undefined) report('pattern', 'base64');
    } else if (
      type !== undefined &&
      !typesOf(found).includes(type) &&
      !(type === 'integer' && typeof found === 'number')
    ) {
      report('type', type);
    } else if (shape.kind === 'by' || shape.kind === 'object') {
      this.#checkObject(shape, asRecord(found), path, tags, problems);
    } else if (shape.kind !== 'any' && shape.kind !== 'null') {
      const { min = -Infinity, max = Infinity, isAbove = false } = shape;
      const isInteger = shape.kind === 'int';
      const [low, high] = typeof found === 'number' ? (['low', 'high'] as const) : (['short', 'long'] as const);
      if (isInteger && !Number.isInteger(found)) report('type', 'integer');
      const size = sizeOf(shape.kind === 'chars' ? Array.from(asText(found)) : found);
      if (isAbove ? size <= min : size < min) report(low, String(min), { isInteger });
      if (size > max) report(high, String(max), { isInteger });
      if ('pattern' in shape && shape.pattern?.test(asText(found)) === false)
        report('pattern', shape.pattern.source.replaceAll('\\/', '/'));
      if (!('item' in shape)) return;
      const items = Array.isArray(found) ? found.entries() : Object.entries(asRecord(found));
      for (const [at, one] of items) this.#check(shape.item, one, [...path, at], [], problems);
    }
  }

  #checkObject(
    shape: Extract<Shape, { kind: 'by' | 'object' }>,
    found: JsonRecord,
    path: Path,
    tags: readonly string[],
    problems: ShapeProblem[],
  ): void {
    const report = (kind: ShapeProblem['kind'], name: string, expected: string, value = found[name]): void => {
      problems.push({ path: [...path, name], kind, expected, found: value });
    };
    if (shape.kind === 'by') {
      const { tag, shapes } = shape;
      const value = found[tag] ?? shape.fallback;
      const chosen = typeof value === 'string' ? shapes.get(value) : undefined;
      const here = shape.isInPath ? [...path, String(value)] : path;
      if (chosen !== undefined) this.#check(chosen, found, here, [...tags, tag], problems);
      else if (value === undefined) report('missing', tag, tag);
      else report('word', tag, quoted(shapes.keys()), value);
      return;
    }
    const missing = shape.members.find(([name, , isOptional]) => !isOptional && found[name] === undefined)?.[0];
    if (missing !== undefined) report('missing', missing, missing);
    for (const [name, member] of shape.members)
      if (found[name] !== undefined) this.#check(member, found[name], [...path, name], [], problems);
    const known = new Set([...tags, ...shape.members.map(([name]) => name)]);
    const unknown = shape.isOpen ? undefined : Object.keys(found).find((name) => !known.has(name));
    if (unknown !== undefined) report('unknown', unknown, '');
  }
}

export function sizeOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' || Array.isArray(value) ? value.length : Object.keys(Object(value)).length;
}
