// Validates data against a schema; each error is reported once, in words, with its place.

import type { TSchema } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { suggestion } from '../../models/names/nearest.ts';
import type { ConfigPath, Report, Step } from './problem.ts';

const MAX_REPORTED = 100;

/** Describes a text that does not match a pattern. */
type PatternText = (pattern: string) => string;
const patternAsIs: PatternText = (pattern) => `does not have the form ${pattern}`;

interface FormError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

const plainStep = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** Digits are an index only inside a list; a map may have a member named "7". */
const pathOf = (pointer: string, data: unknown): ConfigPath => {
  let here = data;
  return pointer
    .split('/')
    .slice(1)
    .map((part): Step => {
      const name = plainStep(part);
      if (Array.isArray(here)) {
        here = here[Number(name)];
        return Number(name);
      }
      here = memberOf(here, name);
      return name;
    });
};

const valueAt = (data: unknown, path: ConfigPath): unknown =>
  path.reduce((here: unknown, step) => memberOf(here, String(step)), data);

/** Secrets are longer: a text of more characters is not shown. */
const MAX_SHOWN = 20;
const givenOf = (value: unknown): string => {
  if (Array.isArray(value)) return ', not a list';
  if (typeof value === 'object' && value !== null) return ', not a section';
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_SHOWN ? '' : `, not ${text}`;
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

const schemaAt = (root: TSchema, path: ConfigPath): unknown => {
  let schema: unknown = root;
  for (const step of path) {
    const patterns = memberOf(schema, 'patternProperties');
    schema =
      typeof step === 'number'
        ? memberOf(schema, 'items')
        : (memberOf(memberOf(schema, 'properties'), step) ?? Object.values(patterns ?? {})[0]);
  }
  return schema;
};

const namesIn = (params: object, member: string): readonly string[] => {
  const value = memberOf(params, member);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
};

/** Settings of earlier releases, and what replaces them. */
const REPLACED: ReadonlyMap<string, string> = new Map([['limits.bufferedBodyBytes', 'limits.memoryBytes']]);

const reportUnknown = (root: TSchema, path: ConfigPath, name: string, report: Report): void => {
  const replacement = REPLACED.get([...path, name].join('.'));
  if (replacement !== undefined) {
    report([...path, name], `was replaced by '${replacement}'`, 'key');
    return;
  }
  const schema = schemaAt(root, path);
  const pattern = Object.keys(memberOf(schema, 'patternProperties') ?? {})[0];
  const known = Object.keys(memberOf(schema, 'properties') ?? {});
  report(
    [...path, name],
    pattern === undefined ? `is not a known field${suggestion(name, known)}` : `is not a usable name here (${pattern})`,
    'key',
  );
};

const reportError = (
  schema: TSchema,
  error: FormError,
  data: unknown,
  report: Report,
  patternText: PatternText,
): void => {
  const path = pathOf(error.instancePath, data);
  switch (error.keyword) {
    case 'boolean':
      return; // Duplicates an additionalProperties error.
    case 'additionalProperties':
      for (const name of namesIn(error.params, 'additionalProperties')) reportUnknown(schema, path, name, report);
      return;
    case 'required':
      for (const name of namesIn(error.params, 'requiredProperties')) report([...path, name], 'is missing');
      return;
    case 'enum': {
      const allowed = memberOf(error.params, 'allowedValues');
      const names = Array.isArray(allowed) ? allowed.map(String) : [];
      const given = valueAt(data, path);
      const meant = typeof given === 'string' ? suggestion(given, names) : '';
      report(path, `must be one of ${names.join(', ')}${meant}`);
      return;
    }
    case 'type': {
      const name = TYPE_NAMES[String(memberOf(error.params, 'type'))];
      report(path, name === undefined ? error.message : `must be ${name}${givenOf(valueAt(data, path))}`);
      return;
    }
    case 'minimum':
    case 'maximum':
      report(path, `${error.message}${givenOf(valueAt(data, path))}`);
      return;
    case 'pattern':
      report(path, patternText(String(memberOf(error.params, 'pattern'))));
      return;
    default:
      report(path, error.message);
  }
};

/** Whether the data fits the schema; each error is reported. */
export const fitsSchema = (
  schema: TSchema,
  data: unknown,
  report: Report,
  patternText: PatternText = patternAsIs,
): boolean => {
  // Not compiled: that costs more than it saves for a file that is rarely read.
  if (Check(schema, data)) return true;
  for (const error of Errors(schema, data).slice(0, MAX_REPORTED))
    reportError(schema, error, data, report, patternText);
  return false;
};
