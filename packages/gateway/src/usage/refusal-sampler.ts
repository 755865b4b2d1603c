/**
 * Refused requests leave a record while they are few. Of a flood some do, so that it cannot fill the table, and each says how
 * many before it did not; metrics count them all.
 */
import { BoundedMap } from '../kernel/bounded-map.ts';

export type SampleRate = { readonly perSecond: number; readonly burst: number };

export const REFUSAL_RATES = {
  /** Of one account and process. */
  account: { perSecond: 5, burst: 100 },
  /** Of all requests without a valid credential together, in one process: at most 86,450 rows a day. */
  strangers: { perSecond: 1, burst: 50 },
} as const satisfies Record<string, SampleRate>;

const MAX_ACCOUNTS = 1000;
const SECOND_MS = 1000;

type Bucket = {
  /** When it will be full again. */
  fullAtMs: number;
  unrecorded: number;
};

export class RefusalSampler {
  readonly #buckets = new BoundedMap<string, Bucket>(MAX_ACCOUNTS);

  /** How many were not recorded since the last one that was; undefined where this is not, either. */
  take(accountId: string | undefined, nowMs: number): number | undefined {
    const { perSecond, burst } = accountId === undefined ? REFUSAL_RATES.strangers : REFUSAL_RATES.account;
    const bucket = this.#buckets.getOrInsertComputed(accountId ?? '', () => ({ fullAtMs: nowMs, unrecorded: 0 }));
    const everyMs = SECOND_MS / perSecond;
    const fullAtMs = Math.max(bucket.fullAtMs, nowMs) + everyMs;
    if (fullAtMs - nowMs > burst * everyMs) {
      bucket.unrecorded++;
      return undefined;
    }
    bucket.fullAtMs = fullAtMs;
    const { unrecorded } = bucket;
    bucket.unrecorded = 0;
    return unrecorded;
  }
}
