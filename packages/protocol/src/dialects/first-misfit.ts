/**
 * Finds where a value first violates its schema. Members and elements are counted before any is examined, and valid
 * parts are only checked, never listed: reporting one error costs no more than finding it.
 */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Check, Errors } from 'typebox/value';

export type SchemaError = {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
};

export type Misfit = {
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
    if (Array.isArray(at.value) && mayBeSingle(at.schema)) return { path, errors: [wrongItem(found)] };
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

/** One value or a list of values: an error in an item is reported for the field, as for the single value. */
const mayBeSingle = (schema: TSchema): boolean => formsOf(schema).some((form) => keyword(form, 'type') === 'string');

const wrongItem = ({ name, schema }: Part): SchemaError =>
  error('items', {}, `holds an item at index ${name} that is not a ${String(keyword(schema, 'type'))}`);

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
