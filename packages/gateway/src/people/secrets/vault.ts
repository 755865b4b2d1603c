/**
 * Envelope encryption of secrets at rest: AES-256-GCM under a data key per secret, which is wrapped by one of the
 * operator's keys. Both are bound to their row, so that a secret moved to another row cannot be decrypted. Rotating the
 * operator's key rewraps the data keys, and decrypts no secret.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES } from './aead.ts';

export type SealedSecret = {
  readonly sealed: Buffer;
  readonly wrappedKey: Buffer;
  /** Identifies the operator's key that wrapped it, without revealing it. */
  readonly wrapping: string;
};

const NAME_BYTES = 8;

const derive = (secret: string, use: string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `trivium secrets ${use}`, length));

export class Vault {
  readonly #current: string;
  readonly #keys: ReadonlyMap<string, Buffer>;

  /** The first wraps, all unwrap. Never empty. */
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

  /** Throws if it was encrypted for another row or under an unknown key, or was modified. */
  open(identity: string, { sealed, wrappedKey, wrapping }: SealedSecret): string {
    return decrypt(decrypt(this.#key(wrapping), identity, wrappedKey), identity, sealed).toString();
  }

  isCurrent({ wrapping }: SealedSecret): boolean {
    return wrapping === this.#current;
  }

  /** The same secret under the operator's current key. */
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
