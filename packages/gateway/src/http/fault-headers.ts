/** The headers of an error response. */
import { FAULT_RULES, type Fault } from '@trivium/protocol/canonical';
import { refusedSpendHeaders } from '@trivium/protocol/dialects';

/** A credential, a balance or a right: the same request fails again until a person has acted. */
const FINAL: ReadonlySet<number> = new Set([401, 402, 403]);

/** Clients learn when to retry, or that a retry is of no use. */
export function faultHeaders(fault: Fault): string[] {
  const headers: string[] = [];
  const { status } = FAULT_RULES[fault.kind];
  if (fault.retryAfterMs !== undefined)
    headers.push('retry-after', String(Math.max(1, Math.ceil(fault.retryAfterMs / 1000))));
  else if (fault.retry !== false && (status === 429 || status === 503)) headers.push('retry-after', '1');
  if (fault.retry === false || FINAL.has(status) || fault.kind === 'over-budget')
    headers.push('x-should-retry', 'false');
  if (fault.cap !== undefined) headers.push(...refusedSpendHeaders(fault.cap));
  if (fault.allow !== undefined) headers.push('allow', fault.allow.join(', '));
  if (fault.kind === 'upgrade-required') headers.push('upgrade', 'HTTP/1.1');
  return headers;
}
