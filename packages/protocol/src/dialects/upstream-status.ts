/** What an upstream's HTTP status means if its body says nothing more, and how its message is passed on. */
import type { Fault } from '../canonical/fault.ts';
import { GatewayError } from '../canonical/gateway-error.ts';

/** Longer than what callers see: the engine redacts the message first, and could not recognise a truncated secret. */
const MAX_UPSTREAM_MESSAGE = 4096;

export const OVER_RATE: Fault = { kind: 'upstream-over-rate', message: "The provider's rate limit was exceeded." };

/** The caller's mistake, in the upstream's words. */
export const refusedFor = (message: string | undefined): Fault => ({
  kind: 'refused',
  message:
    message === undefined ? 'The upstream provider refused this request.' : message.slice(0, MAX_UPSTREAM_MESSAGE),
});

/**
 * A refusal, and whether its message says that the prompt is longer than the model's context: a larger model may accept
 * it.
 */
export function refusedOrTooLong(message: string | undefined, tooLong: RegExp): Fault {
  const fault = refusedFor(message);
  return tooLong.test(fault.message) ? { ...fault, kind: 'context-exceeded' } : fault;
}

/** Statuses with which upstreams refuse the caller's request. */
export const isRefusal = (status: number): boolean => status === 400 || status === 413 || status === 422;

/**
 * For any status except a refusal: keys, quotas and routes are the operator's to fix, so the caller sees no details.
 */
export function faultOfStatus(status: number): Fault {
  if (status === 429) return OVER_RATE;
  if (status === 408 || status === 504)
    return { kind: 'upstream-timeout', message: 'The upstream provider took too long.' };
  if (status === 503 || status === 529)
    return { kind: 'upstream-overloaded', message: 'The upstream provider is overloaded.' };
  return { kind: 'upstream-broken', message: 'The upstream provider failed to answer.' };
}

/** The upstream's answer is not a valid answer. */
export const broken = (message: string): GatewayError => new GatewayError({ kind: 'upstream-broken', message });
