/** A failure as data: its kind, its cause, and what the caller may see. */

import type { SpendCap } from './spend-cap.ts';

export const FAULT_KINDS = [
  'malformed',
  'unsupported',
  'unauthenticated',
  'over-budget',
  'over-cap',
  'forbidden',
  'unknown-model',
  'unknown-route',
  'unknown-operation',
  'method-not-allowed',
  'too-large',
  'wrong-media-type',
  'idempotency-mismatch',
  'upgrade-required',
  'headers-too-large',
  'over-rate',
  'refused',
  'context-exceeded',
  'upstream-over-rate',
  'upstream-overloaded',
  'upstream-timeout',
  'upstream-broken',
  'overloaded',
  'cancelled',
  'internal',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export type Fault = {
  readonly kind: FaultKind;
  /** Safe to show the caller: never holds a secret, an upstream address or an exception's text. */
  readonly message: string;
  /** The field in the caller's own spelling, e.g. `messages[0].content`. */
  readonly field?: string;
  /** A more specific error code than the kind, for dialects that have a field for one. */
  readonly code?: string;
  /**
   * This host's upper limit, if the request exceeded one: of several hosts' refusals the caller sees the highest limit.
   */
  readonly atMost?: number;
  readonly retryAfterMs?: number;
  /** The same request is refused at any later time, too, though its status says that a retry may help. */
  readonly retry?: false;
  /** The upstream cannot have started the work: the gateway did not reach it, or it refused before doing anything. */
  readonly unbegun?: true;
  /** The limit that is used up, set with `over-cap`. */
  readonly cap?: SpendCap;
  /** Allowed methods, set with `method-not-allowed`. */
  readonly allow?: readonly string[];
};

export type FaultRule = {
  readonly status: number;
  readonly blame: 'caller' | 'gateway' | 'upstream';
  /** May another target be tried? */
  readonly elsewhere: boolean;
};

/** The complete failure policy. Statuses 408, 409 and 501 are never used: SDKs retry them. */
export const FAULT_RULES: Readonly<Record<FaultKind, FaultRule>> = {
  malformed: { status: 400, blame: 'caller', elsewhere: false },
  unsupported: { status: 400, blame: 'caller', elsewhere: true },
  unauthenticated: { status: 401, blame: 'caller', elsewhere: false },
  'over-budget': { status: 402, blame: 'caller', elsewhere: false },
  'over-cap': { status: 429, blame: 'caller', elsewhere: false },
  forbidden: { status: 403, blame: 'caller', elsewhere: false },
  'unknown-model': { status: 404, blame: 'caller', elsewhere: false },
  'unknown-route': { status: 404, blame: 'caller', elsewhere: false },
  'unknown-operation': { status: 404, blame: 'caller', elsewhere: false },
  'method-not-allowed': { status: 405, blame: 'caller', elsewhere: false },
  'too-large': { status: 413, blame: 'caller', elsewhere: false },
  'wrong-media-type': { status: 415, blame: 'caller', elsewhere: false },
  'idempotency-mismatch': { status: 422, blame: 'caller', elsewhere: false },
  'upgrade-required': { status: 426, blame: 'caller', elsewhere: false },
  'headers-too-large': { status: 431, blame: 'caller', elsewhere: false },
  'over-rate': { status: 429, blame: 'caller', elsewhere: false },
  refused: { status: 400, blame: 'caller', elsewhere: false },
  'context-exceeded': { status: 400, blame: 'caller', elsewhere: true },
  'upstream-over-rate': { status: 429, blame: 'upstream', elsewhere: true },
  'upstream-overloaded': { status: 503, blame: 'upstream', elsewhere: true },
  'upstream-timeout': { status: 504, blame: 'upstream', elsewhere: true },
  'upstream-broken': { status: 502, blame: 'upstream', elsewhere: true },
  overloaded: { status: 503, blame: 'gateway', elsewhere: false },
  cancelled: { status: 499, blame: 'caller', elsewhere: false },
  internal: { status: 500, blame: 'gateway', elsewhere: false },
};
