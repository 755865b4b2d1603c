/** Unknown values against schemas: either the typed value, or the first thing wrong with it in the caller's spelling. */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { GatewayError } from '../canonical/gateway-error.ts';
import { firstMisfit, type Misfit } from './first-misfit.ts';

export interface Validator<T> {
  Check(value: unknown): value is T;
  Type(): TSchema;
}

export const compile = <T extends TSchema>(schema: T): Validator<Static<T>> =>
  Compile(schema) as unknown as Validator<Static<T>>;

/** An object, whatever it holds: its members are not looked at, only counted where there is a bound. */
export const anyObject = (bounds: { readonly maxProperties?: number } = {}) =>
  Type.Unsafe<Record<string, unknown>>(Type.Object({}, bounds));

/** Null counts as absent. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** `messages[0].content` (chat, genai) or `messages.0.content` (messages). */
export type PathStyle = 'brackets' | 'dots';

export function checkWith<T>(validator: Validator<T>, value: unknown, path: string, style: PathStyle = 'brackets'): T {
  if (validator.Check(value)) return value;
  throw malformed(...describe(firstMisfit(validator.Type(), value), path, style));
}

export const malformed = (field: string, problem: string, code?: string): GatewayError =>
  new GatewayError({
    kind: 'malformed',
    message: field === '' ? `The request body ${problem}.` : `'${field}' ${problem}.`,
    ...(field !== '' && { field }),
    ...(code !== undefined && { code }),
  });

export const unsupported = (field: string, problem: string): GatewayError =>
  new GatewayError({ kind: 'unsupported', message: `'${field}' ${problem}.`, ...(field !== '' && { field }) });

function describe(misfit: Misfit, base: string, style: PathStyle): [field: string, problem: string] {
  const { errors } = misfit;
  const path = joinPath(base, misfit.path, style);
  const first = errors[0];
  if (first === undefined) return [path, 'is not valid'];
  const field = joinPath(path, stepsOf(first.instancePath), style);
  if (first.keyword === 'required') {
    const missing =
      'requiredProperties' in first.params && Array.isArray(first.params.requiredProperties)
        ? String(first.params.requiredProperties[0])
        : '';
    return [field === '' ? missing : `${field}.${missing}`, 'is required'];
  }
  const same = errors.filter((error) => error.instancePath === first.instancePath);
  const constants = same.flatMap((error) =>
    error.keyword === 'const' && 'allowedValue' in error.params ? [String(error.params.allowedValue)] : [],
  );
  const enumeration = same.find((error) => error.keyword === 'enum');
  if (
    enumeration !== undefined &&
    'allowedValues' in enumeration.params &&
    Array.isArray(enumeration.params.allowedValues)
  )
    return [field, `must be one of ${enumeration.params.allowedValues.join(', ')}`];
  if (constants.length > 0) return [field, `must be one of ${constants.join(', ')}`];
  const types = same.flatMap((error) =>
    error.keyword === 'type' && 'type' in error.params && error.params.type !== 'null'
      ? [String(error.params.type)]
      : [],
  );
  if (types.length > 1) return [field, `must be one of: ${[...new Set(types)].join(', ')}`];
  return [field, first.message];
}

const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function joinPath(base: string, steps: readonly string[], style: PathStyle): string {
  let path = base;
  for (const step of steps) {
    if (style === 'brackets' && /^\d+$/.test(step)) path += `[${step}]`;
    else path += path === '' ? step : `.${step}`;
  }
  return path;
}

/** The tag that says which form a value claims to have; undefined where the tag is missing or no text. */
export function tagOf(value: unknown, tag: string, path: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(path, 'must be an object');
  const found: unknown = Reflect.get(value, tag);
  return typeof found === 'string' ? found : undefined;
}
