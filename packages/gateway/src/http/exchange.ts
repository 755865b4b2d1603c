/** The caller's side of an exchange, on node:http. */
import type { ServerResponse } from 'node:http';
import { type CallerPort, isSound } from '../kernel/caller-port.ts';
import { callerAddress, type IsTrustedProxy } from './peer.ts';

/** How long a caller who is being cut off has to read what was already written. */
const CUT_LINGER_MS = 1000;
/** A string joined with the head is copied twice. */
const ONE_PIECE_BYTES = 65_536;

export class HttpReply implements CallerPort {
  readonly #response: ServerResponse;
  readonly #closing: () => boolean;
  readonly #slowReaderMs: number;
  readonly #isTrustedProxy: IsTrustedProxy;
  #onGone: (() => void) | undefined;
  #finished = false;
  /** What is written is bytes, a character for each. */
  #isSound = false;
  gone = false;

  constructor(
    response: ServerResponse,
    closing: () => boolean,
    slowReaderMs: number,
    isTrustedProxy: IsTrustedProxy = () => false,
  ) {
    this.#response = response;
    this.#closing = closing;
    this.#slowReaderMs = slowReaderMs;
    this.#isTrustedProxy = isTrustedProxy;
    response.on('close', () => {
      if (this.#finished) return;
      this.gone = true;
      this.#onGone?.();
    });
  }

  get started(): boolean {
    return this.#response.headersSent;
  }

  get address(): string {
    return callerAddress(this.#response.req, this.#isTrustedProxy);
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  get unread(): number {
    return this.#response.writableLength;
  }

  onRead(listener: () => void): void {
    if (this.#response.closed || this.#response.destroyed) listener();
    else this.#response.once('close', listener);
  }

  answer(status: number, headers: readonly string[], body: string): void {
    this.#finished = true;
    this.#onGone = undefined;
    const length = Buffer.byteLength(body);
    this.#sayLast();
    this.#response.writeHead(status, [...headers, 'content-length', String(length)]);
    // Short ASCII is sent in one piece with the head; anything else is encoded once, into a buffer apart from the head.
    if (length !== body.length) this.#response.end(Buffer.from(body, 'utf8'));
    else if (length <= ONE_PIECE_BYTES) this.#response.end(body, 'latin1');
    else this.#response.end(Buffer.from(body, 'latin1'));
    this.#waitForReader();
  }

  /** The response outlives the answer if the caller reads slowly, and must not retain the request. */
  #end(): void {
    this.#finished = true;
    this.#onGone = undefined;
  }

  open(status: number, headers: readonly string[]): void {
    this.#sayLast();
    this.#isSound = isSound(headers);
    this.#response.writeHead(status, [...headers]);
  }

  /** Checked when the head is written: shutdown may have begun since the request arrived. */
  #sayLast(): void {
    if (this.#closing()) this.#response.shouldKeepAlive = false;
  }

  write(text: string): boolean {
    return this.gone ? true : this.#response.write(text, this.#isSound ? 'latin1' : 'utf8');
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener);
  }

  finish(trailers?: Readonly<Record<string, string>>): void {
    this.#end();
    if (trailers !== undefined) this.#response.addTrailers(trailers);
    this.#response.end();
    this.#waitForReader();
  }

  /** What the kernel could not buffer stays in this process until it is read: this timeout bounds how long. */
  #waitForReader(): void {
    const { socket } = this.#response;
    if (socket === null || socket.writableLength === 0) return;
    this.#response.setTimeout(this.#slowReaderMs, () => socket.resetAndDestroy());
  }

  cut(): void {
    this.#end();
    // What was written is still sent; the terminating chunk is not.
    const { socket } = this.#response;
    if (socket === null) {
      this.#response.destroy();
      return;
    }
    // Node flushes what was written in this turn at its end; a socket ended before that loses it.
    process.nextTick(() => socket.destroySoon());
    // A reset, because the kernel would keep offering the rest to a peer that does not read.
    const lingering = setTimeout(() => socket.resetAndDestroy(), CUT_LINGER_MS);
    socket.once('close', () => clearTimeout(lingering));
  }
}
