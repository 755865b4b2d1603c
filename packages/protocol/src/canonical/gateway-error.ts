/** A fault as an exception, with its private cause; refusals that name a canonical field. */

import type { Fault } from './fault.ts';
import type { CanonicalField, ImageField, VideoField } from './fields.ts';

/** A refusal by a codec that does not know the caller's format: the canonical field, and what is wrong with it. */
export type FieldRefusal = { readonly field: CanonicalField | ImageField | VideoField; readonly problem: string };

/** Abandons the path of a request. The private cause is for the log; only the fault is for the caller. */
export class GatewayError extends Error {
  readonly fault: Fault;
  readonly refusal: FieldRefusal | undefined;
  constructor(fault: Fault, options?: { readonly cause?: unknown; readonly refusal?: FieldRefusal }) {
    super(fault.message, options);
    this.name = 'GatewayError';
    this.fault = fault;
    this.refusal = options?.refusal;
  }
}

/** An answer over one of our bounds ends with this: what is left out silently would look like a complete answer. */
export const tooManyOf = (bound: number, what: string): GatewayError =>
  new GatewayError({ kind: 'upstream-broken', message: `The upstream provider sent more than ${bound} ${what}.` });

/** A target cannot carry a field, and leaving it out would change the meaning. The engine puts it in the caller's words. */
export const cannotCarry = (field: FieldRefusal['field'], problem: string, atMost?: number): GatewayError =>
  new GatewayError(
    { kind: 'unsupported', message: `'${field}' ${problem}.`, field, ...(atMost !== undefined && { atMost }) },
    { refusal: { field, problem } },
  );

/** The same error in a caller's own spelling. */
export function inWordsOf(spelling: Readonly<Partial<Record<FieldRefusal['field'], string>>>, error: unknown): unknown {
  if (!(error instanceof GatewayError) || error.refusal === undefined) return error;
  const field = spelling[error.refusal.field] ?? error.refusal.field;
  return new GatewayError({ ...error.fault, message: `'${field}' ${error.refusal.problem}.`, field });
}

/** An unforeseen exception gives the caller one fixed sentence. */
export const faultOf = (error: unknown): Fault =>
  error instanceof GatewayError
    ? error.fault
    : { kind: 'internal', message: 'The gateway failed to handle this request.' };
