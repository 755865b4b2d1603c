/**
 * One request and the delivery of its answer, for both clients: bytes become text, the listener is called in order and
 * not after the end, and an exception it throws ends this call instead of the process.
 */
import { isAscii } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import { ABSENT } from '../kernel/timeouts.ts';
import type { HowFailed, UpstreamExchange, UpstreamListener } from '../kernel/upstream.ts';
import { AWS_EVENT_STREAM, AwsEventStream } from './aws-event-stream.ts';
import { connectionFault } from './connection-fault.ts';

/** Bytes after the end of an answer that are read to keep the connection. */
const MOST_DRAINED = 65_536;

/** Of an answer that is complete, whatever else arrives. */
const DRAIN: UpstreamListener = { onHead: ignore, onText: ignore, onEnd: ignore, onFail: ignore };
function ignore(): void {}

const OK = 200;
/** Of answers that are text, whatever was asked for. */
const WORDS = /^(?:text\/|application\/json)/i;

type HeaderLookup = (name: string) => string | undefined;

export abstract class UpstreamCall implements UpstreamExchange {
  index = ABSENT;
  isOver = false;
  hasHead = false;
  isPaused = false;
  #listener: UpstreamListener;
  readonly #release: (call: UpstreamCall) => void;
  #drained = 0;
  #sweeps = 0;
  #text: PiecewiseUtf8 | AwsEventStream | Bytes = new PiecewiseUtf8();

  constructor(listener: UpstreamListener, release: (call: UpstreamCall) => void) {
    this.#listener = listener;
    this.#release = release;
  }

  abstract pause(): void;
  abstract resume(): void;
  /** Ends the client's part of an aborted call. */
  protected abstract disconnect(): void;

  drain(): void {
    if (this.isOver) return;
    this.#listener = DRAIN;
    if (this.isPaused) this.resume();
  }

  /** Called about once a second: an answer that is still open at the second call after its last frame is closed. */
  sweep(): void {
    if (this.#listener === DRAIN && ++this.#sweeps > 1) this.abort();
  }

  #discard(bytes: number): void {
    this.#drained += bytes;
    if (this.#drained > MOST_DRAINED) this.abort();
  }

  abort(): void {
    if (this.isOver) return;
    this.#finish();
    this.disconnect();
  }

  onConnected(): void {
    if (!this.isOver) this.#listener.onConnected?.();
  }

  onSent(): void {
    if (!this.isOver) this.#listener.onSent?.();
  }

  protected onHead(status: number, header: HeaderLookup, headers: () => readonly string[]): void {
    if (this.isOver) return;
    this.hasHead = true;
    const type = header('content-type') ?? '';
    if (type === AWS_EVENT_STREAM) this.#text = new AwsEventStream();
    else if (this.#listener.readsBytes === true && status === OK && !WORDS.test(type)) this.#text = new Bytes();
    try {
      this.#listener.onHead(status, header, headers);
    } catch (error) {
      this.#fault(error);
    }
  }

  /** Readers of AWS events may keep the piece; text is copied at once. */
  protected onBytes(piece: Buffer): void {
    if (this.isOver) return;
    if (this.#listener === DRAIN) {
      this.#discard(piece.length);
      return;
    }
    try {
      const text = this.#text.write(piece);
      if (text !== '') this.#listener.onText(text);
    } catch (error) {
      this.#fault(error);
    }
  }

  /** Called after the text that came with it. */
  protected onFraming(bytes: number, bodyBytes: number, heads: number): void {
    if (this.isOver) return;
    if (this.#listener === DRAIN) this.#discard(bytes);
    else this.#listener.onFraming?.(bytes, bodyBytes, heads);
  }

  protected get keepsPieces(): boolean {
    return this.#text instanceof AwsEventStream;
  }

  onEnd(): void {
    if (this.isOver) return;
    this.#finish();
    try {
      const rest = this.#text.end();
      if (rest !== '') this.#listener.onText(rest);
      this.#listener.onEnd();
    } catch (error) {
      this.#fault(error);
    }
  }

  fail(error: Error, how: HowFailed | undefined): void {
    if (this.isOver) return;
    this.#finish();
    this.#listener.onFail(connectionFault(error), error, how);
  }

  #finish(): void {
    this.isOver = true;
    this.#release(this);
  }

  #fault(error: unknown): void {
    this.abort();
    const fault: Fault =
      error instanceof GatewayError
        ? error.fault
        : { kind: 'internal', message: 'The gateway failed to handle this answer.' };
    this.#listener.onFail(fault, error);
  }
}

/** Bytes that are no text: a character for each. */
class Bytes {
  write(piece: Buffer): string {
    return piece.toString('latin1');
  }

  end(): string {
    return '';
  }
}

/** Pieces of bytes → pieces of text: a character split by the network comes with the piece that completes it. */
export class PiecewiseUtf8 {
  #decoder: StringDecoder | undefined;

  /** Most pieces end with an ASCII character and need no state. */
  write(piece: Buffer): string {
    if (this.#decoder === undefined && (piece[piece.length - 1] ?? 0) < 0x80)
      return isAscii(piece) ? piece.toString('latin1') : piece.toString('utf8');
    this.#decoder ??= new StringDecoder('utf8');
    return this.#decoder.write(piece);
  }

  /** The rest of an incomplete character. */
  end(): string {
    return this.#decoder?.end() ?? '';
  }
}
