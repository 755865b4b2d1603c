/** What a failure of a connection means: the fault the caller sees, and whether the upstream can have received the request. */
import type { Fault } from '@trivium/protocol/canonical';

const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

/** No connection was established, so nothing was sent. */
export function isUnsent(error: Error): boolean {
  const code = codeOf(error);
  return UNREACHABLE.has(code) || code === CONNECT_TIMEOUT;
}

export function connectionFault(error: Error): Fault {
  const code = codeOf(error);
  if (code === CONNECT_TIMEOUT)
    return { kind: 'upstream-timeout', message: 'The upstream provider took too long.', unbegun: true };
  if (code === 'ETIMEDOUT') return { kind: 'upstream-timeout', message: 'The upstream provider took too long.' };
  if (UNREACHABLE.has(code))
    return { kind: 'upstream-overloaded', message: 'The upstream provider cannot be reached.', unbegun: true };
  return { kind: 'upstream-broken', message: 'The connection to the upstream provider broke.' };
}
