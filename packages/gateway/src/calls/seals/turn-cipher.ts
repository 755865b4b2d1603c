/**
 * Encrypts stored turns in the database: AES-256-GCM under keys derived from those that sign envelopes (the first
 * encrypts, all decrypt), bound to account and tool call, so that a row moved elsewhere is unreadable.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { KeptTurn } from '../../kernel/seals.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** One secret, several uses: each has its own key. */
const PURPOSE = 'trivium kept turns v1';

export class TurnCipher {
  readonly #keys: readonly Buffer[];

  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES)));
  }

  seal(accountId: string, callId: string, turn: KeptTurn): Buffer {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('no key to encrypt turns with');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(identity(accountId, callId));
    const text = cipher.update(JSON.stringify(turn), 'utf8');
    return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]);
  }

  /** Undefined if none of the keys authenticates it. */
  open(accountId: string, callId: string, sealed: Buffer): KeptTurn | undefined {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const text = sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES);
    const tag = sealed.subarray(sealed.length - TAG_BYTES);
    for (const key of this.#keys) {
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(identity(accountId, callId))
        .setAuthTag(tag);
      try {
        return JSON.parse(decipher.update(text, undefined, 'utf8') + decipher.final('utf8')) as KeptTurn;
      } catch {
        // Encrypted with another key, or not authentic.
      }
    }
    return undefined;
  }
}

const identity = (accountId: string, callId: string): Buffer => Buffer.from(JSON.stringify([accountId, callId]));
