/** Ids that sort by time and cannot be guessed: 48 bits of milliseconds, 80 random bits, in Crockford's base 32. */
import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_CHARACTERS = 16;
const POOL_BYTES = 8192;

export function requestIds(nowMs: () => number): () => string {
  const pool = Buffer.allocUnsafe(POOL_BYTES);
  let used = POOL_BYTES;
  let stampedMs = -1;
  let stamp = '';
  return () => {
    const ms = nowMs();
    if (ms !== stampedMs) {
      stampedMs = ms;
      stamp = timestamp(ms);
    }
    if (used + RANDOM_CHARACTERS > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    let id = stamp;
    for (let character = 0; character < RANDOM_CHARACTERS; character++) id += ALPHABET[(pool[used++] ?? 0) & 31];
    return id;
  };
}

function timestamp(ms: number): string {
  let text = '';
  let left = ms;
  for (let character = 0; character < 10; character++) {
    text = ALPHABET[left % 32] + text;
    left = Math.floor(left / 32);
  }
  return text;
}
