/**
 * Validates unknown values against schemas: returns the typed value, or the first problem with its path in the caller's
 * notation.
 */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Check, Errors } from 'typebox/value';
import { GatewayError } from '../canonical/gateway-error.ts';
import { isJsonObject, type JsonObject, objectAt } from '../canonical/json.ts';

export interface Validator<T> {
  Check(value: unknown): value is T;
  Type(): TSchema;
}

export const compile = <T extends TSchema>(schema: T): Validator<Static<T>> =>
  Compile(schema) as unknown as Validator<Static<T>>;

/** The same for each schema of a table. */
export const compileAll = <T extends Readonly<Record<string, TSchema>>>(schemas: T) =>
  Object.fromEntries(Object.entries(schemas).map(([tag, schema]) => [tag, compile(schema)])) as {
    readonly [K in keyof T]: Validator<Static<T[K]>>;
  };

/** By its tag, one of the validators of a table; undefined if there is none for it. */
export function checkTagged<T extends Readonly<Record<string, unknown>>>(
  validators: { readonly [K in keyof T]: Validator<T[K]> },
  value: unknown,
  path: string,
): T[keyof T] | undefined {
  const tag = tagOf(value, 'type', path) ?? '';
  return Object.hasOwn(validators, tag) ? checkWith(validators[tag as keyof T], value, path) : undefined;
}

/** An object with any members: they are not validated, only counted if there is a bound. */
export const anyObject = (bounds: { readonly maxProperties?: number } = {}) =>
  Type.Unsafe<Record<string, unknown>>(Type.Object({}, bounds));

/** Null for an optional field counts as absent. */
export const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

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
  const field = joinPath(
    path,
    first.instancePath
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    style,
  );
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

// Request members that can change the price. Each dialect classifies those it knows in one table (`MONEY_MEMBERS`), which
// takes precedence over the rule that unknown members and betas pass to hosts of the same dialect: nothing passes
// without a price.

/**
 * `priced`: the usage reports its cost. `removed`: dropped with a loss. `refused`: dropping it would break a promise.
 */
type MoneyRule = 'priced' | 'removed' | 'refused';
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

/** For formats without `provider`: privacy preferences in it are refused rather than ignored. */
export function refuseUnreadPrivacy({ provider }: JsonObject): void {
  if (!isJsonObject(provider)) return;
  const places = { provider, 'provider.routing': objectAt(provider, 'routing') ?? {} };
  for (const [place, preference] of Object.entries(places))
    for (const [member, header] of PRIVACY_HEADERS)
      if (isGiven(preference[member]) && preference[member] !== false && preference[member] !== 'allow')
        throw unsupported(`${place}.${member}`, `is not read in this protocol; send the header ${header}`);
}

const PRIVACY_HEADERS = [
  ['zdr', 'x-trivium-zdr'],
  ['data_collection', 'x-trivium-data-collection'],
] as const;

// Finds where a value first violates its schema. Members and elements are counted before any is examined, and valid
// parts are only checked, never listed: reporting one error costs no more than finding it.

export type SchemaError = {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
};

type Misfit = {
  /** The path to the innermost invalid value. */
  readonly path: readonly string[];
  /** The errors of that value, the first one first. */
  readonly errors: readonly SchemaError[];
};

type Part = { readonly name: string; readonly schema: TSchema; readonly value: unknown };

/** `value` is known to be invalid. */
export function firstMisfit(schema: TSchema, value: unknown): Misfit {
  const path: string[] = [];
  let at: Omit<Part, 'name'> = { schema, value };
  for (;;) {
    const form = formFor(at.schema, at.value);
    const found = Array.isArray(at.value)
      ? inList(form, at.value)
      : isObject(at.value)
        ? inObject(form, at.value)
        : undefined;
    // Not composite, or composite where the schema expects another type: there is nothing large to examine.
    if (found === undefined) return { path, errors: Errors(form, at.value) };
    if ('keyword' in found) return { path, errors: [found] };
    // One value or a list of values: an error in an item is reported for the field, as for the single value.
    if (Array.isArray(at.value) && formsOf(at.schema).some((form) => keyword(form, 'type') === 'string'))
      return {
        path,
        errors: [
          error(
            'items',
            {},
            `holds an item at index ${found.name} that is not a ${String(keyword(found.schema, 'type'))}`,
          ),
        ],
      };
    path.push(found.name);
    at = found;
  }
}

/** Of several forms, the one for a list or an object; a scalar is validated against all of them at once. */
function formFor(schema: TSchema, value: unknown): TSchema {
  if (!isObject(value)) return schema;
  const type = Array.isArray(value) ? 'array' : 'object';
  return formsOf(schema).find((form) => keyword(form, 'type') === type) ?? schema;
}

const formsOf = (schema: TSchema): readonly TSchema[] => {
  const forms = keyword(schema, 'anyOf');
  return Array.isArray(forms) ? forms.flatMap(formsOf) : [schema];
};

function inList(schema: TSchema, list: readonly unknown[]): Part | SchemaError | undefined {
  if (keyword(schema, 'type') !== 'array') return undefined;
  const wrong = miscounted(schema, list.length, 'Items', 'items');
  if (wrong !== undefined) return wrong;
  const items = keyword(schema, 'items');
  const position = isObject(items) ? list.findIndex((element) => !fits(items, element)) : -1;
  return position === -1 ? undefined : { name: String(position), schema: items as TSchema, value: list[position] };
}

/** Missing members first, then unknown ones, then invalid ones. */
function inObject(schema: TSchema, value: object): Part | SchemaError | undefined {
  if (keyword(schema, 'type') !== 'object') return undefined;
  const names = Object.keys(value);
  const wrong = miscounted(schema, names.length, 'Properties', 'members');
  if (wrong !== undefined) return wrong;
  const missing = namesIn(schema, 'required').find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return error('required', { requiredProperties: [missing] }, 'is required');
  const known = Object.entries(keyword(schema, 'properties') ?? {});
  if (keyword(schema, 'additionalProperties') === false) {
    const unknown = names.find((name) => !known.some(([one]) => one === name));
    if (unknown !== undefined)
      return error('additionalProperties', { additionalProperties: [unknown] }, 'holds a field that is not known');
  }
  return known.map(([name, own]) => partOf(value, name, own)).find(isWrong) ?? wrongByPattern(schema, value, names);
}

function wrongByPattern(schema: TSchema, value: object, names: readonly string[]): Part | undefined {
  for (const [pattern, own] of Object.entries(keyword(schema, 'patternProperties') ?? {})) {
    const form = new RegExp(pattern, 'u');
    const name = names.find((one) => form.test(one) && isWrong(partOf(value, one, own)));
    if (name !== undefined) return partOf(value, name, own);
  }
  return undefined;
}

const partOf = (value: object, name: string, schema: TSchema): Part => ({
  name,
  schema,
  value: Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined,
});

/** An absent member is never invalid: required members are checked by name. */
const isWrong = ({ schema, value }: Part): boolean => value !== undefined && !fits(schema, value);

function miscounted(
  schema: TSchema,
  count: number,
  what: 'Items' | 'Properties',
  words: string,
): SchemaError | undefined {
  const [least, most] = [keyword(schema, `min${what}`), keyword(schema, `max${what}`)];
  if (typeof most === 'number' && count > most)
    return error(`max${what}`, { limit: most }, `may hold at most ${most} ${words}, and holds ${count}`);
  if (typeof least === 'number' && count < least)
    return error(`min${what}`, { limit: least }, `must hold at least ${least} ${words}, and holds ${count}`);
  return undefined;
}

const error = (keyword: string, params: object, message: string): SchemaError => ({
  keyword,
  instancePath: '',
  params,
  message,
});

/** One entry per schema of a composite value: bounded by the number of schemas in the source code. */
const compiled = new WeakMap<TSchema, { Check(value: unknown): boolean }>();

function fits(schema: TSchema, value: unknown): boolean {
  if (!isObject(value)) return Check(schema, value);
  let check = compiled.get(schema);
  if (check === undefined) {
    check = Compile(schema);
    compiled.set(schema, check);
  }
  return check.Check(value);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const keyword = (schema: TSchema, name: string): unknown => Reflect.get(schema, name);
const namesIn = (schema: TSchema, name: string): readonly string[] => {
  const names = keyword(schema, name);
  return Array.isArray(names) ? names : [];
};
