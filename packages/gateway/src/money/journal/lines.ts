/** Journal lines: JSON, each preceded by a checksum, so that a torn end is detected. */
import { crc32 } from 'node:zlib';

/** `json` has no line breaks, as `JSON.stringify` writes it. */
export const lineOf = (json: string): string => `${checksum(json)} ${json}\n`;

/** The JSON of each line, up to the first torn or changed one. */
export function* readLines(text: string): Generator<string> {
  let from = 0;
  for (let to = text.indexOf('\n'); to !== -1; from = to + 1, to = text.indexOf('\n', from)) {
    const json = text.slice(from + 9, to);
    if (text[from + 8] !== ' ' || text.slice(from, from + 8) !== checksum(json)) return;
    yield json;
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Detects torn lines; it does not protect against tampering. */
function checksum(text: string): string {
  const sum = crc32(text);
  // By table: converting a number this large to text is slow, and happens several times per request.
  return `${HEX[sum >>> 24]}${HEX[(sum >>> 16) & 255]}${HEX[(sum >>> 8) & 255]}${HEX[sum & 255]}`;
}
