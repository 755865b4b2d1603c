/** Which requests are captured: by the latest rule of the key, or else of its account, until its end date. */
export const BODIES = ['off', 'errors', 'sample', 'all'] as const;

type Bodies = (typeof BODIES)[number];

export type CaptureRule = {
  readonly accountId: string;
  /** Null: for the whole account. */
  readonly keyId: string | null;
  /** `inherit`, for keys only: as the account. */
  readonly bodies: Bodies | 'inherit';
  readonly samplePercent: number;
  readonly keepHours: number;
  /** Null if nothing is captured. */
  readonly untilMs: number | null;
  readonly fromMs: number;
};

/** A rule that captures something. */
export type ActiveRule = CaptureRule & { readonly bodies: Exclude<Bodies, 'off'>; readonly untilMs: number };

export const isActive = (rule: CaptureRule | undefined, nowMs: number): rule is ActiveRule =>
  rule !== undefined &&
  rule.bodies !== 'off' &&
  rule.bodies !== 'inherit' &&
  rule.untilMs !== null &&
  nowMs < rule.untilMs;

const HASH_START = 0x811c9dc5;
const HASH_PRIME = 0x01000193;
const HASH_RANGE = 2 ** 32;

/** Equal on every node and at any time, so that the API can say why a request was left out. */
export function isSampled(requestId: string, percent: number): boolean {
  let hash = HASH_START;
  for (let at = 0; at < requestId.length; at++) hash = Math.imul(hash ^ requestId.charCodeAt(at), HASH_PRIME);
  // The last characters differ most, and reach the high bits last.
  hash = Math.imul(hash ^ (hash >>> 16), HASH_START);
  return (((hash ^ (hash >>> 13)) >>> 0) / HASH_RANGE) * 100 < percent;
}

const nameOf = (accountId: string, keyId: string | null): string => `${accountId}\n${keyId ?? ''}`;

/** The rules in force, by account and key. */
export class CaptureRules {
  readonly #byName = new Map<string, CaptureRule>();

  /** The latest rule of an account or key applies, whatever the order. */
  constructor(rules: readonly CaptureRule[] = []) {
    for (const rule of rules) {
      const name = nameOf(rule.accountId, rule.keyId);
      const known = this.#byName.get(name);
      if (known === undefined || known.fromMs <= rule.fromMs) this.#byName.set(name, rule);
    }
  }

  of(accountId: string, keyId: string): CaptureRule | undefined {
    const own = this.#byName.get(nameOf(accountId, keyId));
    return own === undefined || own.bodies === 'inherit' ? this.#byName.get(nameOf(accountId, null)) : own;
  }

  /** The last end date of the active rules; undefined: none is active. */
  lastEndMs(nowMs: number): number | undefined {
    const ends = [...this.#byName.values()].flatMap((rule) => (isActive(rule, nowMs) ? [rule.untilMs] : []));
    return ends.length === 0 ? undefined : Math.max(...ends);
  }
}
