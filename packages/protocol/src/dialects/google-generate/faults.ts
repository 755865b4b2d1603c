/** Failures in the generative-content protocol's words: an rpc status beside the HTTP one. */
import { FAULT_RULES, type Fault, type FaultKind } from '../../canonical/fault.ts';
import type { EncodedFault } from '../dialect.ts';

export { decodeFault, faultInside } from '../rpc-errors.ts';

/** The rpc status of each kind. */
export const RPC_STATUSES = {
  malformed: 'INVALID_ARGUMENT',
  unsupported: 'UNIMPLEMENTED',
  unauthenticated: 'UNAUTHENTICATED',
  'over-budget': 'RESOURCE_EXHAUSTED',
  forbidden: 'PERMISSION_DENIED',
  'unknown-model': 'NOT_FOUND',
  'unknown-route': 'NOT_FOUND',
  'unknown-operation': 'NOT_FOUND',
  'method-not-allowed': 'UNIMPLEMENTED',
  'too-large': 'INVALID_ARGUMENT',
  'wrong-media-type': 'INVALID_ARGUMENT',
  'idempotency-mismatch': 'INVALID_ARGUMENT',
  'headers-too-large': 'INVALID_ARGUMENT',
  'over-rate': 'RESOURCE_EXHAUSTED',
  refused: 'INVALID_ARGUMENT',
  'context-exceeded': 'INVALID_ARGUMENT',
  'upstream-over-rate': 'RESOURCE_EXHAUSTED',
  'upstream-overloaded': 'UNAVAILABLE',
  'upstream-timeout': 'DEADLINE_EXCEEDED',
  'upstream-broken': 'UNAVAILABLE',
  overloaded: 'UNAVAILABLE',
  cancelled: 'CANCELLED',
  internal: 'INTERNAL',
} as const satisfies Readonly<Record<FaultKind, string>>;

export const encodeFault = (fault: Fault): EncodedFault => {
  const { status } = FAULT_RULES[fault.kind];
  return {
    status,
    body: { error: { code: status, message: fault.message, status: RPC_STATUSES[fault.kind], details: [] } },
  };
};

/**
 * The error in a frame, then once more bare and without a line end: of all forms only this one is seen as a failure by
 * every generation of this dialect's clients, whatever the network makes of the pieces.
 */
export function streamFault(fault: Fault): string {
  const text = JSON.stringify(encodeFault(fault).body);
  return `data: ${text}\n\n${text}`;
}
