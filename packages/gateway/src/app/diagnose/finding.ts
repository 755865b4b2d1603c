/** The result of a check of an installation, and what to do about it. */
export type Finding = {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** Absent if there is nothing to do. */
  readonly next?: string;
};

export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const [first] = error instanceof AggregateError ? error.errors : [];
  return error.message || (first === undefined ? error.name : reasonOf(first));
};
