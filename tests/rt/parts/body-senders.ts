/** Callers who send large JSON bodies in unusual ways: in many tiny pieces, or many at once that never end. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { KEY } from './gateway-process.ts';

const PATH = '/api/v1/chat/completions';
const PIECE_BYTES = 65_536;

export const MODEL = 'own/any';

const headOf = (framing: string): string =>
  [
    `POST ${PATH} HTTP/1.1`,
    'host: gateway',
    `authorization: Bearer ${KEY}`,
    'content-type: application/json',
    'connection: close',
    framing,
    '',
    '',
  ].join('\r\n');

/** A call of this many bytes with a filler text. */
export function bodyOf(bytes: number): Buffer {
  const [before, after] = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: '|' }] }).split('|') as [
    string,
    string,
  ];
  return Buffer.from(before + 'x'.repeat(bytes - before.length - after.length) + after);
}

const statusIn = (text: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0);

function dial(url: string): {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<void>;
} {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece;
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, received: () => text, closed };
}

/** Resolves also when the socket is closed, which is no error here: the received text decides. */
const drained = (socket: Socket, closed: Promise<void>): Promise<unknown> =>
  Promise.race([once(socket, 'drain').catch(() => {}), closed]);

/** One buffer: millions of small ones would measure the sender. */
function chunkedOf(piece: Buffer, chunkBytes: number): Buffer {
  const longestHead = chunkBytes.toString(16).length + 4;
  const framed = Buffer.allocUnsafe(piece.length + Math.ceil(piece.length / chunkBytes) * longestHead);
  let to = 0;
  for (let from = 0; from < piece.length; from += chunkBytes) {
    const bytes = Math.min(chunkBytes, piece.length - from);
    to += framed.write(`${bytes.toString(16)}\r\n`, to, 'latin1');
    to += piece.copy(framed, to, from, from + bytes);
    to += framed.write('\r\n', to, 'latin1');
  }
  return framed.subarray(0, to);
}

/** Sends in HTTP chunks of this size. Returns the status of the answer, 0 without one. */
export async function sendChunked(url: string, body: Buffer, chunkBytes: number): Promise<number> {
  const { socket, received, closed } = dial(url);
  socket.write(headOf('transfer-encoding: chunked'));
  for (let from = 0; from < body.length && !socket.destroyed; from += PIECE_BYTES) {
    const piece = body.subarray(from, from + PIECE_BYTES);
    if (!socket.write(chunkedOf(piece, chunkBytes))) await drained(socket, closed);
  }
  socket.write('0\r\n\r\n');
  await closed;
  return statusIn(received());
}

/** Sends its whole body but for the last byte, and waits; one that is answered before stops sending. */
export class HaltingSender {
  readonly #body: Buffer;
  readonly #line: ReturnType<typeof dial>;
  #sent = false;

  constructor(url: string, body: Buffer) {
    this.#body = body;
    this.#line = dial(url);
    void this.#send();
  }

  /** 0 until there is an answer. */
  get status(): number {
    return statusIn(this.#line.received());
  }

  /** Has sent all but the last byte. */
  get waits(): boolean {
    return this.#sent;
  }

  async #send(): Promise<void> {
    const { socket, closed } = this.#line;
    socket.write(headOf(`content-length: ${this.#body.length}`));
    const end = this.#body.length - 1;
    for (let at = 0; at < end && this.status === 0 && !socket.destroyed; at += PIECE_BYTES)
      if (!socket.write(this.#body.subarray(at, Math.min(end, at + PIECE_BYTES)))) await drained(socket, closed);
    if (this.status === 0) this.#sent = true;
    else socket.destroy();
  }

  /** Sends the last byte and waits for the answer. */
  async finish(): Promise<number> {
    const { socket, closed } = this.#line;
    socket.write(this.#body.subarray(-1));
    await closed;
    return this.status;
  }

  leave(): void {
    this.#line.socket.destroy();
  }
}
