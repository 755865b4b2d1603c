/**
 * Secrets at rest: AES-256-GCM under a key of their own, which is wrapped by one of the operator's keys. Both are bound to
 * the row they stand in, so that one moved to another row does not open. Changing the operator's key rewraps, and reads nothing.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export type SealedSecret = {
  readonly sealed: Buffer;
  readonly wrappedKey: Buffer;
  /** Names the operator's key that wrapped it, without telling anything of it. */
  readonly wrapping: string;
};

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NAME_BYTES = 8;

function seal(key: Buffer, identity: string, plain: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(identity));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function open(key: Buffer, identity: string, sealed: Buffer): Buffer {
  const cipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(identity))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([cipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), cipher.final()]);
}

const derive = (secret: string, use: string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `trivium secrets ${use}`, length));

export class Vault {
  readonly #current: string;
  readonly #keys: ReadonlyMap<string, Buffer>;

  /** The first wraps, all open. Never empty. */
  constructor(secrets: readonly string[]) {
    const named = secrets.map(
      (secret) => [derive(secret, 'name', NAME_BYTES).toString('hex'), derive(secret, 'key', KEY_BYTES)] as const,
    );
    this.#current = named[0]?.[0] ?? '';
    this.#keys = new Map(named);
  }

  seal(identity: string, secret: string): SealedSecret {
    const own = randomBytes(KEY_BYTES);
    const sealed = seal(own, identity, Buffer.from(secret));
    return { sealed, wrappedKey: seal(this.#key(this.#current), identity, own), wrapping: this.#current };
  }

  /** Throws when it was sealed for another row, under a key we do not have, or was touched. */
  open(identity: string, { sealed, wrappedKey, wrapping }: SealedSecret): string {
    return open(open(this.#key(wrapping), identity, wrappedKey), identity, sealed).toString();
  }

  isCurrent({ wrapping }: SealedSecret): boolean {
    return wrapping === this.#current;
  }

  /** The same secret under the current key of the operator. */
  rewrap(identity: string, secret: SealedSecret): SealedSecret {
    const own = open(this.#key(secret.wrapping), identity, secret.wrappedKey);
    return {
      sealed: secret.sealed,
      wrappedKey: seal(this.#key(this.#current), identity, own),
      wrapping: this.#current,
    };
  }

  #key(name: string): Buffer {
    const key = this.#keys.get(name);
    if (key === undefined) throw new Error(`no key ${name} among secrets.keys`);
    return key;
  }
}
