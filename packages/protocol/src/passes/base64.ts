/** Base64 judged without decoding it: by length, tail and, where it is long, a sample from both ends. */
const SAMPLE = 4096;
const ALPHABET = /^[A-Za-z0-9+/]*$/;

export function isBase64(text: string): boolean {
  if (text === '' || text.length % 4 !== 0) return false;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const end = text.length - padding;
  if (end <= 2 * SAMPLE) return ALPHABET.test(text.slice(0, end));
  return ALPHABET.test(text.slice(0, SAMPLE)) && ALPHABET.test(text.slice(end - SAMPLE, end));
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The text that base64 holds as UTF-8; undefined where it holds none. */
export function textOfBase64(base64: string): string | undefined {
  let escaped = '';
  let bits = 0;
  let held = 0;
  for (const digit of base64.replace(/=+$/, '')) {
    const value = DIGITS.indexOf(digit);
    if (value === -1) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    escaped += `%${((bits >> held) & 0xff).toString(16).padStart(2, '0')}`;
  }
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}
