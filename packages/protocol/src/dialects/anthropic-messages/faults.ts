/** Failures in the messages protocol's words. */
import { FAULT_RULES, type Fault, type FaultKind } from '../../canonical/fault.ts';
import type { EncodedFault } from '../dialect.ts';

const WRITE: Readonly<Record<FaultKind, string>> = {
  malformed: 'invalid_request_error',
  unsupported: 'invalid_request_error',
  unauthenticated: 'authentication_error',
  'over-budget': 'billing_error',
  forbidden: 'permission_error',
  'unknown-model': 'not_found_error',
  'unknown-route': 'not_found_error',
  'unknown-operation': 'not_found_error',
  'method-not-allowed': 'invalid_request_error',
  'too-large': 'request_too_large',
  'wrong-media-type': 'invalid_request_error',
  'idempotency-mismatch': 'invalid_request_error',
  'headers-too-large': 'invalid_request_error',
  'over-rate': 'rate_limit_error',
  refused: 'invalid_request_error',
  'upstream-over-rate': 'rate_limit_error',
  'upstream-overloaded': 'overloaded_error',
  'upstream-timeout': 'timeout_error',
  'upstream-broken': 'api_error',
  overloaded: 'overloaded_error',
  cancelled: 'invalid_request_error',
  internal: 'api_error',
};

/** This protocol's clients know overload as 529. */
const statusOf = (kind: FaultKind): number => (WRITE[kind] === 'overloaded_error' ? 529 : FAULT_RULES[kind].status);

export const encodeFault = (fault: Fault, requestId: string): EncodedFault => ({
  status: statusOf(fault.kind),
  body: { type: 'error', error: { type: WRITE[fault.kind], message: fault.message }, request_id: requestId },
});
