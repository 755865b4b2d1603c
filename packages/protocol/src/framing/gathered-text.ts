/**
 * Text that arrives in pieces, joined once: appending to a string costs an object per piece, which for text that
 * arrives letter by letter is many times its length.
 */

const LONG_PIECE = 1024;
const MANY_PIECES = 1024;

export class GatheredText {
  #runs: string[] = [];
  #few: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(piece: string): void {
    if (piece === '') return;
    this.#length += piece.length;
    if (piece.length >= LONG_PIECE) {
      this.#joinFew();
      this.#runs.push(piece);
      return;
    }
    this.#few.push(piece);
    if (this.#few.length >= MANY_PIECES) this.#joinFew();
  }

  /** All text so far. */
  text(): string {
    this.#joinFew();
    if (this.#runs.length > 1) this.#runs = [this.#runs.join('')];
    return this.#runs[0] ?? '';
  }

  /** Returns all text and starts anew. */
  take(): string {
    const text = this.text();
    this.#runs = [];
    this.#length = 0;
    return text;
  }

  #joinFew(): void {
    if (this.#few.length === 0) return;
    this.#runs.push(this.#few.length === 1 ? (this.#few[0] ?? '') : this.#few.join(''));
    this.#few = [];
  }
}

// Bytes that arrive in pieces, stored in few buffers: small pieces are copied into growing slabs, so that bytes
// arriving one by one cost no object each. Large pieces are kept as they are.

const LARGE_PIECE_BYTES = 16_384;
const FIRST_SLAB_BYTES = 16_384;
const MAX_SLAB_BYTES = 1_048_576;

const NOTHING = new Uint8Array(0);

export class GatheredBytes {
  readonly #pieces: Uint8Array[] = [];
  #slab: Uint8Array = NOTHING;
  /** Offsets into the slab: bytes before `#from` are already in the pieces, bytes from `#to` on are free. */
  #from = 0;
  #to = 0;
  #nextSlabBytes: number;
  #length = 0;

  /** `expectedBytes`: the full length, if known, so that everything goes into one piece. */
  constructor(expectedBytes = FIRST_SLAB_BYTES) {
    this.#nextSlabBytes = expectedBytes;
  }

  get length(): number {
    return this.#length;
  }

  push(piece: Uint8Array): void {
    this.#length += piece.length;
    const free = this.#slab.length - this.#to;
    if (piece.length <= free) this.#copy(piece);
    else if (piece.length >= LARGE_PIECE_BYTES && piece.length > this.#nextSlabBytes) {
      this.#closePiece();
      this.#pieces.push(piece);
    } else {
      this.#copy(piece.subarray(0, free));
      this.#closePiece();
      this.#slab = new Uint8Array(Math.max(this.#nextSlabBytes, piece.length - free));
      this.#nextSlabBytes = Math.min(MAX_SLAB_BYTES, this.#slab.length * 2);
      this.#from = 0;
      this.#to = 0;
      this.#copy(piece.subarray(free));
    }
  }

  /** No piece is empty. */
  pieces(): readonly Uint8Array[] {
    this.#closePiece();
    return this.#pieces;
  }

  /** All bytes in one piece. */
  join(): Uint8Array {
    const pieces = this.pieces();
    if (pieces.length <= 1) return pieces[0] ?? NOTHING;
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }

  #copy(piece: Uint8Array): void {
    this.#slab.set(piece, this.#to);
    this.#to += piece.length;
  }

  #closePiece(): void {
    if (this.#to > this.#from) this.#pieces.push(this.#slab.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }
}
