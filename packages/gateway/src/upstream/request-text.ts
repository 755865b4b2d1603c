/**
 * A request in HTTP/1.1 syntax. Framing headers are written here and nowhere else, and a name, value or path that could
 * end its line is an error: no text of a caller can become a second request.
 */
import type { Socket } from 'node:net';
import type { LongStrings } from '../kernel/long-strings.ts';
import type { UpstreamRequest } from '../kernel/upstream.ts';
import { encodeForm, withoutContentType } from './form-body.ts';

/** `head` is Latin-1; it includes bodies short enough to be copied. */
export type RequestText = {
  readonly head: string;
  readonly body: string | readonly Uint8Array[];
  /** Retained until the body is written. */
  readonly longStrings?: LongStrings;
};

export class InvalidRequest extends Error {
  readonly code = 'ERR_INVALID_REQUEST';
  override readonly name = 'InvalidRequest';
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const INVALID_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const INVALID_IN_PATH = /[^\x21-\xff]/;
const NOT_OURS_TO_PASS: ReadonlySet<string> = new Set(['transfer-encoding', 'keep-alive', 'upgrade', 'expect']);
const WRITTEN_HERE: ReadonlySet<string> = new Set(['content-length', 'connection']);
const MAX_COPIED = 65_536;
const REMEMBERED = 8;

/** For one origin. Targets pass the same array of headers with every request, so the text of the last few is cached. */
export class RequestWriter {
  readonly #host: string;
  readonly #known: (readonly string[])[] = [];
  readonly #texts: string[] = [];
  #next = 0;

  constructor(host: string) {
    this.#host = host;
  }

  /** Throws `InvalidRequest`. */
  write({ path, headers, body, longStrings, method }: UpstreamRequest): RequestText {
    if (!path.startsWith('/') || INVALID_IN_PATH.test(path)) throw new InvalidRequest('invalid path');
    if (method === 'GET') return { head: `GET ${path} HTTP/1.1\r\n${this.#headerText(headers)}\r\n`, body: '' };
    const line = `POST ${path} HTTP/1.1\r\n`;
    if (typeof body !== 'string') {
      const form = encodeForm(body);
      const text = this.#render([...withoutContentType(headers), 'content-type', form.contentType]);
      return { head: `${line}${text}content-length: ${form.length}\r\n\r\n`, body: form.pieces };
    }
    if (longStrings !== undefined) {
      const pieces = longStrings.bytesOf(body);
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      return {
        head: `${line}${this.#headerText(headers)}content-length: ${length}\r\n\r\n`,
        body: pieces,
        longStrings,
      };
    }
    const bytes = Buffer.byteLength(body);
    const head = `${line}${this.#headerText(headers)}content-length: ${bytes}\r\n\r\n`;
    // As many bytes as characters: ASCII, which is the same in Latin-1.
    return bytes === body.length && bytes <= MAX_COPIED ? { head: head + body, body: '' } : { head, body };
  }

  #headerText(headers: readonly string[]): string {
    const at = this.#known.indexOf(headers);
    if (at >= 0) return this.#texts[at] ?? '';
    const text = this.#render(headers);
    this.#known[this.#next] = headers;
    this.#texts[this.#next] = text;
    this.#next = (this.#next + 1) % REMEMBERED;
    return text;
  }

  #render(headers: readonly string[]): string {
    let host = this.#host;
    let text = '';
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at] ?? '';
      const value = headers[at + 1] ?? '';
      const lower = name.toLowerCase();
      if (!TOKEN.test(name) || NOT_OURS_TO_PASS.has(lower)) throw new InvalidRequest(`invalid header ${name}`);
      if (INVALID_IN_VALUE.test(value)) throw new InvalidRequest(`invalid value of header ${name}`);
      if (lower === 'host') host = value;
      else if (!WRITTEN_HERE.has(lower)) text += `${name}: ${value}\r\n`;
    }
    return `host: ${host}\r\nconnection: keep-alive\r\n${text}`;
  }
}

export function writeTo(socket: Socket, { head, body, longStrings }: RequestText): void {
  if (body === '') {
    socket.write(head, 'latin1');
    return;
  }
  socket.cork();
  socket.write(head, 'latin1');
  // As bytes: for a string of this length Node would allocate three bytes for each character.
  if (typeof body === 'string') socket.write(Buffer.from(body));
  else if (longStrings === undefined) for (const piece of body) socket.write(piece);
  else writeHeld(socket, body, longStrings);
  socket.uncork();
}

function writeHeld(socket: Socket, body: readonly Uint8Array[], longStrings: LongStrings): void {
  longStrings.hold();
  const last = body.length - 1;
  for (const [at, piece] of body.entries())
    if (at < last) socket.write(piece);
    // Also called for what is never written, once the socket is destroyed.
    else socket.write(piece, () => longStrings.release());
}
