/** Failure as data: what went wrong, whose fault it is, what the caller may be told. */

export const FAULT_KINDS = [
  'malformed',
  'unsupported',
  'unauthenticated',
  'over-budget',
  'forbidden',
  'unknown-model',
  'unknown-route',
  'unknown-operation',
  'method-not-allowed',
  'too-large',
  'wrong-media-type',
  'idempotency-mismatch',
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
  /** A finer word than the kind where the caller's dialect has a place for one. */
  readonly code?: string;
  /** The most this host takes, where it was asked for more: of several hosts' refusals the caller is shown the widest. */
  readonly atMost?: number;
  readonly retryAfterMs?: number;
  /** The upstream cannot have begun: it was not reached, or it refused before doing anything. */
  readonly unbegun?: true;
  /** Methods a route does answer to, with `method-not-allowed`. */
  readonly allow?: readonly string[];
};

export type FaultRule = {
  readonly status: number;
  readonly blame: 'caller' | 'gateway' | 'upstream';
  /** May another target be tried? */
  readonly elsewhere: boolean;
};

/** The whole policy of failure on one screen. Statuses 408, 409 and 501 are never used: SDKs retry them. */
export const FAULT_RULES: Readonly<Record<FaultKind, FaultRule>> = {
  malformed: { status: 400, blame: 'caller', elsewhere: false },
  unsupported: { status: 400, blame: 'caller', elsewhere: true },
  unauthenticated: { status: 401, blame: 'caller', elsewhere: false },
  'over-budget': { status: 402, blame: 'caller', elsewhere: false },
  forbidden: { status: 403, blame: 'caller', elsewhere: false },
  'unknown-model': { status: 404, blame: 'caller', elsewhere: false },
  'unknown-route': { status: 404, blame: 'caller', elsewhere: false },
  'unknown-operation': { status: 404, blame: 'caller', elsewhere: false },
  'method-not-allowed': { status: 405, blame: 'caller', elsewhere: false },
  'too-large': { status: 413, blame: 'caller', elsewhere: false },
  'wrong-media-type': { status: 415, blame: 'caller', elsewhere: false },
  'idempotency-mismatch': { status: 422, blame: 'caller', elsewhere: false },
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
