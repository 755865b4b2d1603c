// Keys from the configuration, found by the hash of the whole secret; the secrets themselves are not stored.

import type { Caller } from '../../kernel/caller.ts';
import { callerOf } from './caller.ts';
import { hashSecret } from './key-secret.ts';
import type { Rights } from './rights.ts';

export interface StaticKey extends Omit<Rights, 'manages'> {
  readonly name: string;
  /** SHA-256 of the secret, 64 lower-case hex digits. */
  readonly hash: string;
  readonly account: string;
  readonly strict: boolean;
  readonly hedge?: boolean;
}

interface Entry {
  readonly caller: Caller;
  readonly expiresAtMs: number;
}

const of = (key: StaticKey): Caller => callerOf(key.name, key.account, key);

const entryOf = (key: StaticKey): Entry => ({
  caller: key.hedge === true ? Object.freeze({ ...of(key), hedges: true }) : of(key),
  expiresAtMs: key.expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(key.expiresAt),
});

export class StaticKeys {
  readonly #byHash: ReadonlyMap<string, Entry>;
  readonly #nowMs: () => number;

  constructor(keys: readonly StaticKey[], nowMs: () => number) {
    this.#byHash = new Map(keys.map((key) => [key.hash, entryOf(key)]));
    this.#nowMs = nowMs;
  }

  /** Undefined for an unknown secret and for an expired key; callers cannot tell the difference. */
  find(secret: string): Caller | undefined {
    return this.findByHash(hashSecret(secret));
  }

  findByHash(hash: string): Caller | undefined {
    const entry = this.#byHash.get(hash);
    return entry !== undefined && this.#nowMs() < entry.expiresAtMs ? entry.caller : undefined;
  }
}
