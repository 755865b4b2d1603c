/**
 * Text that comes in pieces, put together once: appending to a string costs an object for every piece, which for text that
 * comes letter by letter is many times its length.
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

  /** All of it so far. */
  text(): string {
    this.#joinFew();
    if (this.#runs.length > 1) this.#runs = [this.#runs.join('')];
    return this.#runs[0] ?? '';
  }

  /** All of it, and begins anew. */
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
