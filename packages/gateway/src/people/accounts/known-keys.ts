/**
 * Key cache on the hot path: cached keys are answered from memory, without a promise. Notifications from other nodes
 * drop changed keys; while notifications may be missed, cached keys are looked up again. With the store down, they stay
 * valid for a grace period.
 */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Accounts } from '../../kernel/caller-port.ts';
import { callerOf } from './caller.ts';
import { hashSecret, isWellFormed } from './key-secret.ts';
import {
  IssuerUnreachable,
  type KeyRecord,
  type KeySource,
  type ProofRule,
  proofDueMessage,
  type TokenSource,
} from './key-source.ts';
import type { StaticKeys } from './static-keys.ts';

export type KnownKeysPorts = {
  readonly source: KeySource;
  readonly monotonicMs: () => number;
  /** How long cached keys are accepted while the store does not answer. */
  readonly graceMs: number;
  readonly onTrouble: (error: unknown) => void;
  /** For keys that live only while their person's last proof is young. */
  readonly proofRule?: () => ProofRule;
};

const MAX_KNOWN = 100_000;
const MAX_UNKNOWN = 10_000;
/** Maximum concurrent lookups: a flood of invented keys must not pile up in front of the store. */
const MAX_LOOKUPS = 1000;
/**
 * How long an unknown key is cached. Also the longest delay of a new key's first use if the notification of its
 * creation is lost.
 */
const UNKNOWN_MS = 1000;
/** Longest trust in a cached key while notifications may be missed. */
const UNNOTIFIED_MS = 500;
/** A notification may be lost in rare cases: keys in use are refreshed this often, in the background. */
const REFRESH_MS = 30_000;
/** Pause after the store did not answer. */
const ASK_AGAIN_MS = 1000;

const UNREACHABLE: Fault = {
  kind: 'overloaded',
  message: 'API keys cannot be checked at the moment. Try again shortly.',
  retryAfterMs: 2000,
};
const SUSPENDED = new GatewayError({ kind: 'forbidden', message: 'This account is suspended.' });

type Known = {
  readonly record: KeyRecord;
  readonly isToken: boolean;
  readonly caller: Caller;
  readonly checkedAtMs: number;
  readonly expiresAtMs: number;
};

type Lookup = {
  found: Promise<Known | undefined>;
  /** The record being read may have changed since. */
  isOutdated: boolean;
  /** The key was created since: its absence must not be cached, the key may be. */
  isNew: boolean;
};

export class KnownKeys {
  readonly #ports: KnownKeysPorts;
  readonly #known = new BoundedMap<string, Known>(MAX_KNOWN);
  #unknownUntilMs = new BoundedMap<string, number>(MAX_UNKNOWN);
  readonly #lookups = new Map<string, Lookup>();
  #tokens: TokenSource | undefined;
  #listeningSinceMs: number | undefined;
  #lastContactMs: number;
  #askAgainAtMs = 0;

  constructor(ports: KnownKeysPorts) {
    this.#ports = ports;
    this.#lastContactMs = ports.monotonicMs();
  }

  get size(): number {
    return this.#known.size;
  }

  /** Replaces the token source: neither accepted nor refused tokens stay cached. */
  takeTokens(tokens: TokenSource): void {
    this.#tokens = tokens;
    this.#unknownUntilMs = new BoundedMap(MAX_UNKNOWN);
    for (const [hash, { isToken }] of this.#known.entries()) if (isToken) this.#known.delete(hash);
    for (const lookup of this.#lookups.values()) lookup.isOutdated = true;
  }

  /** Configured keys come first, and are never looked up in the store. */
  behind(fixed: StaticKeys): Accounts {
    return {
      find: (secret) => {
        const hash = hashSecret(secret);
        const caller = fixed.findByHash(hash);
        if (caller !== undefined) return caller;
        const known = this.#lookIn(hash, secret);
        return known instanceof Promise ? known.then(this.#callerIn) : this.#callerIn(known);
      },
    };
  }

  /** For the admin API: the same check, with the whole record. Configured keys have no role there. */
  async known(secret: string): Promise<{ readonly record: KeyRecord; readonly caller: Caller } | undefined> {
    return this.#lookIn(hashSecret(secret), secret);
  }

  /** The same by the hash of a secret that was presented before. */
  async knownByHash(hash: string): Promise<{ readonly record: KeyRecord; readonly caller: Caller } | undefined> {
    return this.#lookIn(hash, undefined);
  }

  /** Notifications from other nodes arrive from now on. */
  nowListening(): void {
    this.#listeningSinceMs = this.#ports.monotonicMs();
  }

  /** Notifications may be missed from now on. */
  stoppedListening(): void {
    this.#listeningSinceMs = undefined;
  }

  /** The store has answered. */
  noteContact(): void {
    this.#lastContactMs = this.#ports.monotonicMs();
  }

  forget(message: string): void {
    const [what, name = ''] = message.split(':', 2);
    const lookup = this.#lookups.get(name);
    if (what === 'new') {
      this.#unknownUntilMs.delete(name);
      if (lookup !== undefined) lookup.isNew = true;
      return;
    }
    if (what === 'key') {
      this.#known.delete(name);
      this.#unknownUntilMs.delete(name);
      if (lookup !== undefined) lookup.isOutdated = true;
      return;
    }
    for (const [hash, { record }] of this.#known.entries()) if (record.accountId === name) this.#known.delete(hash);
    // The accounts of running lookups are not known yet, and their rows may have been read before the change.
    for (const lookup of this.#lookups.values()) lookup.isOutdated = true;
  }

  /** Without the secret: it was well-formed when it was presented. */
  #lookIn(hash: string, secret: string | undefined): Known | undefined | Promise<Known | undefined> {
    const nowMs = this.#ports.monotonicMs();
    const known = this.#known.get(hash);
    if (known !== undefined) {
      const isOver = nowMs >= known.expiresAtMs;
      if (isOver && known.record.proof !== 'counted') return undefined;
      // A later proof may have extended it: the store knows.
      if (isOver) this.#known.delete(hash);
      else if (this.#isTrusted(known, hash, secret, nowMs)) return known;
    } else if ((secret !== undefined && !this.#isPlausible(secret)) || nowMs < (this.#unknownUntilMs.get(hash) ?? 0))
      return undefined;
    if (nowMs < this.#askAgainAtMs) return this.#withoutStore(this.#known.get(hash), nowMs);
    return this.#ask(hash, secret);
  }

  #isPlausible(secret: string): boolean {
    return isWellFormed(secret) || this.#tokens?.isToken(secret) === true;
  }

  #isTrusted(known: Known, hash: string, secret: string | undefined, nowMs: number): boolean {
    const ageMs = nowMs - known.checkedAtMs;
    if (this.#listeningSinceMs === undefined || known.checkedAtMs < this.#listeningSinceMs)
      return ageMs < UNNOTIFIED_MS;
    // Notifications over Redis do not show that the store is alive.
    if (nowMs - this.#lastContactMs > this.#ports.graceMs) return false;
    if (ageMs > REFRESH_MS && nowMs >= this.#askAgainAtMs) this.#ask(hash, secret, false).catch(() => undefined);
    return true;
  }

  /** One lookup at a time per key, shared by all requests. */
  #ask(hash: string, secret: string | undefined, isWaitedFor = true): Promise<Known | undefined> {
    const underWay = this.#lookups.get(hash);
    if (underWay !== undefined && !underWay.isOutdated) return underWay.found;
    if (this.#lookups.size >= MAX_LOOKUPS) return Promise.reject(new GatewayError(UNREACHABLE));
    const lookup: Lookup = { isOutdated: false, isNew: false, found: Promise.resolve(undefined) };
    lookup.found = this.#lookUp(hash, secret, lookup, isWaitedFor).finally(() => {
      if (this.#lookups.get(hash) === lookup) this.#lookups.delete(hash);
    });
    this.#lookups.set(hash, lookup);
    return lookup.found;
  }

  async #lookUp(
    hash: string,
    secret: string | undefined,
    lookup: Lookup,
    isWaitedFor: boolean,
  ): Promise<Known | undefined> {
    const { source, monotonicMs, onTrouble } = this.#ports;
    const askedAtMs = monotonicMs();
    const token = secret !== undefined && this.#tokens?.isToken(secret) === true ? secret : undefined;
    try {
      const record = token === undefined ? await source.find(hash, isWaitedFor) : await this.#tokens?.find(token);
      // A token rejected without a lookup does not show that the store is alive.
      if (token === undefined || record !== undefined) this.noteContact();
      const known = record === undefined ? undefined : knownFrom(record, askedAtMs, token !== undefined);
      if (!lookup.isOutdated && (known !== undefined || !lookup.isNew)) this.#remember(hash, known);
      return known;
    } catch (error) {
      onTrouble(error);
      // An unreachable issuer is no reason to pause lookups in the store.
      if (!(error instanceof IssuerUnreachable)) this.#askAgainAtMs = monotonicMs() + ASK_AGAIN_MS;
      return this.#withoutStore(this.#known.get(hash), monotonicMs(), error);
    }
  }

  #remember(hash: string, known: Known | undefined): void {
    this.#known.delete(hash);
    if (known === undefined) {
      this.#unknownUntilMs.set(hash, this.#ports.monotonicMs() + UNKNOWN_MS);
      return;
    }
    this.#known.set(hash, known);
  }

  readonly #callerIn = (known: Known | undefined): Caller | undefined => {
    if (known?.record.isSuspended !== true) return known?.caller;
    if (known.record.proof !== 'due') throw SUSPENDED;
    throw new GatewayError({ kind: 'forbidden', message: proofDueMessage(this.#ports.proofRule?.() ?? {}) });
  };

  #withoutStore(known: Known | undefined, nowMs: number, cause?: unknown): Known {
    if (known !== undefined && nowMs - this.#lastContactMs <= this.#ports.graceMs) return known;
    throw new GatewayError(UNREACHABLE, { cause });
  }
}

const knownFrom = (record: KeyRecord, checkedAtMs: number, isToken: boolean): Known => ({
  record,
  isToken,
  caller: callerOf(
    record.keyId,
    record.accountId,
    record.rights,
    record.memberId,
    record.accountRates,
    record.grant,
    record.tags,
  ),
  checkedAtMs,
  expiresAtMs: record.expiresInMs === undefined ? Number.POSITIVE_INFINITY : checkedAtMs + record.expiresInMs,
});
