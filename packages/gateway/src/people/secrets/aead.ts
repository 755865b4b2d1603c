/** AES-256-GCM: nonce, ciphertext and tag in one buffer, bound to an identity (associated data). */
import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

export type AccountKey = { readonly id: string; readonly key: Buffer };

/** Data keys of accounts: who deletes one erases what is encrypted with it. */
export interface AccountKeys {
  /** Created if the account has none; rejects if nothing can be encrypted. */
  dataKeyFor(accountId: string): Promise<AccountKey>;
  findDataKey(accountId: string): Promise<AccountKey | undefined>;
}

export const KEY_BYTES = 32;

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Drawn many at once: a draw costs more than its bytes. Each is used once. */
const NONCES = Buffer.alloc(NONCE_BYTES * 256);
let nonceAt = NONCES.length;

function nextNonce(): Buffer {
  if (nonceAt === NONCES.length) {
    randomFillSync(NONCES);
    nonceAt = 0;
  }
  nonceAt += NONCE_BYTES;
  return NONCES.subarray(nonceAt - NONCE_BYTES, nonceAt);
}

/** Texts are encoded here: a buffer made for each would cost more than its encryption. */
const ENCODED = Buffer.alloc(65_536);
const MOST_BYTES_OF_A_UNIT = 3;

function bytesOf(text: string): Buffer {
  if (text.length * MOST_BYTES_OF_A_UNIT > ENCODED.length) return Buffer.from(text);
  return ENCODED.subarray(0, ENCODED.write(text));
}

export function encrypt(key: Buffer, identity: string, plain: Buffer | string): Buffer {
  const nonce = nextNonce();
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(identity));
  const sealed = cipher.update(typeof plain === 'string' ? bytesOf(plain) : plain);
  // Empty, since this mode has no padding.
  cipher.final();
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]);
}

/** Throws for another key or identity, and if it was modified. */
export function decrypt(key: Buffer, identity: string, sealed: Buffer): Buffer {
  const cipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(identity))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([cipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), cipher.final()]);
}
