// Keys from the configuration, found by the hash of the whole secret; the secrets themselves are not kept.

import { hash } from 'node:crypto';
import type { Caller } from './caller.ts';

export interface StaticKey {
  readonly name: string;
  /** SHA-256 of the secret, 64 lower-case hex digits. */
  readonly hash: string;
  readonly account: string;
  readonly strict: boolean;
  /** Absent: every model. An entry that ends in `*` allows every id that starts with what stands before it. */
  readonly models?: readonly string[];
  /** ISO 8601 with a zone. */
  readonly expiresAt?: string;
}

export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

const ALL_MODELS = (): boolean => true;

const allowList = (patterns: readonly string[] | undefined): ((modelId: string) => boolean) => {
  if (patterns === undefined) return ALL_MODELS;
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  return (modelId) => exact.has(modelId) || prefixes.some((prefix) => modelId.startsWith(prefix));
};

interface Entry {
  readonly caller: Caller;
  readonly expiresAtMs: number;
}

const entryOf = (key: StaticKey): Entry => ({
  caller: Object.freeze({
    keyId: key.name,
    accountId: key.account,
    strict: key.strict,
    mayUse: allowList(key.models),
  }),
  expiresAtMs: key.expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(key.expiresAt),
});

export class StaticKeys {
  readonly #byHash: ReadonlyMap<string, Entry>;
  readonly #nowMs: () => number;

  constructor(keys: readonly StaticKey[], nowMs: () => number) {
    this.#byHash = new Map(keys.map((key) => [key.hash, entryOf(key)]));
    this.#nowMs = nowMs;
  }

  /** Undefined for an unknown secret and for one whose key has expired; a stranger learns no difference. */
  find(secret: string): Caller | undefined {
    const entry = this.#byHash.get(hashSecret(secret));
    return entry !== undefined && this.#nowMs() < entry.expiresAtMs ? entry.caller : undefined;
  }
}
