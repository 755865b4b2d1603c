// Where keys that are not in the file come from, and what is known of one.

import type { RateRule, Rights, Role } from './rights.ts';

export type KeyRecord = {
  readonly keyId: string;
  readonly accountId: string;
  readonly memberId: string | undefined;
  readonly rights: Rights;
  /** From now, by the clock of the store; undefined: never. */
  readonly expiresInMs: number | undefined;
  readonly isSuspended: boolean;
  /** What it may do for its account at the admin API: never more than its member. */
  readonly role: Role | undefined;
  /** What all keys of the account may use together; absent: as the configuration has it. */
  readonly accountRates?: RateRule | undefined;
};

export interface KeySource {
  /** By the SHA-256 of the secret, in hex. Undefined for revoked and expired ones too; rejects when it cannot be asked. */
  find(hash: string): Promise<KeyRecord | undefined>;
}

/** The issuer of a token cannot be asked: the token may be good or not. */
export class IssuerUnreachable extends Error {
  constructor(issuer: string, cause: unknown) {
    super(`the keys of ${issuer} could not be fetched`, { cause });
    this.name = 'IssuerUnreachable';
  }
}

/** Tokens of issuers that are trusted, in place of keys. */
export interface TokenSource {
  /** Whether it looks like one; what does is not asked for elsewhere. */
  isToken(secret: string): boolean;
  /** Undefined for one that is not to be believed; rejects with `IssuerUnreachable` when its issuer cannot be asked. */
  find(token: string): Promise<KeyRecord | undefined>;
}

/** Told by whoever changes a key: `key:<hash>`, `new:<hash>` or `account:<id>`. */
export const KEY_CHANNEL = 'trivium_keys';
