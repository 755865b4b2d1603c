/** Callers with tokens (JWT), with all dependencies; part of the composition root. */
import { isDeepStrictEqual } from 'node:util';
import { callerAccount } from '../control/sessions/identity-rows.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Upstream } from '../kernel/upstream.ts';
import { KnownKeys } from '../people/accounts/known-keys.ts';
import { CallerTokens } from '../people/identity/caller-tokens.ts';
import { issuerFetch } from '../people/identity/issuer-fetch.ts';
import type { CallerIssuer } from '../people/identity/issuers.ts';
import type { Log } from '../telemetry/log.ts';
import type { Backing } from './backing.ts';

/** Keys that are not in the file: those of the database, and tokens. Without a database, tokens alone. */
export class OpenCallerTokens {
  readonly #backing: Backing | undefined;
  readonly #upstream: Upstream;
  readonly #keys: KnownKeys;
  #issuers: readonly CallerIssuer[] = [];

  constructor(backing: Backing | undefined, upstream: Upstream, log: Log) {
    this.#backing = backing;
    this.#upstream = upstream;
    this.#keys = backing?.keys ?? tokensAlone(log);
  }

  /** Undefined if only keys of the file are accepted. Tokens of issuers trusted before are no longer accepted. */
  keysFor(issuers: readonly CallerIssuer[]): KnownKeys | undefined {
    if (!isDeepStrictEqual(issuers, this.#issuers)) {
      this.#issuers = issuers;
      const store = this.#backing?.store;
      this.#keys.takeTokens(
        new CallerTokens(issuers, {
          fetch: issuerFetch(this.#upstream),
          nowMs: systemClock.nowMs,
          accountOf: async (accountId, person) =>
            store === undefined
              ? { isSuspended: false, memberId: undefined }
              : store.within(accountId, (db) => callerAccount(db, accountId, person)),
        }),
      );
    }
    return this.#backing === undefined && issuers.length === 0 ? undefined : this.#keys;
  }
}

/** There is no store that could be down, and no other node to get notifications from. */
function tokensAlone(log: Log): KnownKeys {
  const keys = new KnownKeys({
    source: { find: async () => undefined },
    monotonicMs: systemClock.monotonicMs,
    graceMs: Number.POSITIVE_INFINITY,
    onTrouble: (error) => log.warn('caller token not checked', { error }),
  });
  keys.nowListening();
  return keys;
}
