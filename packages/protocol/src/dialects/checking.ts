/**
 * Validates unknown values against schemas: returns the typed value, or the first problem with its path in the caller's
 * notation.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ToolChoice } from '../canonical/call.ts';
import { GatewayError } from '../canonical/gateway-error.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import { firstMisfit, type Misfit } from './first-misfit.ts';

export interface Validator<T> {
  Check(value: unknown): value is T;
  Type(): TSchema;
}

export const compile = <T extends TSchema>(schema: T): Validator<Static<T>> =>
  Compile(schema) as unknown as Validator<Static<T>>;

/** An object with any members: they are not validated, only counted if there is a bound. */
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

/** The tag that selects a value's form; undefined if the tag is missing or not a string. */
export function tagOf(value: unknown, tag: string, path: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(path, 'must be an object');
  const found: unknown = Reflect.get(value, tag);
  return typeof found === 'string' ? found : undefined;
}

// Tool choice in chat completions and Responses: the words are shared, the object forms differ.

export type ChoiceWord = 'none' | 'auto' | 'required';

/** The word, or the result of `checkObject` for an object; undefined if the caller chose nothing. */
export function checkToolChoice<Checked>(
  choice: unknown,
  toolCount: number,
  checkObject: (choice: object) => Checked,
): ChoiceWord | Checked | undefined {
  if (!isGiven(choice)) return undefined;
  if (choice === 'none' || choice === 'auto') return choice;
  if (choice === 'required') {
    if (toolCount === 0) throw malformed('tool_choice', 'cannot be required without tools');
    return choice;
  }
  if (typeof choice !== 'object' || choice === null || Array.isArray(choice))
    throw malformed('tool_choice', 'must be one of none, auto, required, or an object');
  return checkObject(choice);
}

export type ChoiceForms = {
  /** Selects one tool. */
  readonly reference: (name: string) => JsonObject;
  /** Allows any of several tools. */
  readonly allowed: (mode: 'auto' | 'required', tools: readonly JsonObject[]) => JsonObject;
};

export function encodeToolChoice(choice: ToolChoice, { reference, allowed }: ChoiceForms): Json {
  switch (choice.mode) {
    case 'auto':
    case 'none':
      return choice.mode;
    case 'any':
      return 'required';
    case 'validated':
      return 'auto';
    case 'one':
      return reference(choice.name);
    case 'some':
      return allowed(choice.required ? 'required' : 'auto', choice.names.map(reference));
  }
}

// Request members that can change the price. Each dialect classifies those it knows in one table (`money.ts`), which
// takes precedence over the rule that unknown members and betas pass to hosts of the same dialect: nothing passes
// without a price.

/**
 * `priced`: the usage reports its cost. `removed`: dropped with a loss. `refused`: dropping it would break a promise.
 */
export type MoneyRule = 'priced' | 'removed' | 'refused';
export type MoneyTable = Readonly<Record<string, MoneyRule>>;
/** The same for values that contain a date or version. */
export type MoneyPatterns = readonly (readonly [word: RegExp, rule: MoneyRule])[];

export const membersWith = (table: MoneyTable, rule: MoneyRule): readonly string[] =>
  Object.keys(table).filter((name) => table[name] === rule);

export const ruleOf = (patterns: MoneyPatterns, word: string): MoneyRule | undefined =>
  patterns.find(([pattern]) => pattern.test(word))?.[1];

/** `usual`: a value that requests only what is priced anyway. */
export function refuseUnpriced(
  body: JsonObject,
  names: readonly string[],
  usual: Readonly<Record<string, string>> = {},
): void {
  for (const name of names)
    if (isGiven(body[name]) && body[name] !== usual[name])
      throw unsupported(name, 'changes what a request costs in a way this service does not price; leave it out');
}
