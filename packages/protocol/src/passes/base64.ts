/** Base64 validation and decoding, written here because this package uses no API of Node.js or browsers. */
const SAMPLE = 4096;
const ALPHABET = /^[A-Za-z0-9+/]*$/;

/** Validates without decoding: by length, padding and, if it is long, a sample from both ends. */
export function isBase64(text: string): boolean {
  if (text === '' || text.length % 4 !== 0) return false;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const end = text.length - padding;
  if (end <= 2 * SAMPLE) return ALPHABET.test(text.slice(0, end));
  return ALPHABET.test(text.slice(0, SAMPLE)) && ALPHABET.test(text.slice(end - SAMPLE, end));
}

const BASE64_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const NO_DIGIT = 255;
const VALUES = new Uint8Array(128).fill(NO_DIGIT);
for (const [value, digit] of [...BASE64_DIGITS].entries()) VALUES[digit.charCodeAt(0)] = value;

/** Undefined if a character is not a base64 digit. Padding is optional. */
export function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = base64.replace(/=+$/, '');
  const bytes = new Uint8Array(Math.floor((digits.length * 6) / 8));
  let bits = 0;
  let held = 0;
  let written = 0;
  for (let at = 0; at < digits.length; at++) {
    const value = VALUES[digits.charCodeAt(at)] ?? NO_DIGIT;
    if (value === NO_DIGIT) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[written++] = (bits >> held) & 0xff;
  }
  return bytes;
}

/** The UTF-8 text in the base64; undefined if it is not base64 or not UTF-8. */
export function textOfBase64(base64: string): string | undefined {
  const bytes = bytesOfBase64(base64);
  if (bytes === undefined) return undefined;
  let escaped = '';
  for (const byte of bytes) escaped += `%${byte.toString(16).padStart(2, '0')}`;
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += BASE64_DIGITS.charAt(bits >> 18) + BASE64_DIGITS.charAt((bits >> 12) & 63);
    text +=
      (left > 1 ? BASE64_DIGITS.charAt((bits >> 6) & 63) : '=') + (left > 2 ? BASE64_DIGITS.charAt(bits & 63) : '=');
  }
  return text;
}

/** The base64 of all bytes, from that of their parts, each with padding of its own. Undefined if a part is not base64. */
export function joinedBase64(parts: readonly string[]): string | undefined {
  if (parts.slice(0, -1).every((part) => !part.endsWith('='))) return parts.join('');
  const all: number[] = [];
  for (const part of parts) {
    const bytes = bytesOfBase64(part);
    if (bytes === undefined) return undefined;
    for (const byte of bytes) all.push(byte);
  }
  return base64Of(Uint8Array.from(all));
}
