/** A fault as an exception with a private cause, and refusals that name a canonical field. */

import type { Fault } from './fault.ts';
import type { CanonicalField, ImageField, SpeechField, TranscriptionField, VideoField } from './fields.ts';

/** A refusal by a codec that does not know the caller's format: the canonical field and the problem with it. */
export type FieldRefusal = {
  readonly field:
    | CanonicalField
    | ImageField
    | VideoField
    // Sound.
    | SpeechField
    | TranscriptionField;
  readonly problem: string;
};

/**
 * Aborts the attempt; `FAULT_RULES` says whether another target may be tried. The cause is for the log only; the caller
 * sees only the fault.
 */
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

/** Ends an answer that exceeds one of the gateway's bounds: silently truncated, it would look complete. */
export const tooManyOf = (bound: number, what: string): GatewayError =>
  new GatewayError({ kind: 'upstream-broken', message: `The upstream provider sent more than ${bound} ${what}.` });

/**
 * The target cannot carry a field, and dropping it would change the meaning. The engine replaces the
 * canonical field name by the caller's.
 */
export const cannotCarry = (field: FieldRefusal['field'], problem: string, atMost?: number): GatewayError =>
  new GatewayError(
    { kind: 'unsupported', message: `'${field}' ${problem}.`, field, ...(atMost !== undefined && { atMost }) },
    { refusal: { field, problem } },
  );

/** The same error with the caller's field name. */
export function inWordsOf(spelling: Readonly<Partial<Record<FieldRefusal['field'], string>>>, error: unknown): unknown {
  if (!(error instanceof GatewayError) || error.refusal === undefined) return error;
  const field = spelling[error.refusal.field] ?? error.refusal.field;
  return new GatewayError({ ...error.fault, message: `'${field}' ${error.refusal.problem}.`, field });
}

/** For an unexpected exception the caller gets one fixed sentence. */
export const faultOf = (error: unknown): Fault =>
  error instanceof GatewayError
    ? error.fault
    : { kind: 'internal', message: 'The gateway failed to handle this request.' };
