/**
 * Bodies that arrive packed (`content-encoding`): unpacked piece by piece, off the event loop. What comes out is bounded
 * in size, in memory and in its share of the loop as a plain body is, and by what was sent for it.
 */
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import type { BodyRoom } from '../kernel/admission.ts';
import type { RawHeaders } from '../kernel/caller-port.ts';
import type { LoopBudget, LoopWaiter } from '../kernel/loop-budget.ts';
import type { BodyReader } from './body-reader.ts';

export type Coding = 'gzip' | 'zstd';

export const CODINGS: ReadonlySet<string> = new Set<Coding>(['gzip', 'zstd']);
/** For listeners that read plain bodies only. */
export const NO_CODINGS: ReadonlySet<string> = new Set();

/** One coding, or none: several on top of each other multiply what a body may unpack to. */
export function codingFault(headers: RawHeaders, accepted: ReadonlySet<string>): Fault | undefined {
  const named = headers.get('content-encoding');
  if (named === undefined || named === 'identity') return undefined;
  if (typeof named === 'string' && accepted.has(named.toLowerCase())) return undefined;
  const message =
    accepted.size === 0
      ? 'Compressed request bodies are not accepted.'
      : `The Content-Encoding of a request body must be one of ${[...accepted].join(', ')}, or absent.`;
  return { kind: 'wrong-media-type', message };
}

/** To be called after `codingFault` found nothing wrong. */
export function codingOf(headers: RawHeaders): Coding | undefined {
  const named = headers.get('content-encoding');
  if (typeof named !== 'string' || named === 'identity') return undefined;
  return named.toLowerCase() === 'zstd' ? 'zstd' : 'gzip';
}

/** No longer than one read of a socket, as readers of bodies expect. */
const PIECE_BYTES = 65_536;
/** A body may unpack to this much, whatever was sent for it: short ones may be all white space. */
const FREE_BYTES = 1_048_576;
/** What HTTP allows senders of zstd (RFC 9659). A frame may ask for 128 MB, before it holds a byte. */
const MAX_WINDOW_LOG = 23;

const CREATE = {
  gzip: () => createGunzip({ chunkSize: PIECE_BYTES }),
  zstd: () =>
    createZstdDecompress({ chunkSize: PIECE_BYTES, params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG } }),
};

export type UnpackPorts = {
  readonly coding: Coding;
  /** Of the unpacked body. */
  readonly maxBytes: number;
  /** The most unpacked bytes for each byte sent. */
  readonly maxRatio: number;
  readonly room: BodyRoom;
  readonly loop: Pick<LoopBudget, 'spend' | 'wait' | 'leave'>;
  /** Called at most once, if the body is refused before all of it was sent; what arrives after it is dropped. */
  readonly onRefused: (error: unknown) => void;
};

export class UnpackedBody<T> implements BodyReader<T>, LoopWaiter {
  readonly #reader: BodyReader<T>;
  readonly #ports: UnpackPorts;
  readonly #stream: ReturnType<(typeof CREATE)[Coding]>;
  /** Set once all of it was sent. */
  #onEnd: { readonly resolve: (whole: T | Promise<T>) => void; readonly reject: (error: unknown) => void } | undefined;
  #isOver = false;
  #isWaiting = false;
  #sent = 0;
  #unpacked = 0;
  #reserved = 0;

  constructor(reader: BodyReader<T>, ports: UnpackPorts) {
    this.#reader = reader;
    this.#ports = ports;
    this.#stream = CREATE[ports.coding]();
    this.#stream.on('data', (piece: Buffer) => this.#takeUnpacked(piece));
    this.#stream.on('end', () => this.#whole());
    this.#stream.on('error', () => this.#refuse(this.#broken()));
  }

  /** What is not unpacked yet waits in the stream: its memory is reserved as it arrives. */
  take(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#sent += chunk.length;
    this.#stream.write(chunk);
  }

  end(): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#onEnd = { resolve, reject };
      this.#stream.end();
    });
  }

  /** The rest of the body will not come. */
  abandon(): void {
    this.#isOver = true;
    if (this.#isWaiting) this.#ports.loop.leave(this, this.#ports.room.accountId);
    this.#stream.destroy();
  }

  goOn(): void {
    this.#isWaiting = false;
    this.#stream.resume();
  }

  #takeUnpacked(piece: Buffer): void {
    if (this.#isOver) return;
    this.#unpacked += piece.length;
    const { loop, room } = this.#ports;
    try {
      this.#checkSize();
      if (this.#unpacked > this.#reserved) this.#reserveMore();
      this.#reader.take(piece);
    } catch (error) {
      this.#refuse(error);
      return;
    }
    if (!loop.spend(piece.length)) return;
    this.#isWaiting = true;
    this.#stream.pause();
    loop.wait(this, room.accountId);
  }

  #checkSize(): void {
    const { maxBytes, maxRatio } = this.#ports;
    if (this.#unpacked > maxBytes)
      throw new GatewayError({
        kind: 'too-large',
        message: `The request body unpacks to more than ${maxBytes} bytes.`,
      });
    if (this.#unpacked > FREE_BYTES + maxRatio * this.#sent)
      throw new GatewayError({
        kind: 'too-large',
        message: `The request body unpacks to more than ${maxRatio} bytes for each byte sent (limits.unpackRatio). Send it without Content-Encoding.`,
      });
  }

  #reserveMore(): void {
    const refusal = this.#ports.room.reserve(PIECE_BYTES);
    if (refusal !== undefined) throw new GatewayError(refusal);
    this.#reserved += PIECE_BYTES;
  }

  #whole(): void {
    if (this.#isOver) return;
    // The streams stop at the end of the last frame, and ignore what was sent behind it.
    if (this.#stream.bytesWritten < this.#sent) {
      this.#refuse(this.#broken());
      return;
    }
    this.#isOver = true;
    try {
      this.#onEnd?.resolve(this.#reader.end());
    } catch (error) {
      this.#onEnd?.reject(error);
    }
  }

  #refuse(error: unknown): void {
    if (this.#isOver) return;
    this.abandon();
    if (this.#onEnd === undefined) this.#ports.onRefused(error);
    else this.#onEnd.reject(error);
  }

  #broken(): GatewayError {
    return new GatewayError({ kind: 'malformed', message: `The request body is not valid ${this.#ports.coding}.` });
  }
}
