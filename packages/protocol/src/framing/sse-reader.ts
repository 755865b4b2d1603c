/**
 * Text pieces → SSE frames, however the text is cut into pieces. Follows the event-stream rules (LF, CRLF or CR;
 * comments; several data lines; one space after the colon), with one leniency that upstreams need: `end()` emits a last
 * record that lacks its blank line.
 */
import { type Frame, FramingError } from './frame.ts';
import { GatheredText } from './gathered-text.ts';

const LF = 10;
const CR = 13;

export class SseReader {
  readonly #maxFrameLength: number;
  /** The current incomplete line: its first piece, and those that followed. */
  #rest = '';
  readonly #more = new GatheredText();
  #data: string | undefined;
  /** Further data lines of the same record. */
  readonly #moreData = new GatheredText();
  #event: string | undefined;
  #fresh = true;
  /** The previous piece ended with CR: an LF right after it belongs to the same line end. */
  #skipLf = false;

  constructor(maxFrameLength: number) {
    this.#maxFrameLength = maxFrameLength;
  }

  /** True while a record has started and not ended. */
  get pending(): boolean {
    return this.#rest !== '' || this.#data !== undefined;
  }

  push(piece: string, onFrame: (frame: Frame) => void): void {
    // The middle of a long line is not scanned again with every piece: images are lines of many megabytes.
    if (this.#rest !== '' && !piece.includes('\n') && !piece.includes('\r')) {
      this.#more.push(piece);
      this.#checkLength(this.#rest.length + this.#more.length);
      return;
    }
    let text = this.#rest === '' ? piece : this.#begunLine() + piece;
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
    const lineEnd = hasCr ? lineEnds(text) : undefined;
    while (at < text.length) {
      const end = lineEnd?.(at) ?? text.indexOf('\n', at);
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

  #begunLine(): string {
    return this.#more.length === 0 ? this.#rest : this.#rest + this.#more.take();
  }

  end(onFrame: (frame: Frame) => void): void {
    const last = this.#begunLine();
    if (last !== '') this.#line(last, 0, last.length, onFrame);
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
      if (this.#data === undefined) this.#data = value;
      else {
        this.#moreData.push('\n');
        this.#moreData.push(value);
      }
      this.#checkLength(this.#data.length + this.#moreData.length);
    } else if (name === 'event') {
      this.#event = text.slice(valueStart, to);
    }
  }

  #dispatch(onFrame: (frame: Frame) => void): void {
    const data = this.#moreData.length === 0 ? this.#data : (this.#data ?? '') + this.#moreData.take();
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

/** The next line end of either kind; each is searched again only after the position has passed it. */
function lineEnds(text: string): (from: number) => number {
  let [lf, cr] = [-2, -2];
  return (from) => {
    if (lf !== -1 && lf < from) lf = text.indexOf('\n', from);
    if (cr !== -1 && cr < from) cr = text.indexOf('\r', from);
    if (cr === -1) return lf;
    return lf === -1 || cr < lf ? cr : lf;
  };
}
