/**
 * Extracts the middle of long base64 strings from a body, replaced by a placeholder. Both ends stay in the text, long
 * enough that code which examines a file's beginning, its end or its approximate size gets the same result.
 */
import { randomBytes } from 'node:crypto';
import type { StringPlace } from '@trivium/protocol/framing';
import type { LongStrings } from '../kernel/long-strings.ts';

export const LONG_STRING_BYTES = 262_144;
const KEPT_HEAD_BYTES = 81_920;
const KEPT_TAIL_BYTES = 16_384;

const NONCE_BYTES = 16;
/** With the nonce, a multiple of four digits. */
const INDEX_DIGITS = 4;
const BASE64_GROUP = 4;

type SetAside = { readonly kept: readonly Uint8Array[]; readonly longStrings?: LongStrings };

/** `kept`: the bytes of the text, with placeholders. `plain`: what is known to be plain. */
export function setAside(pieces: readonly Uint8Array[], places: readonly StringPlace[], plain: PlainRanges): SetAside {
  const cursor = new PieceCursor(pieces);
  const kept: Uint8Array[] = [];
  const marked = new MarkedStrings();
  for (const { start, end } of places) {
    const from = start + KEPT_HEAD_BYTES;
    const length = end - KEPT_TAIL_BYTES - from;
    kept.push(...cursor.takeUntil(from));
    const to = from + length - (length % BASE64_GROUP);
    const middle = cursor.takeUntil(to);
    if (areAllPlain(middle, from, plain)) kept.push(marked.add(middle));
    else kept.push(...middle);
  }
  kept.push(...cursor.takeUntil(Number.POSITIVE_INFINITY));
  return marked.count === 0 ? { kept } : { kept, longStrings: marked };
}

/** Pieces that lie within one range are not examined again. */
function areAllPlain(pieces: readonly Uint8Array[], start: number, plain: PlainRanges): boolean {
  let at = start;
  return pieces.every((piece) => {
    const from = at;
    at += piece.length;
    return plain.covers(from, at) || isPlain(piece);
  });
}

/** Ranges of a body that are known to be plain, in ascending order; neighbours are merged. */
export class PlainRanges {
  /** Their starts and ends in turn. */
  readonly #edges: number[] = [];

  add(start: number, end: number): void {
    if (this.#edges.at(-1) === start) this.#edges[this.#edges.length - 1] = end;
    else this.#edges.push(start, end);
  }

  covers(start: number, end: number): boolean {
    // The last range that does not start behind it.
    let low = 0;
    let high = this.#edges.length / 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#edges[middle * 2]! <= start) low = middle + 1;
      else high = middle;
    }
    return low > 0 && this.#edges[low * 2 - 1]! >= end;
  }
}

class MarkedStrings implements LongStrings {
  readonly #nonce = randomBytes(NONCE_BYTES).toString('hex');
  #strings: (readonly Uint8Array[])[] = [];
  #holders = 1;

  get count(): number {
    return this.#strings.length;
  }

  /** Returns the placeholder for it. */
  add(string: readonly Uint8Array[]): Uint8Array {
    const index = this.#strings.push(string) - 1;
    return Buffer.from(`${this.#nonce}${index.toString(36).padStart(INDEX_DIGITS, '0')}`, 'latin1');
  }

  isIn(text: string): boolean {
    return text.includes(this.#nonce);
  }

  restore(text: string): string {
    let whole = '';
    this.#visit(
      text,
      (part) => {
        whole += part;
      },
      (string) => {
        whole += Buffer.concat(string).toString('latin1');
      },
    );
    return whole;
  }

  bytesOf(text: string): readonly Uint8Array[] {
    const bytes: Uint8Array[] = [];
    this.#visit(
      text,
      (part) => bytes.push(Buffer.from(part)),
      (string) => bytes.push(...string),
    );
    return bytes;
  }

  hold(): void {
    this.#holders++;
  }

  release(): void {
    if (--this.#holders > 0) return;
    const buffers = new Set(
      this.#strings
        .flat()
        .filter(ownsItsBuffer)
        .map(({ buffer }) => buffer),
    );
    this.#strings = [];
    for (const buffer of buffers) if (buffer instanceof ArrayBuffer) buffer.transfer(0);
  }

  #visit(text: string, onText: (part: string) => void, onString: (string: readonly Uint8Array[]) => void): void {
    let from = 0;
    for (let at = text.indexOf(this.#nonce); at !== -1; at = text.indexOf(this.#nonce, from)) {
      if (at > from) onText(text.slice(from, at));
      from = at + this.#nonce.length + INDEX_DIGITS;
      const string = this.#strings[Number.parseInt(text.slice(from - INDEX_DIGITS, from), 36)];
      if (string === undefined) throw new Error('this string has been released');
      onString(string);
    }
    if (from < text.length) onText(text.slice(from));
  }
}

/** No other piece of a body is in the same memory: the listener gives each read its own. */
const ownsItsBuffer = (piece: Uint8Array): boolean => piece.byteLength === piece.buffer.byteLength;

/** Returns ranges of bytes that span pieces, in order and without copying. */
class PieceCursor {
  readonly #pieces: readonly Uint8Array[];
  #index = 0;
  /** Offset of the current piece among all bytes, and how much of it has been returned. */
  #pieceStart = 0;
  #at = 0;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
  }

  takeUntil(position: number): readonly Uint8Array[] {
    const taken: Uint8Array[] = [];
    for (let piece = this.#pieces[this.#index]; piece !== undefined; piece = this.#pieces[this.#index]) {
      const end = Math.min(position - this.#pieceStart, piece.length);
      if (this.#at === 0 && end === piece.length) taken.push(piece);
      else if (end > this.#at) taken.push(piece.subarray(this.#at, end));
      if (end < piece.length) {
        this.#at = end;
        break;
      }
      this.#index++;
      this.#pieceStart += piece.length;
      this.#at = 0;
    }
    return taken;
  }
}

const BACKSLASH = 0x5c;
const DASH = 0x2d;
const UNDERSCORE = 0x5f;
const SPACE = 0x20;
const ASCII_BELOW = 0x80;
const WORD_BYTES = 4;

/**
 * Whether a string needs no decoding, in JSON and in base64: ASCII without escapes and control characters, and without
 * the two digits that base64url encodes differently.
 */
export function isPlain(bytes: Uint8Array): boolean {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.includes(BACKSLASH) || view.includes(DASH) || view.includes(UNDERSCORE)) return false;
  const aligned = Math.min(bytes.length, (WORD_BYTES - (bytes.byteOffset % WORD_BYTES)) % WORD_BYTES);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + aligned, (bytes.length - aligned) >> 2);
  return (
    arePrintable(bytes.subarray(0, aligned)) &&
    areWordsPrintable(words) &&
    arePrintable(bytes.subarray(aligned + words.length * WORD_BYTES))
  );
}

const arePrintable = (bytes: Uint8Array): boolean => bytes.every((byte) => byte >= SPACE && byte < ASCII_BELOW);

const NOT_ASCII = 0x80808080;
const NOT_CONTROL = 0x40404040;
/** Short calls, so that the compiler optimises the function soon. */
const BLOCK_WORDS = 1024;

function areWordsPrintable(words: Int32Array): boolean {
  for (let from = 0; from < words.length; from += BLOCK_WORDS)
    if (!isBlockPrintable(words, from, Math.min(words.length, from + BLOCK_WORDS))) return false;
  return true;
}

/**
 * Four bytes at a time. One of the two bits 0x40 and 0x20 is set in every ASCII character that is not a control
 * character.
 */
function isBlockPrintable(words: Int32Array, from: number, to: number): boolean {
  let some = 0;
  let every = NOT_CONTROL;
  for (let at = from; at < to; at++) {
    const word = words[at]!;
    some |= word;
    every &= word | (word << 1);
  }
  return (some & NOT_ASCII) === 0 && (every & NOT_CONTROL) === NOT_CONTROL;
}
