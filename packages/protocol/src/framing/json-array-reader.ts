/** Text pieces of one JSON array of objects → its elements as text, for any cutting of the text into pieces. */
import { type Frame, FramingError } from './frame.ts';

export class JsonArrayReader {
  readonly #maxFrameLength: number;
  #state: 'before' | 'between' | 'element' | 'after' = 'before';
  #element = '';
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(maxFrameLength: number) {
    this.#maxFrameLength = maxFrameLength;
  }

  get pending(): boolean {
    return this.#state !== 'after';
  }

  push(piece: string, onFrame: (frame: Frame) => void): void {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (this.#state === 'element') {
        if (this.#inside(code)) continue;
        this.#element += piece.slice(from, at + 1);
        onFrame({ data: this.#element });
        this.#element = '';
        this.#state = 'between';
      } else if (code === 0x7b && this.#state === 'between') {
        this.#state = 'element';
        this.#depth = 1;
        from = at;
      } else {
        this.#outside(code);
      }
    }
    if (this.#state !== 'element') return;
    this.#element += piece.slice(from);
    if (this.#element.length > this.#maxFrameLength)
      throw new FramingError(`an element is longer than ${this.#maxFrameLength} characters`);
  }

  /** Still inside the element after this character? */
  #inside(code: number): boolean {
    if (this.#escaped) this.#escaped = false;
    else if (this.#inString) {
      if (code === 0x5c) this.#escaped = true;
      else if (code === 0x22) this.#inString = false;
    } else if (code === 0x22) this.#inString = true;
    else if (code === 0x7b || code === 0x5b) this.#depth++;
    else if (code === 0x7d || code === 0x5d) this.#depth--;
    return this.#depth > 0;
  }

  #outside(code: number): void {
    if (code === 32 || code === 9 || code === 10 || code === 13) return;
    if (this.#state === 'before' && code === 0x5b) this.#state = 'between';
    else if (this.#state === 'between' && code === 0x5d) this.#state = 'after';
    else if (!(this.#state === 'between' && code === 0x2c)) throw new FramingError('expected an array of objects');
  }
}
