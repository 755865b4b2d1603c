// The source of keys that are not in the configuration, and the record of a key.

import type { CallerGrant, RateRule } from '../../kernel/caller.ts';
import type { Rights, Role } from './rights.ts';

export type KeyRecord = {
  readonly keyId: string;
  readonly accountId: string;
  readonly memberId: string | undefined;
  readonly rights: Rights;
  /** From now, by the store's clock; undefined: never. */
  readonly expiresInMs: number | undefined;
  readonly isSuspended: boolean;
  /** Its role at the admin API for its account: never above its member's. */
  readonly role: Role | undefined;
  /** Rate limits for all keys of the account together; absent: as configured. */
  readonly accountRates?: RateRule | undefined;
  /** Only of a token of a sign-in, which is good for calls and nothing else. */
  readonly grant?: CallerGrant;
};

export interface KeySource {
  /**
   * By the SHA-256 of the secret, in hex. Undefined also for revoked and expired keys; rejects if the store is
   * unreachable. What nothing waits for may take longer.
   */
  find(hash: string, isWaitedFor?: boolean): Promise<KeyRecord | undefined>;
}

/** The issuer of a token is unreachable: whether the token is valid is unknown. */
export class IssuerUnreachable extends Error {
  constructor(issuer: string, cause: unknown) {
    super(`the keys of ${issuer} could not be fetched`, { cause });
    this.name = 'IssuerUnreachable';
  }
}

/** Tokens of trusted issuers, in place of keys. */
export interface TokenSource {
  /** Whether it has the form of a token; if so, it is not looked up as a key. */
  isToken(secret: string): boolean;
  /** Undefined for an invalid token; rejects with `IssuerUnreachable` if its issuer cannot be reached. */
  find(token: string): Promise<KeyRecord | undefined>;
}

/** Notified by the node that changes a key: `key:<hash>`, `new:<hash>` or `account:<id>`. */
export const KEY_CHANNEL = 'trivium_keys';
