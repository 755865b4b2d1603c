// Small combinators that validate the shape of parsed JSON and describe the first problem neutrally; each vendor words
// it.
import { isRecord } from '../json-value.ts';

export type Path = readonly (string | number)[];

export interface ShapeProblem {
  readonly path: Path;
  readonly kind: 'unknown' | 'missing' | 'type' | 'word' | 'low' | 'high' | 'short' | 'long' | 'pattern';
  /** A type name, the allowed values, the limit, or the pattern. */
  readonly expected: string;
  readonly found: unknown;
}

interface ShapeOptions {
  /** For servers that ignore unknown members. */
  readonly ignoreUnknown: boolean;
}

export type Shape = (value: unknown, path: Path, options: ShapeOptions) => ShapeProblem | undefined;

export const anything: Shape = () => undefined;

export function text(limits: { min?: number; max?: number; pattern?: RegExp } = {}): Shape {
  return (found, path) => {
    if (typeof found !== 'string') return { path, kind: 'type', expected: 'string', found };
    if (limits.min !== undefined && found.length < limits.min) {
      return { path, kind: 'short', expected: String(limits.min), found };
    }
    if (limits.max !== undefined && found.length > limits.max) {
      return { path, kind: 'long', expected: String(limits.max), found };
    }
    if (limits.pattern === undefined || limits.pattern.test(found)) return undefined;
    return { path, kind: 'pattern', expected: limits.pattern.source, found };
  };
}

export function word(...allowed: readonly string[]): Shape {
  return (found, path) =>
    allowed.some((one) => one === found)
      ? undefined
      : { path, kind: 'word', expected: allowed.map((one) => `'${one}'`).join(', '), found };
}

function numeric(type: 'integer' | 'number', limits: { min?: number; max?: number }): Shape {
  return (found, path) => {
    if (typeof found !== 'number' || (type === 'integer' && !Number.isInteger(found))) {
      return { path, kind: 'type', expected: type, found };
    }
    if (limits.min !== undefined && found < limits.min)
      return { path, kind: 'low', expected: String(limits.min), found };
    if (limits.max === undefined || found <= limits.max) return undefined;
    return { path, kind: 'high', expected: String(limits.max), found };
  };
}

export const integer = (limits: { min?: number; max?: number } = {}): Shape => numeric('integer', limits);
export const decimal = (limits: { min?: number; max?: number } = {}): Shape => numeric('number', limits);

export const flag: Shape = (found, path) =>
  typeof found === 'boolean' ? undefined : { path, kind: 'type', expected: 'boolean', found };

export function list(item: Shape, limits: { min?: number; max?: number } = {}): Shape {
  return (found, path, options) => {
    if (!Array.isArray(found)) return { path, kind: 'type', expected: 'array', found };
    if (limits.min !== undefined && found.length < limits.min) {
      return { path, kind: 'short', expected: String(limits.min), found };
    }
    if (limits.max !== undefined && found.length > limits.max) {
      return { path, kind: 'long', expected: String(limits.max), found };
    }
    for (const [at, one] of found.entries()) {
      const problem = item(one, [...path, at], options);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

export function mapOf(member: Shape): Shape {
  return (found, path, options) => {
    if (!isRecord(found)) return { path, kind: 'type', expected: 'object', found };
    for (const [name, one] of Object.entries(found)) {
      const problem = member(one, [...path, name], options);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

export function nullable(shape: Shape): Shape {
  return (found, path, options) => (found === null ? undefined : shape(found, path, options));
}

/** Text, or else the other shape: the most common union in requests. */
export function textOr(other: Shape): Shape {
  return (found, path, options) => (typeof found === 'string' ? undefined : other(found, path, options));
}

export type ShapeMembers = Readonly<Record<string, Shape>>;

export function object(required: ShapeMembers, optional: ShapeMembers = {}): Shape {
  return (found, path, options) => {
    if (!isRecord(found)) return { path, kind: 'type', expected: 'object', found };
    const unknown = Object.keys(found).find((name) => !Object.hasOwn(required, name) && !Object.hasOwn(optional, name));
    const missing = Object.keys(required).find((name) => found[name] === undefined);
    if (missing !== undefined)
      return { path: [...path, missing], kind: 'missing', expected: missing, found: undefined };
    for (const [name, shape] of [...Object.entries(required), ...Object.entries(optional)]) {
      if (found[name] === undefined) continue;
      const problem = shape(found[name], [...path, name], options);
      if (problem !== undefined) return problem;
    }
    if (unknown === undefined || options.ignoreUnknown) return undefined;
    return { path: [...path, unknown], kind: 'unknown', expected: '', found: found[unknown] };
  };
}

/** Members beyond the named ones are ignored. */
export function open(shape: Shape): Shape {
  return (found, path) => shape(found, path, { ignoreUnknown: true });
}

/**
 * One of several objects, distinguished by a member. `inPath` puts the tag's value into the path, as some vendors do.
 */
export function tagged(
  tag: string,
  shapes: ShapeMembers,
  settings: { inPath?: boolean; default?: string } = {},
): Shape {
  return (found, path, options) => {
    if (!isRecord(found)) return { path, kind: 'type', expected: 'object', found };
    const value = found[tag] ?? settings.default;
    if (value === undefined) return { path: [...path, tag], kind: 'missing', expected: tag, found: undefined };
    const shape = typeof value === 'string' && Object.hasOwn(shapes, value) ? shapes[value] : undefined;
    if (shape === undefined) {
      const expected = Object.keys(shapes)
        .map((one) => `'${one}'`)
        .join(', ');
      return { path: [...path, tag], kind: 'word', expected, found: value };
    }
    return shape(found, settings.inPath === true ? [...path, String(value)] : path, options);
  };
}
