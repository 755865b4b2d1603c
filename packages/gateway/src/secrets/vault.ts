/**
 * Secrets at rest: AES-256-GCM under a key of their own, which is wrapped by one of the operator's keys. Both are bound to
 * the row they stand in, so that one moved to another row does not open. Changing the operator's key rewraps, and reads nothing.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES } from './aead.ts';

export type SealedSecret = {
  readonly sealed: Buffer;
  readonly wrappedKey: Buffer;
  /** Names the operator's key that wrapped it, without telling anything of it. */
  readonly wrapping: string;
};

const NAME_BYTES = 8;

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
    const sealed = encrypt(own, identity, Buffer.from(secret));
    return { sealed, wrappedKey: encrypt(this.#key(this.#current), identity, own), wrapping: this.#current };
  }

  /** Throws when it was sealed for another row, under a key we do not have, or was touched. */
  open(identity: string, { sealed, wrappedKey, wrapping }: SealedSecret): string {
    return decrypt(decrypt(this.#key(wrapping), identity, wrappedKey), identity, sealed).toString();
  }

  isCurrent({ wrapping }: SealedSecret): boolean {
    return wrapping === this.#current;
  }

  /** The same secret under the current key of the operator. */
  rewrap(identity: string, secret: SealedSecret): SealedSecret {
    const own = decrypt(this.#key(secret.wrapping), identity, secret.wrappedKey);
    return {
      sealed: secret.sealed,
      wrappedKey: encrypt(this.#key(this.#current), identity, own),
      wrapping: this.#current,
    };
  }

  #key(name: string): Buffer {
    const key = this.#keys.get(name);
    if (key === undefined) throw new Error(`no key ${name} among secrets.keys`);
    return key;
  }
}
