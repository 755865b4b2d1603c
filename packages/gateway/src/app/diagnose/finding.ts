/** The result of a check of an installation, and what to do about it. */
export type Finding = {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** Absent if there is nothing to do. */
  readonly next?: string;
};

export { reasonOf } from '../../kernel/reason-of.ts';
