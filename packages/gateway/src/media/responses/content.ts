/** Stored JSON: compressed unless it is short, then encrypted under the data key of its account and bound to its row. */
import { promisify } from 'node:util';
import {
  brotliCompressSync,
  brotliDecompressSync,
  constants,
  zstdCompress,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { type AccountKey, type AccountKeys, decrypt, encrypt } from '../../people/secrets/aead.ts';

const MAX_KNOWN_KEYS = 10_000;
/** In characters. Up to this, compression takes more of the processor than everything else that stores a text, and saves a few KB. */
const SHORT_LENGTH = 8192;
/** Beyond this, other threads compress. */
const SMALL_LENGTH = 131_072;
/** Larger buffers cost more than what they hold. */
const CHUNK_BYTES = 8192;
/** Of small texts: its working memory is small, while that of zstd costs more than the compression. */
const QUICK = { [constants.BROTLI_PARAM_QUALITY]: 0 };
/** Frames of zstd, and JSON that is not compressed, begin with other bytes. */
const BROTLI_MARK = Buffer.of(0xb1);
const JSON_BEGINS: ReadonlySet<number | undefined> = new Set(Buffer.from('{['));
const [compressLarge, expandLarge] = [promisify(zstdCompress), promisify(zstdDecompress)];

export class StoredContent {
  readonly #keys: AccountKeys;
  /** A key that was deleted is not asked for: rows without their key are not read. */
  readonly #known = new BoundedMap<string, AccountKey>(MAX_KNOWN_KEYS);

  constructor(keys: AccountKeys) {
    this.#keys = keys;
  }

  /** `isStale`: the known one is not the account's any more. */
  async keyFor(accountId: string, isStale = false): Promise<AccountKey> {
    const known = this.#known.get(accountId);
    if (known !== undefined && !isStale) return known;
    const key = await this.#keys.dataKeyFor(accountId);
    this.#known.set(accountId, key);
    return key;
  }

  /** Undefined if it is not the account's any more; one that was deleted just now may still be known. */
  async keyOf(accountId: string, keyId: string): Promise<AccountKey | undefined> {
    const known = this.#known.get(accountId);
    const found = known?.id === keyId ? known : await this.#keys.findDataKey(accountId);
    if (found?.id !== keyId) return undefined;
    this.#known.set(accountId, found);
    return found;
  }

  /** `text`: of an object or a list. */
  async seal({ key }: AccountKey, identity: string, text: string): Promise<Buffer> {
    if (text.length <= SHORT_LENGTH) return encrypt(key, identity, text);
    const plain = Buffer.from(text);
    const packed =
      plain.length > SMALL_LENGTH
        ? await compressLarge(plain)
        : Buffer.concat([
            BROTLI_MARK,
            brotliCompressSync(plain, {
              chunkSize: CHUNK_BYTES,
              params: { ...QUICK, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
            }),
          ]);
    return encrypt(key, identity, packed);
  }

  /** Undefined if its key is gone, or it is longer than that. */
  async open(
    accountId: string,
    keyId: string,
    identity: string,
    sealed: Buffer,
    maxBytes: number,
  ): Promise<string | undefined> {
    const found = await this.keyOf(accountId, keyId);
    if (found === undefined) return undefined;
    const packed = decrypt(found.key, identity, sealed);
    if (JSON_BEGINS.has(packed[0])) return packed.length > maxBytes ? undefined : packed.toString();
    const bound = { maxOutputLength: maxBytes };
    try {
      if (packed[0] === BROTLI_MARK[0]) return brotliDecompressSync(packed.subarray(1), bound).toString();
      const plain = sealed.length > SMALL_LENGTH ? await expandLarge(packed, bound) : zstdDecompressSync(packed, bound);
      return plain.toString();
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}
