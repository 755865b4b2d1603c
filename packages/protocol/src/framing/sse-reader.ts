/**
 * Text pieces → SSE frames, for any cutting of the text into pieces.
 * Follows the event-stream rules (LF, CRLF or CR; comments; several data lines; one space after the colon), with one
 * leniency upstreams need: `end()` gives out a last record that lacks its blank line.
 */
import { type Frame, FramingError } from './frame.ts';

const LF = 10;
const CR = 13;

export class SseReader {
  readonly #maxFrameLength: number;
  #rest = '';
  #data: string | undefined;
  #event: string | undefined;
  #fresh = true;
  /** The last character of the previous piece was a CR: an LF right after it belongs to the same line end. */
  #skipLf = false;

  constructor(maxFrameLength: number) {
    this.#maxFrameLength = maxFrameLength;
  }

  /** True while a record has begun and not ended. */
  get pending(): boolean {
    return this.#rest !== '' || this.#data !== undefined;
  }

  push(piece: string, onFrame: (frame: Frame) => void): void {
    // The middle of a long line is not looked at again with every piece: images are lines of many megabytes.
    if (this.#rest !== '' && !piece.includes('\n') && !piece.includes('\r')) {
      this.#rest += piece;
      this.#checkLength(this.#rest.length);
      return;
    }
    let text = this.#rest === '' ? piece : this.#rest + piece;
    if (this.#fresh && text !== '') {
      this.#fresh = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    let at = 0;
    if (this.#skipLf && text !== '') {
      this.#skipLf = false;
      if (text.charCodeAt(0) === LF) at = 1;
    }
    const hasCr = text.includes('\r');
    while (at < text.length) {
      const end = hasCr ? lineEnd(text, at) : text.indexOf('\n', at);
      if (end === -1) break;
      // The shape of nearly every record: one data line, then a blank one.
      if (!hasCr && this.#data === undefined && text.charCodeAt(end + 1) === LF && text.startsWith('data: ', at)) {
        this.#checkLength(end - at);
        const data = text.slice(at + 6, end);
        onFrame(this.#event === undefined || this.#event === '' ? { data } : { event: this.#event, data });
        this.#event = undefined;
        at = end + 2;
        continue;
      }
      this.#line(text, at, end, onFrame);
      at = end + 1;
      if (text.charCodeAt(end) === CR) {
        if (at === text.length) this.#skipLf = true;
        else if (text.charCodeAt(at) === LF) at++;
      }
    }
    this.#rest = at === 0 ? text : text.slice(at);
    this.#checkLength(this.#rest.length);
  }

  end(onFrame: (frame: Frame) => void): void {
    if (this.#rest !== '') this.#line(this.#rest, 0, this.#rest.length, onFrame);
    this.#rest = '';
    this.#dispatch(onFrame);
  }

  #line(text: string, from: number, to: number, onFrame: (frame: Frame) => void): void {
    if (from === to) {
      this.#dispatch(onFrame);
      return;
    }
    const colon = text.indexOf(':', from);
    const nameEnd = colon === -1 || colon >= to ? to : colon;
    if (nameEnd === from) return; // a comment
    let valueStart = nameEnd === to ? to : nameEnd + 1;
    if (valueStart < to && text.charCodeAt(valueStart) === 32) valueStart++;
    const name = text.slice(from, nameEnd);
    if (name === 'data') {
      const value = text.slice(valueStart, to);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      this.#checkLength(this.#data.length);
    } else if (name === 'event') {
      this.#event = text.slice(valueStart, to);
    }
  }

  #dispatch(onFrame: (frame: Frame) => void): void {
    const data = this.#data;
    const event = this.#event;
    this.#data = undefined;
    this.#event = undefined;
    if (data !== undefined) onFrame(event === undefined || event === '' ? { data } : { event, data });
  }

  #checkLength(length: number): void {
    if (length > this.#maxFrameLength)
      throw new FramingError(`an event is longer than ${this.#maxFrameLength} characters`);
  }
}

function lineEnd(text: string, from: number): number {
  const lf = text.indexOf('\n', from);
  const cr = text.indexOf('\r', from);
  if (cr === -1) return lf;
  return lf === -1 || cr < lf ? cr : lf;
}
