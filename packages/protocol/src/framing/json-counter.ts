/**
 * Counts a JSON text as its bytes arrive, in pieces cut anywhere, and throws at the first that exceeds a bound. It proves
 * bounds, not validity: what `JSON.parse` builds before it finds a mistake was counted here before.
 */
import { type JsonBounds, JsonTally } from './json-bounds.ts';
import { JsonShapeError } from './json-shape-error.ts';

const QUOTE = 34;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Up to this length a string is read byte by byte; beyond, a search for its end costs less than it saves. */
const SHORT_STRING_BYTES = 48;

export class JsonCounter {
  readonly #tally: JsonTally;
  readonly #maxStringBytes: number;
  #inString = false;
  /** The piece before ended with the backslash of an escape. */
  #escaped = false;
  #stringBytes = 0;

  constructor(bounds: JsonBounds) {
    this.#tally = new JsonTally(bounds);
    this.#maxStringBytes = bounds.stringBytes;
  }

  feed(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const tally = this.#tally;
    let at = this.#inString ? this.#passString(bytes, 0) : 0;
    while (at < bytes.length) {
      const code = bytes[at++]!;
      // Digits, colons, signs and points: most of what stands between strings.
      if (code > COMMA && code < OPEN_ARRAY) continue;
      if (code === QUOTE) {
        this.#inString = true;
        this.#stringBytes = 0;
        at = this.#passString(bytes, at);
      } else if (code === COMMA) tally.comma();
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) tally.open(code);
      else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) tally.close();
    }
  }

  /** From inside a string to the place after its closing quote, or to the end of the piece. */
  #passString(bytes: Uint8Array, from: number): number {
    const quote = this.#closingQuote(bytes, from);
    const end = quote === -1 ? bytes.length : quote;
    this.#stringBytes += end - from;
    if (this.#stringBytes > this.#maxStringBytes)
      throw new JsonShapeError('string-too-long', undefined, this.#maxStringBytes);
    this.#inString = quote === -1;
    return quote === -1 ? end : end + 1;
  }

  #closingQuote(bytes: Uint8Array, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at++;
    }
    while (at < bytes.length) {
      for (const stepEnd = Math.min(bytes.length, at + SHORT_STRING_BYTES); at < stepEnd; at++) {
        const code = bytes[at];
        if (code === QUOTE) return at;
        if (code === BACKSLASH) at++;
      }
      if (at >= bytes.length) break;
      const quote = bytes.indexOf(QUOTE, at);
      const isEscaped = slashesBefore(bytes, quote === -1 ? bytes.length : quote, at) % 2 === 1;
      if (quote === -1) {
        this.#escaped = isEscaped;
        return -1;
      }
      if (!isEscaped) return quote;
      at = quote + 1;
    }
    // Stepping over an escape went beyond the end: its second half comes with the next piece.
    this.#escaped = at > bytes.length;
    return -1;
  }
}

function slashesBefore(bytes: Uint8Array, end: number, start: number): number {
  let at = end;
  while (at > start && bytes[at - 1] === BACKSLASH) at--;
  return end - at;
}
