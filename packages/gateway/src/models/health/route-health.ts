/**
 * Circuit breakers, from the outcomes of calls: too many consecutive failures or stalls eject a target, each time for
 * longer; after that one call at a time may try it. Only unhealthy targets are stored, so a healthy day costs nothing.
 */
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Health, HealthChange, HealthHints, HealthOutcome, WhyOut } from '../../kernel/health.ts';

export type HealthRules = {
  readonly failures: number;
  readonly stalls: number;
  readonly outMs: number;
  readonly maxOutMs: number;
};

/** A circuit breaker as operators see it. Times are in monotonic ms. */
export type CircuitState = {
  /** `open`: no calls. `half-open`: its time is over, and one call tries it. */
  readonly state: 'closed' | 'open' | 'half-open';
  readonly why: WhyOut | undefined;
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  readonly failuresInRow: number;
  readonly stallsInRow: number;
};

const CLOSED: CircuitState = {
  state: 'closed',
  why: undefined,
  sinceMs: undefined,
  untilMs: undefined,
  failuresInRow: 0,
  stallsInRow: 0,
};

/**
 * Failures and timeouts count for the host, whatever the credential; a refused or rate-limited credential counts for
 * itself.
 */
export const hostKeyOf = (routeKey: string): string => routeKey.slice(0, routeKey.lastIndexOf(' '));

/** Ejection in ms if a host reports a rate limit without a retry-after. */
const RATE_PAUSE_MS = 1000;
/** Beyond this many unhealthy targets the oldest are evicted: starting over costs a few failures. */
const MAX_TROUBLED = 10_000;

type Trouble = {
  failures: number;
  stalls: number;
  /** Consecutive ejections: each one lasts twice as long. */
  ejections: number;
  out: boolean;
  /** The reason of the last ejection. */
  why: WhyOut | undefined;
  outSinceMs: number;
  outUntilMs: number;
  /** When the trial call must have reported. */
  trialUntilMs: number;
  backAtMs: number;
};

export class RouteHealth implements Health {
  readonly #rules: () => HealthRules;
  readonly #onChange: (change: HealthChange) => void;
  readonly #hints: HealthHints | undefined;
  readonly #troubled = new BoundedMap<string, Trouble>(MAX_TROUBLED);

  constructor(rules: () => HealthRules, onChange: (change: HealthChange) => void = () => {}, hints?: HealthHints) {
    this.#rules = rules;
    this.#onChange = onChange;
    this.#hints = hints;
  }

  cooldownMs(routeKey: string, nowMs: number): number {
    if (this.#troubled.size === 0) return 0;
    return Math.max(this.#cooldownMs(routeKey, nowMs), this.#cooldownMs(hostKeyOf(routeKey), nowMs));
  }

  enter(routeKey: string, nowMs: number): void {
    if (this.#troubled.size === 0) return;
    for (const key of [routeKey, hostKeyOf(routeKey)]) {
      const trouble = this.#troubled.get(key);
      if (trouble?.out === true && this.#cooldownMs(key, nowMs) === 0)
        trouble.trialUntilMs = nowMs + this.#rules().maxOutMs;
    }
  }

  begun(routeKey: string, nowMs: number): void {
    if (this.#troubled.size === 0) return;
    for (const key of [routeKey, hostKeyOf(routeKey)]) {
      const trouble = this.#troubled.get(key);
      if (trouble?.out !== true) continue;
      // Back in service, but one failure ejects it again until an answer is complete: it may break in the middle of
      // each.
      if (trouble.ejections > 0) {
        const { failures, stalls } = this.#rules();
        trouble.failures = failures - 1;
        trouble.stalls = stalls - 1;
      }
      this.#back(key, trouble, nowMs);
    }
  }

  report(routeKey: string, verdict: HealthOutcome, nowMs: number, retryAfterMs?: number): void {
    // A verdict on the credential ends a trial of the host, too, without judging it, and the other way round.
    if (verdict === 'unwelcome' || verdict === 'over-rate') {
      this.#trouble(routeKey, verdict, nowMs, retryAfterMs);
      this.#unjudged(hostKeyOf(routeKey));
    } else if (verdict === 'failed' || verdict === 'stalled') {
      this.#trouble(hostKeyOf(routeKey), verdict, nowMs);
      this.#unjudged(routeKey);
    } else if (this.#troubled.size > 0)
      for (const key of [routeKey, hostKeyOf(routeKey)])
        if (verdict === 'answered') this.#answered(key, nowMs);
        else this.#unjudged(key);
  }

  /** Another node has ejected it. */
  applyHint(routeKey: string, forMs: number, nowMs: number): void {
    const trouble = this.#of(routeKey);
    if (!trouble.out) this.#eject(routeKey, trouble, 'hint', Math.min(forMs, this.#rules().maxOutMs), nowMs);
  }

  /** Keys of the targets out of service, for metrics and the admin API. */
  *out(nowMs: number): Iterable<string> {
    for (const key of this.#troubled.keys()) if (this.#cooldownMs(key, nowMs) > 0) yield key;
  }

  /** For a route key, or its host key. */
  circuit(key: string, nowMs: number): CircuitState {
    const trouble = this.#troubled.get(key);
    if (trouble === undefined) return CLOSED;
    const { failures: failuresInRow, stalls: stallsInRow, out, why, outSinceMs, outUntilMs } = trouble;
    if (!out) return { ...CLOSED, failuresInRow, stallsInRow };
    const state = outUntilMs > nowMs ? 'open' : 'half-open';
    return { state, why, sinceMs: outSinceMs, untilMs: outUntilMs, failuresInRow, stallsInRow };
  }

  /**
   * Closes every open circuit of a provider, or of one model there, as if nothing had happened. Returns their number.
   */
  release(provider: string, model: string | undefined, nowMs: number): number {
    let released = 0;
    for (const [key, trouble] of [...this.#troubled.entries()]) {
      const isMeant =
        model === undefined ? key.startsWith(`${provider} `) : [key, hostKeyOf(key)].includes(`${provider} ${model}`);
      if (!isMeant) continue;
      this.#troubled.delete(key);
      if (!trouble.out) continue;
      this.#back(key, trouble, nowMs);
      released++;
    }
    return released;
  }

  #cooldownMs(key: string, nowMs: number): number {
    const trouble = this.#troubled.get(key);
    if (trouble?.out !== true) return 0;
    return Math.max(0, trouble.outUntilMs - nowMs, trouble.trialUntilMs - nowMs);
  }

  #answered(routeKey: string, nowMs: number): void {
    const trouble = this.#troubled.get(routeKey);
    if (trouble === undefined) return;
    if (trouble.out) this.#back(routeKey, trouble, nowMs);
    trouble.failures = 0;
    trouble.stalls = 0;
    // A target that has been healthy for long enough starts with a clean record.
    if (trouble.ejections === 0 || nowMs - trouble.backAtMs > this.#rules().maxOutMs) this.#troubled.delete(routeKey);
  }

  #unjudged(routeKey: string): void {
    const trouble = this.#troubled.get(routeKey);
    if (trouble !== undefined) trouble.trialUntilMs = 0;
  }

  #trouble(routeKey: string, verdict: HealthOutcome, nowMs: number, retryAfterMs?: number): void {
    const trouble = this.#of(routeKey);
    if (trouble.out) {
      // A late report of an earlier call changes nothing; a failed trial does.
      const wasTrial = trouble.trialUntilMs > 0 && nowMs >= trouble.outUntilMs;
      if (wasTrial) this.#eject(routeKey, trouble, whyOf(verdict), this.#nextOutMs(trouble, nowMs), nowMs);
      return;
    }
    if (verdict === 'over-rate') {
      const forMs = Math.min(retryAfterMs ?? RATE_PAUSE_MS, this.#rules().maxOutMs);
      if (forMs > 0) this.#eject(routeKey, trouble, 'rate', forMs, nowMs);
      return;
    }
    trouble.failures++;
    if (verdict === 'stalled') trouble.stalls++;
    const { failures, stalls } = this.#rules();
    if (verdict !== 'unwelcome' && trouble.failures < failures && trouble.stalls < stalls) return;
    const why = verdict === 'failed' && trouble.failures < failures ? 'stalls' : whyOf(verdict);
    this.#eject(routeKey, trouble, why, this.#nextOutMs(trouble, nowMs), nowMs);
  }

  #nextOutMs(trouble: Trouble, nowMs: number): number {
    const { outMs, maxOutMs } = this.#rules();
    if (trouble.ejections > 0 && !trouble.out && nowMs - trouble.backAtMs > maxOutMs) trouble.ejections = 0;
    const forMs = Math.min(maxOutMs, outMs * 2 ** trouble.ejections);
    trouble.ejections++;
    return forMs;
  }

  #eject(routeKey: string, trouble: Trouble, why: WhyOut, forMs: number, nowMs: number): void {
    trouble.out = true;
    trouble.why = why;
    trouble.outSinceMs = nowMs;
    trouble.outUntilMs = nowMs + forMs;
    trouble.trialUntilMs = 0;
    this.#onChange({ routeKey, now: 'out', why, forMs });
    if (why !== 'hint') this.#hints?.tell(routeKey, forMs);
  }

  #back(routeKey: string, trouble: Trouble, nowMs: number): void {
    trouble.out = false;
    trouble.trialUntilMs = 0;
    trouble.backAtMs = nowMs;
    this.#onChange({ routeKey, now: 'back' });
  }

  #of(routeKey: string): Trouble {
    const known = this.#troubled.get(routeKey);
    if (known !== undefined) return known;
    const trouble: Trouble = {
      failures: 0,
      stalls: 0,
      ejections: 0,
      out: false,
      why: undefined,
      outSinceMs: 0,
      outUntilMs: 0,
      trialUntilMs: 0,
      backAtMs: 0,
    };
    this.#troubled.set(routeKey, trouble);
    return trouble;
  }
}

function whyOf(verdict: HealthOutcome): WhyOut {
  if (verdict === 'unwelcome') return 'credential';
  if (verdict === 'over-rate') return 'rate';
  return verdict === 'stalled' ? 'stalls' : 'failures';
}
