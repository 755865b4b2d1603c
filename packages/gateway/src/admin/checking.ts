/** Holds what was sent against a route's schemas, and names the first misfit. */
import type { TSchema } from 'typebox';
import { Default, Errors, Check as fits } from 'typebox/value';
import { AdminProblem } from './problem.ts';

export type Check = (value: unknown) => unknown;

type Misfit = {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
};

const namesIn = (params: object, member: string): string | undefined => {
  const value: unknown = Reflect.get(params, member);
  return Array.isArray(value) && typeof value[0] === 'string' ? value[0] : undefined;
};

function problemOf({ keyword, instancePath, params, message }: Misfit): AdminProblem {
  const place = instancePath.split('/').slice(1);
  const named = namesIn(params, keyword === 'required' ? 'requiredProperties' : 'additionalProperties');
  const field = [...place, ...(named === undefined ? [] : [named])].join('.');
  if (keyword === 'required') return new AdminProblem('invalid', 'is missing', field);
  if (keyword === 'additionalProperties') return new AdminProblem('invalid', 'is not a known field', field);
  const allowed: unknown = Reflect.get(params, 'allowedValues');
  const told = Array.isArray(allowed) ? `must be one of ${allowed.join(', ')}` : message;
  return new AdminProblem('invalid', told, field === '' ? undefined : field);
}

/** Nothing sent is an empty object; defaults are filled in. Not compiled: so many schemas at each start, for a call now and then. */
export function checker(schema: TSchema): Check {
  return (value) => {
    const filled = Default(schema, value ?? {});
    if (fits(schema, filled)) return filled;
    // The shadow of an unknown field comes before it.
    const misfits = Errors(schema, filled).filter(({ keyword }) => keyword !== 'boolean');
    throw misfits[0] === undefined
      ? new AdminProblem('invalid', 'does not have the right form')
      : problemOf(misfits[0]);
  };
}
