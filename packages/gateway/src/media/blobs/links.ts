/**
 * Signed links to blobs that need no API key and expire: signed with the keys all nodes share (the first signs, all
 * verify), bound through the blob's id to one account. Checked before the store is accessed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export type LinkVerdict = 'good' | 'forged' | 'expired';

/** Separates these signatures from all others made with the same keys. */
const PURPOSE = 'trivium blob link v1';
const SECONDS = /^[1-9][0-9]{0,11}$/;

export class BlobLinks {
  readonly #keys: readonly string[];

  constructor(keys: readonly string[]) {
    if (keys.length === 0) throw new Error('no key to sign links with');
    this.#keys = keys;
  }

  /** What follows the mount's path. */
  sign(id: string, expiresAtMs: number): string {
    const [key = ''] = this.#keys;
    const expires = String(Math.floor(expiresAtMs / 1000));
    return `${id}?expires=${expires}&signature=${macOf(key, id, expires).toString('base64url')}`;
  }

  /** Forgery is checked first: only the holder of a genuine link learns that it has expired. */
  check(id: string, query: ReadonlyMap<string, string>, nowMs: number): LinkVerdict {
    const expires = query.get('expires') ?? '';
    const given = Buffer.from(query.get('signature') ?? '', 'base64url');
    if (!SECONDS.test(expires)) return 'forged';
    const known = this.#keys.some((key) => {
      const mac = macOf(key, id, expires);
      return mac.length === given.length && timingSafeEqual(mac, given);
    });
    if (!known) return 'forged';
    return Number(expires) * 1000 > nowMs ? 'good' : 'expired';
  }
}

const macOf = (key: string, id: string, expires: string): Buffer =>
  createHmac('sha256', key).update(`${PURPOSE}\n${id}\n${expires}`).digest();
