/** Holds what was sent against a route's schemas, and names the first misfit. */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
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
  return new AdminProblem('invalid', message, field === '' ? undefined : field);
}

/** Nothing sent is an empty object; defaults are filled in. */
export function checker(schema: TSchema): Check {
  const validator = Compile(schema);
  return (value) => {
    const filled = validator.Default(value ?? {});
    if (validator.Check(filled)) return filled;
    // The shadow of an unknown field comes before it.
    const misfits = validator.Errors(filled).filter(({ keyword }) => keyword !== 'boolean');
    throw misfits[0] === undefined
      ? new AdminProblem('invalid', 'does not have the right form')
      : problemOf(misfits[0]);
  };
}
