/**
 * A value that is fetched, kept, and renewed before it ends: one fetch at a time, in the background while the value
 * still counts. A failed renewal leaves the value in use until it ends.
 */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { Clock } from '../../kernel/clock.ts';
import type { CredentialState } from '../../kernel/upstream.ts';

/** `renewInMs`: if the issuer says when to ask again. */
export type Issued<T> = { readonly value: T; readonly lifetimeMs: number; readonly renewInMs?: number | undefined };

/** In ms. Clocks differ, and a request takes a while to arrive. */
const SAFETY_MS = 60_000;
/** In ms. As the clouds' own libraries. */
const RENEW_EARLY_MS = 5 * 60_000;
/** In ms. After a failure nothing is fetched for this long: callers get the same error at once. */
const FAILURE_PAUSE_MS = 1000;
/** In ms. What is refused so soon after it was issued has not expired, and another one would be refused, too. */
const FRESH_MS = 10_000;

/** In ms. As AWS's own libraries, whose services take keys a while longer when their issuer is away. */
const PROLONGED_MS = 5 * 60_000;

const SIGN_IN_FAILED: Fault = {
  kind: 'upstream-broken',
  message: 'The gateway could not sign in at the upstream provider.',
};

type Kept<T> = {
  readonly value: T;
  readonly keptAtMs: number;
  readonly countsUntilMs: number;
  readonly renewAtMs: number;
  readonly endsAtMs: number;
};

export class Renewed<T> {
  readonly #issue: () => Promise<Issued<T>>;
  readonly #clock: Clock;
  readonly #isProlonged: boolean;
  #kept: Kept<T> | undefined;
  /** Refused, and not replaced yet. */
  #dropped: { readonly value: T } | undefined;
  #renewal: Promise<T> | undefined;
  #failure: { readonly error: GatewayError; readonly atMs: number } | undefined;

  /** `isProlonged`: while the issuer is away, a value is used beyond its end, five minutes at a time. */
  constructor(issue: () => Promise<Issued<T>>, clock: Clock, isProlonged = false) {
    this.#issue = issue;
    this.#clock = clock;
    this.#isProlonged = isProlonged;
  }

  /** A promise only while there is no value that counts. */
  get(): T | Promise<T> {
    const nowMs = this.#clock.nowMs();
    const kept = this.#kept;
    if (kept === undefined || nowMs >= kept.countsUntilMs) return this.#renew(nowMs);
    // Later requests may wait for it; this one has a valid value.
    if (nowMs >= kept.renewAtMs) this.#renew(nowMs).catch(() => undefined);
    return kept.value;
  }

  /**
   * The host refused a value. True if the next one may work: all that were refused wait for one renewal. Who was refused
   * at once after a renewal has not expired.
   */
  refused(isOf: (value: T) => boolean): boolean {
    const kept = this.#kept;
    if (kept === undefined || !isOf(kept.value)) return kept !== undefined || this.#isDropped(isOf);
    if (this.#clock.nowMs() - kept.keptAtMs < FRESH_MS) return false;
    this.#dropped = { value: kept.value };
    this.#kept = undefined;
    return true;
  }

  #isDropped(isOf: (value: T) => boolean): boolean {
    return this.#dropped !== undefined && isOf(this.#dropped.value);
  }

  get state(): CredentialState {
    const { keptAtMs = null, renewAtMs = null, endsAtMs = null } = this.#kept ?? {};
    const { error, atMs = null } = this.#failure ?? {};
    return { issuedAtMs: keptAtMs, renewAtMs, endsAtMs, failedAtMs: atMs, failure: error?.fault.message ?? null };
  }

  #renew(nowMs: number): Promise<T> {
    const failure = this.#failure;
    if (failure !== undefined && nowMs < failure.atMs + FAILURE_PAUSE_MS) return Promise.reject(failure.error);
    this.#renewal ??= this.#fetch().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #fetch(): Promise<T> {
    try {
      const issued = await this.#issue();
      this.#failure = undefined;
      this.#dropped = undefined;
      return this.#keep(issued);
    } catch (cause) {
      const error = cause instanceof GatewayError ? cause : new GatewayError(SIGN_IN_FAILED, { cause });
      const nowMs = this.#clock.nowMs();
      this.#failure = { error, atMs: nowMs };
      const kept = this.#kept;
      if (!this.#isProlonged || kept === undefined) throw error;
      if (nowMs >= kept.countsUntilMs) this.#kept = { ...kept, countsUntilMs: nowMs + PROLONGED_MS };
      return kept.value;
    }
  }

  #keep({ value, lifetimeMs, renewInMs }: Issued<T>): T {
    const keptAtMs = this.#clock.nowMs();
    // A value too short-lived for the margins is used for half its lifetime.
    const counts = lifetimeMs - Math.min(SAFETY_MS, lifetimeMs / 2);
    const renewIn = renewInMs ?? Math.max(lifetimeMs - RENEW_EARLY_MS, lifetimeMs / 2);
    this.#kept = {
      value,
      keptAtMs,
      countsUntilMs: keptAtMs + counts,
      renewAtMs: keptAtMs + Math.min(renewIn, counts),
      endsAtMs: keptAtMs + lifetimeMs,
    };
    return value;
  }
}
