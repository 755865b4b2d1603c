/** Answers by Idempotency-Key as they lie in the database: compressed, and encrypted under the data key of their account. */
import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import type { StoredAnswer } from '../../kernel/idempotency.ts';
import { type AccountKeys, decrypt, encrypt } from '../../people/secrets/aead.ts';
import type { RepeatOwner, SealedAnswer } from '../../store/postgres/repeat-rows.ts';
import { isUnreferenced } from '../../store/postgres/unreachable.ts';

export type AnswerKeys = AccountKeys & {
  /** Something can be encrypted. */
  readonly isReady: boolean;
};

const [compress, expand] = [promisify(deflateRaw), promisify(inflateRaw)];
const QUICK = { level: constants.Z_BEST_SPEED };

/** Bound to the request that was answered: moved to another row it cannot be decrypted. */
const identityOf = ({ accountId, key, requestId }: RepeatOwner): string => `repeat:${accountId}:${requestId}:${key}`;

export class AnswerSeals {
  readonly #keys: AnswerKeys;

  constructor(keys: AnswerKeys) {
    this.#keys = keys;
  }

  /** Undefined where the account can have no key: it is one of the configuration file, or `secrets.keys` is not set. */
  async seal(owner: RepeatOwner, answer: StoredAnswer): Promise<SealedAnswer | undefined> {
    if (!this.#keys.isReady) return undefined;
    try {
      const { id, key } = await this.#keys.dataKeyFor(owner.accountId);
      const packed = await compress(Buffer.from(JSON.stringify(answer)), QUICK);
      return { dataKeyId: id, sealed: encrypt(key, identityOf(owner), packed) };
    } catch (error) {
      if (isUnreferenced(error)) return undefined;
      throw error;
    }
  }

  /** Rejects if its key is gone. */
  async open(owner: RepeatOwner, { dataKeyId, sealed }: SealedAnswer): Promise<StoredAnswer> {
    const found = await this.#keys.findDataKey(owner.accountId);
    if (found?.id !== dataKeyId) throw new Error('the data key of the answer is gone');
    // Written by `seal`: the cipher's authentication tag proves it.
    return JSON.parse((await expand(decrypt(found.key, identityOf(owner), sealed))).toString()) as StoredAnswer;
  }
}
