/** Validates requests against a route's schemas, and names the first violation. */
import { firstMisfit, type SchemaError } from '@trivium/protocol/dialects';
import type { TSchema } from 'typebox';
import { Default, Check as fits } from 'typebox/value';
import { sentenceOf } from './forms.ts';
import { AdminProblem } from './problem.ts';

export type Check = (value: unknown) => unknown;

const namesIn = (params: object, member: string): string | undefined => {
  const value: unknown = Reflect.get(params, member);
  return Array.isArray(value) && typeof value[0] === 'string' ? value[0] : undefined;
};

function problemOf(path: readonly string[], error: SchemaError): AdminProblem {
  const { keyword, instancePath, params, message } = error;
  const place = [...path, ...instancePath.split('/').slice(1)];
  const named = namesIn(params, keyword === 'required' ? 'requiredProperties' : 'additionalProperties');
  const field = [...place, ...(named === undefined ? [] : [named])].join('.');
  if (keyword === 'required') return new AdminProblem('invalid', 'is missing', field);
  if (keyword === 'additionalProperties') return new AdminProblem('invalid', 'is not a known field', field);
  const allowed: unknown = Reflect.get(params, 'allowedValues');
  const pattern: unknown = Reflect.get(params, 'pattern');
  const sentence = Array.isArray(allowed)
    ? `must be one of ${allowed.join(', ')}`
    : typeof pattern === 'string'
      ? (sentenceOf(pattern) ?? 'does not have the right form')
      : message;
  return new AdminProblem('invalid', sentence, field === '' ? undefined : field);
}

/**
 * An absent body counts as an empty object; defaults are filled in. Not compiled: that would compile every schema at
 * each start, for rare calls.
 */
export function checker(schema: TSchema): Check {
  return (value) => {
    const filled = Default(schema, value ?? {});
    if (fits(schema, filled)) return filled;
    const { path, errors } = firstMisfit(schema, filled);
    throw errors[0] === undefined
      ? new AdminProblem('invalid', 'does not have the right form')
      : problemOf(path, errors[0]);
  };
}
