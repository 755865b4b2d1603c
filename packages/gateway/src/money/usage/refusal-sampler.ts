/**
 * Every refused request leaves a record while they are few. A flood is sampled, so that it cannot fill the table, and
 * each record says how many before it were left out; metrics count them all.
 */
import { BoundedMap } from '../../kernel/bounded-map.ts';

export type SampleRate = { readonly perSecond: number; readonly burst: number };

export const REFUSAL_RATES = {
  /** Per account and process. */
  account: { perSecond: 5, burst: 100 },
  /** For all requests without a valid credential together, in one process: at most 86,450 rows a day. */
  unauthenticated: { perSecond: 1, burst: 50 },
} as const satisfies Record<string, SampleRate>;

const MAX_ACCOUNTS = 1000;
const SECOND_MS = 1000;

type Bucket = {
  /** When the token bucket will be full again. */
  fullAtMs: number;
  unrecorded: number;
};

export class RefusalSampler {
  readonly #buckets = new BoundedMap<string, Bucket>(MAX_ACCOUNTS);

  /**
   * How many were left out since the last recorded one; undefined if this one is left out, too: the flood is too large,
   * or there is no room to record it.
   */
  take(accountId: string | undefined, nowMs: number, hasRoom = true): number | undefined {
    const { perSecond, burst } = accountId === undefined ? REFUSAL_RATES.unauthenticated : REFUSAL_RATES.account;
    const bucket = this.#buckets.getOrInsertComputed(accountId ?? '', () => ({ fullAtMs: nowMs, unrecorded: 0 }));
    const everyMs = SECOND_MS / perSecond;
    // Further ahead than any burst: the clock was set back.
    if (bucket.fullAtMs - nowMs > burst * everyMs) bucket.fullAtMs = nowMs;
    const fullAtMs = Math.max(bucket.fullAtMs, nowMs) + everyMs;
    if (!hasRoom || fullAtMs - nowMs > burst * everyMs) {
      bucket.unrecorded++;
      return undefined;
    }
    bucket.fullAtMs = fullAtMs;
    const { unrecorded } = bucket;
    bucket.unrecorded = 0;
    return unrecorded;
  }
}
