/** What a failed attempt says: about the target's health, and about asking again. Two tables, and no state. */
import { FAULT_RULES, type Fault } from '@trivium/protocol/canonical';
import type { HealthOutcome } from '../kernel/health.ts';
import type { HowFailed } from '../kernel/upstream.ts';
import type { Failed } from '../routing/next.ts';

/** `status` is 0 where no head came. */
export type Failing = { readonly fault: Fault; readonly status: number; readonly how?: HowFailed | undefined };

const REFUSED_KEY = 401;
/** A key that is refused, spent or forbidden, or over its rate: another key may fare better. */
const OF_THE_CREDENTIAL: ReadonlySet<number> = new Set([REFUSED_KEY, 402, 403, 429]);

export function verdictOf({ fault, status, how }: Failing): HealthOutcome {
  if (how === 'lapsed' || FAULT_RULES[fault.kind].blame !== 'upstream') return 'unjudged';
  // One look at a 401 is enough; a 403 may be about the content of one request, so it takes several.
  if (status === REFUSED_KEY) return 'unwelcome';
  if (fault.kind === 'upstream-over-rate' || status === 429) return 'over-rate';
  return fault.kind === 'upstream-timeout' ? 'stalled' : 'failed';
}

export const failedOf = ({ fault, status, how }: Failing): Failed => ({
  elsewhere: FAULT_RULES[fault.kind].elsewhere,
  unexecuted: how === 'unsent' || fault.unbegun === true,
  credential: OF_THE_CREDENTIAL.has(status) || fault.kind === 'upstream-over-rate',
  busy: fault.kind === 'upstream-over-rate' || fault.kind === 'upstream-overloaded',
  lapsed: how === 'lapsed',
  refusal: fault.kind === 'refused',
  tooLong: fault.kind === 'context-exceeded',
  retryAfterMs: fault.retryAfterMs,
});
