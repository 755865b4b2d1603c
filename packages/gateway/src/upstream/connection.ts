/**
 * A connection to an upstream, which carries one request at a time. An answer has to end where its framing says: after
 * one more byte the connection is not reused, because that byte would be read as part of the answer to another request.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { isUnsent } from './connection-fault.ts';
import type { SocketReader } from './dialer.ts';
import { type RequestText, writeTo } from './request-text.ts';
import { READ_BUFFER, ResponseError, type ResponseHead, ResponseParser } from './response-parser.ts';
import { UpstreamCall } from './upstream-call.ts';
import type { UpstreamOptions } from './upstream-client.ts';

/** What currently holds a call. */
export interface Carrier {
  pause(): void;
  resume(): void;
  withdraw(call: SocketCall): void;
}

const NOTHING: RequestText = { head: '', body: '' };

/** A request of the gateway's own client: queued in a pool, or on a connection. */
export class SocketCall extends UpstreamCall {
  /** Cleared once it is sent. */
  text: RequestText = NOTHING;
  carrier: Carrier | undefined;

  pause(): void {
    this.isPaused = true;
    if (!this.isOver) this.carrier?.pause();
  }
  resume(): void {
    this.isPaused = false;
    if (!this.isOver) this.carrier?.resume();
  }
  protected disconnect(): void {
    this.carrier?.withdraw(this);
  }

  /**
   * The body is a view of a buffer that the next read overwrites. `bytes`: what was read of the connection, in which
   * there were `interim` heads before the one of the answer.
   */
  deliver(head: ResponseHead | undefined, body: Buffer | undefined, bytes: number, interim: number): void {
    if (head !== undefined)
      this.onHead(
        head.status,
        (name) => head.get(name),
        () => head.all(),
      );
    const length = body?.length ?? 0;
    if (body !== undefined) this.onBytes(this.keepsPieces ? Buffer.from(body) : body);
    // In most reads of an answer the body is nearly all of it.
    if (interim > 0 || (head === undefined && bytes > 2 * length)) this.onFraming(bytes - length, length, interim);
  }
}

/** What a connection reports to its pool. */
export interface ConnectionOwner {
  readonly options: UpstreamOptions;
  /** What arrives is in the buffer when `callback` is called. */
  dial(onread: SocketReader['onread'], done: buildConnector.Callback): void;
  /** It can take another request, for `keepAliveMs` at most. */
  released(connection: Connection, keepAliveMs: number): void;
  /** The connection has ended. */
  lost(connection: Connection): void;
  /** The call was assigned to a connection that ended before it was sent. */
  returned(call: SocketCall): void;
}

/** Upstreams close idle connections after their own timeout: ours is this much shorter. */
const KEEP_ALIVE_MARGIN_MS = 2000;
const MAX_KEEP_ALIVE_MS = 600_000;

export class Connection {
  /** Monotonic ms; only while it is idle. */
  idleUntilMs = 0;
  readonly isPooled: boolean;
  readonly #owner: ConnectionOwner;
  readonly #parser = new ResponseParser();
  #socket: Socket | undefined;
  #call: SocketCall | undefined;
  #isSent = false;
  #hasAnswered = false;
  /** At least one byte has arrived since the request was sent. */
  #hasReceived = false;
  #keepAliveMs: number;
  #isOver = false;

  constructor(owner: ConnectionOwner, isPooled: boolean) {
    this.#owner = owner;
    this.isPooled = isPooled;
    this.#keepAliveMs = owner.options.keepAliveMs;
    const onread = { buffer: READ_BUFFER, callback: (bytes: number) => this.#read(bytes) };
    owner.dial(onread, (...[error, socket]) => {
      if (error !== null) this.#end(error);
      else if (this.#isOver) socket.destroy();
      else this.#connected(socket);
    });
  }

  #connected(socket: Socket): void {
    this.#socket = socket;
    socket.on('error', (error) => this.#end(error));
    socket.on('end', () => this.#ended());
    socket.on('close', () => this.#end());
    if (this.#call === undefined) this.#release();
    else {
      this.#call.onConnected();
      this.start();
    }
  }

  /** The request is sent by `start`, or once the connection is established. */
  assign(call: SocketCall): void {
    this.#call = call;
    call.carrier = this;
    this.#socket?.ref();
  }

  start(): void {
    const socket = this.#socket;
    const call = this.#call;
    if (this.#isOver || socket === undefined) return;
    if (call === undefined) {
      this.#release();
      return;
    }
    this.#isSent = true;
    this.#hasReceived = false;
    this.#parser.begin();
    if (call.isPaused) socket.pause();
    const { text } = call;
    call.text = NOTHING;
    writeTo(socket, text);
    call.onSent();
  }

  pause(): void {
    if (this.#isSent) this.#socket?.pause();
  }
  resume(): void {
    if (this.#isSent) this.#socket?.resume();
  }

  /** Its call was aborted. */
  withdraw(): void {
    this.#call = undefined;
    if (this.#isSent || !this.isPooled) this.destroy();
  }

  destroy(): void {
    this.#end();
  }

  get closed(): Promise<void> {
    const socket = this.#socket;
    return socket === undefined || socket.closed
      ? Promise.resolve()
      : new Promise((resolve) => socket.once('close', () => resolve()));
  }

  #read(bytes: number): boolean {
    const call = this.#call;
    if (call === undefined || !this.#isSent) {
      // No request was sent.
      this.destroy();
      return true;
    }
    this.#hasReceived = true;
    this.#parser.read(bytes);
    this.#deliver(call, bytes);
    return true;
  }

  #deliver(call: SocketCall, bytes: number): void {
    const { head, body, interim, error, isComplete, keepsAlive } = this.#parser;
    if (head !== undefined) {
      const hint = head.keepAliveMs;
      this.#keepAliveMs =
        hint === undefined ? this.#owner.options.keepAliveMs : Math.min(hint - KEEP_ALIVE_MARGIN_MS, MAX_KEEP_ALIVE_MS);
    }
    call.deliver(head, body, bytes, interim);
    // The listener aborted the call.
    if (this.#isOver) return;
    if (error !== undefined) this.#end(error);
    else if (isComplete) {
      this.#call = undefined;
      this.#isSent = this.#hasReceived = false;
      this.#hasAnswered = true;
      if (keepsAlive) this.#release();
      else this.destroy();
      call.onEnd();
    }
  }

  #release(): void {
    const socket = this.#socket;
    // What is still being written belongs to a request that has been answered.
    if (socket === undefined || !this.isPooled || this.#keepAliveMs <= 0 || socket.writableLength > 0) {
      this.destroy();
      return;
    }
    if (socket.isPaused()) socket.resume();
    socket.unref();
    this.#owner.released(this, this.#keepAliveMs);
  }

  /** The upstream closed its side. */
  #ended(): void {
    const call = this.#call;
    if (this.#isOver || call === undefined || !this.#isSent || !this.#hasReceived) {
      this.#end();
      return;
    }
    this.#parser.finish();
    this.#deliver(call, 0);
  }

  #end(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const call = this.#call;
    this.#call = undefined;
    this.#parser.free();
    this.#socket?.destroy();
    this.#owner.lost(this);
    if (call === undefined) return;
    if (this.#socket !== undefined && !this.#isSent) this.#owner.returned(call);
    // Not connected, or not encrypted yet: whatever the error is, nothing was sent.
    else if (this.#socket === undefined && error !== undefined) call.fail(error, 'unsent');
    else call.fail(brokenBy(error), this.#hasAnswered && !this.#hasReceived ? 'lapsed' : undefined);
  }
}

/**
 * Errors such as "unreachable" on an established connection do not prove that nothing was sent: the request may have
 * been executed.
 */
const brokenBy = (error: Error | undefined): Error =>
  error === undefined || isUnsent(error)
    ? new ResponseError('ECONNRESET', 'the upstream closed the connection', { cause: error })
    : error;
