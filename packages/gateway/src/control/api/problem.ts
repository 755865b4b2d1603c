/** Errors of the admin API. */
export type ProblemCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'rate-limited'
  | 'unavailable'
  | 'internal';

const STATUS: Readonly<Record<ProblemCode, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'rate-limited': 429,
  unavailable: 503,
  internal: 500,
};

/** The message is safe to show and never contains a secret. */
export class AdminProblem extends Error {
  readonly code: ProblemCode;
  readonly field: string | undefined;

  constructor(code: ProblemCode, message: string, field?: string) {
    super(message);
    this.name = 'AdminProblem';
    this.code = code;
    this.field = field;
  }

  get status(): number {
    return STATUS[this.code];
  }

  /** Media type of the body. */
  get media(): string {
    return 'application/json; charset=utf-8';
  }

  get body(): object {
    return {
      error: { code: this.code, message: this.message, ...(this.field !== undefined && { field: this.field }) },
    };
  }
}

/** Its form is checked by the schema; February 30 is not. */
export function timeIn(text: string, field: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new AdminProblem('invalid', 'is not a time of the calendar', field);
  return time;
}

/**
 * The same answer whether an object does not exist, belongs to another account or could not exist: it repeats the
 * request and says no more.
 */
export const notFound = (what: string, id?: string): AdminProblem =>
  new AdminProblem('not-found', `${what}${id === undefined ? '' : ` "${id}"`} not found.`);
