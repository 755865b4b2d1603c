/** A network without a network: connections of either client whose bytes a test hands over piece by piece. */
import { Duplex } from 'node:stream';
import type { Dialer } from '../../packages/gateway/src/upstream/dialer.ts';
import { READ_BUFFER } from '../../packages/gateway/src/upstream/response-parser.ts';

class FakeSocket extends Duplex {
  /** What the client sent. */
  sent = '';
  bytesRead = 0;
  readonly #onread: ((bytes: number) => boolean) | undefined;

  constructor(onread: ((bytes: number) => boolean) | undefined) {
    super({ autoDestroy: true, allowHalfOpen: false });
    this.#onread = onread;
  }

  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.sent += chunk.toString('latin1');
    done();
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  feed(bytes: Buffer): void {
    if (this.destroyed) return;
    this.bytesRead += bytes.length;
    if (this.#onread === undefined) this.push(bytes);
    else
      for (let at = 0; at < bytes.length && !this.destroyed; at += READ_BUFFER.length)
        this.#onread(bytes.copy(READ_BUFFER, 0, at, at + READ_BUFFER.length));
  }

  close(): void {
    if (this.destroyed) return;
    this.push(null);
    this.read(0);
  }
}

export class FakeNetwork {
  readonly sockets: FakeSocket[] = [];

  readonly dial: Dialer =
    ({ reader }) =>
    (_endpoint, done) => {
      const socket = new FakeSocket(reader?.onread.callback);
      this.sockets.push(socket);
      // Clients use no more of a socket than this one has.
      process.nextTick(() => done(null, socket as never));
    };

  get last(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error('nothing was dialled');
    return socket;
  }
}
