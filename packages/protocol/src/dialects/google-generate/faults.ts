/** Errors in the format of the generative-content protocol: an rpc status beside the HTTP status. */
import { FAULT_RULES, type Fault } from '../../canonical/fault.ts';
import type { EncodedFault } from '../dialect.ts';
import { RPC_STATUSES } from '../upstream-errors.ts';

export { decodeRpcFault as decodeFault, faultInside } from '../upstream-errors.ts';

export const encodeFault = (fault: Fault): EncodedFault => {
  const { status } = FAULT_RULES[fault.kind];
  return {
    status,
    body: { error: { code: status, message: fault.message, status: RPC_STATUSES[fault.kind], details: [] } },
  };
};

/**
 * The error in a frame, then once more bare and without a line end: only this form is recognised as a failure by every
 * generation of this dialect's clients, however the network splits it.
 */
export function streamFault(fault: Fault): string {
  const text = JSON.stringify(encodeFault(fault).body);
  return `data: ${text}\n\n${text}`;
}
