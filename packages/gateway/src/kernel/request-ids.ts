/** Ids that sort by time and cannot be guessed: 48 bits of milliseconds, 80 random bits, in Crockford's base 32. */
import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const STAMP_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
const POOL_BYTES = 8192;

export function requestIds(nowMs: () => number): () => string {
  const pool = Buffer.allocUnsafe(POOL_BYTES);
  // An id is decoded from bytes at once: built character by character it would be a rope of 16 strings, which every use
  // would have to flatten first.
  const id = Buffer.alloc(STAMP_CHARACTERS + RANDOM_CHARACTERS);
  let used = POOL_BYTES;
  let stampedMs = -1;
  return () => {
    const ms = nowMs();
    if (ms !== stampedMs) {
      stampedMs = ms;
      writeStamp(id, ms);
    }
    if (used + RANDOM_CHARACTERS > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    for (let at = STAMP_CHARACTERS; at < id.length; at++) id[at] = ALPHABET.charCodeAt((pool[used++] ?? 0) & 31);
    return id.toString('latin1');
  };
}

function writeStamp(id: Buffer, ms: number): void {
  let left = ms;
  for (let at = STAMP_CHARACTERS - 1; at >= 0; at--) {
    id[at] = ALPHABET.charCodeAt(left % 32);
    left = Math.floor(left / 32);
  }
}
