/**
 * Bytes that come in pieces and stay in pieces. Small ones are put together, so that nobody who sends a file byte by byte
 * makes us keep an object for each.
 */
const SMALL_BYTES = 16_384;

export class GatheredPieces {
  readonly #pieces: Buffer[] = [];
  #small: Buffer[] = [];
  #smallBytes = 0;

  push(piece: Buffer): void {
    if (piece.length < SMALL_BYTES) {
      this.#small.push(piece);
      this.#smallBytes += piece.length;
      if (this.#smallBytes >= SMALL_BYTES) this.#putTogether();
    } else {
      this.#putTogether();
      this.#pieces.push(piece);
    }
  }

  /** None is empty. */
  end(): readonly Buffer[] {
    this.#putTogether();
    return this.#pieces;
  }

  #putTogether(): void {
    if (this.#smallBytes > 0) this.#pieces.push(Buffer.concat(this.#small, this.#smallBytes));
    this.#small = [];
    this.#smallBytes = 0;
  }
}
