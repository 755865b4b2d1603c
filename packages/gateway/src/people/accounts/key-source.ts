// The source of keys that are not in the configuration, and the record of a key.

import type { Caller, CallerGrant, RateRule } from '../../kernel/caller.ts';
import type { Rights, Role } from './rights.ts';

export type KeyRecord = {
  readonly keyId: string;
  readonly accountId: string;
  readonly memberId: string | undefined;
  readonly rights: Rights;
  /** From now, by the store's clock; undefined: never. */
  readonly expiresInMs: number | undefined;
  /** Also of a key whose proof is due: it is refused wherever suspended accounts are. */
  readonly isSuspended: boolean;
  /**
   * It lives only while its person's last proof is young. `counted`: until it expires, unless there is another proof by
   * then. `due`: the proof is too old, and it is not accepted before the next.
   */
  readonly proof?: 'counted' | 'due' | undefined;
  /** Its role at the admin API for its account: never above its member's. */
  readonly role: Role | undefined;
  /** Rate limits for all keys of the account together; absent: as configured. */
  readonly accountRates?: RateRule | undefined;
  /** Tags of all its calls. */
  readonly tags?: Caller['tags'];
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

/** How long a key of a member lives on without a sign-in of its person. */
export type ProofRule = {
  /** Undefined: it does not depend on it. */
  readonly maxAgeMs?: number | undefined;
  /** Where people sign in; undefined if it is not known. */
  readonly signInUrl?: string | undefined;
};

export const proofDueMessage = ({ signInUrl }: ProofRule): string =>
  `The person of this key has not signed in for too long. Sign in${signInUrl === undefined ? ' in the console' : ` at ${signInUrl}`}, and the key works again.`;

/** Notified by the node that changes a key: `key:<hash>`, `new:<hash>` or `account:<id>`. */
export const KEY_CHANNEL = 'trivium_keys';
