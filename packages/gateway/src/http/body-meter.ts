/**
 * What the body of one request costs while it arrives: how many pieces it takes, how much is sent around it, and its
 * share of each turn of the loop. Used wherever bytes of callers are read, also those of refused requests.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '@trivium/protocol/canonical';
import type { LoopBudget, LoopWaiter } from '../kernel/loop-budget.ts';

export const CUT_REASONS = ['pieces', 'wire', 'keyless'] as const;
export type CutReason = (typeof CUT_REASONS)[number];

export type PieceBounds = {
  /** From this many pieces on, their average size is judged. */
  readonly pieceCount: number;
  /** The smallest average size of pieces, in bytes. */
  readonly pieceBytes: number;
  /** The most bytes on the connection for each byte of a body. */
  readonly wireRatio: number;
};

export type MeterPorts = {
  readonly bounds: () => PieceBounds;
  readonly loop: LoopBudget;
  readonly onCut: (reason: CutReason) => void;
};

/** A sender that makes the gateway work far more than its bytes are worth: its connection is closed. */
export class CostlyBody extends GatewayError {}

/** One read of a socket. */
const READ_BYTES = 65_536;
/** Bytes on the connection that are free, whatever the body. */
const FREE_WIRE_BYTES = READ_BYTES;
/** A piece costs a turn of the loop as much as this many bytes, however short it is. */
const PIECE_COST_BYTES = 256;
/** Shorter pieces are passed on together, once for each read of the socket: a stream costs more than their bytes. */
const TINY_PIECE_BYTES = 1024;
const SLAB_BYTES = 16_384;
/** Every so often: asking the socket costs more than counting. */
const WIRE_CHECK_PIECES = 16;

export type MeterUse = {
  /** Whose turn it is; empty for strangers. */
  readonly accountId: string;
  /** Judges the pieces earlier than the setting says. */
  readonly maxPieceCount?: number;
  /** Called for each piece. With it the body is only counted, and kept nowhere. */
  readonly onDiscarded?: () => void;
  /** Called once, when the body costs too much; what arrives after it is dropped. */
  readonly onRefused: (refusal: CostlyBody) => void;
};

export class BodyMeter implements LoopWaiter {
  readonly #request: IncomingMessage;
  readonly #socket: Socket;
  readonly #ports: MeterPorts;
  readonly #use: MeterUse;
  readonly #wireStart: number;
  #pieces = 0;
  #bytes = 0;
  /** Pieces that no turn of the loop has been charged for yet. */
  #unspent = 0;
  #isWaiting = false;
  #isRefused = false;
  readonly #push: (piece: Buffer | null) => boolean;
  #slab: Buffer | undefined;
  #slabBytes = 0;

  /** Pieces are counted as the parser passes them on: one read of a socket holds ten thousand of the smallest. */
  constructor(request: IncomingMessage, ports: MeterPorts, use: MeterUse) {
    this.#request = request;
    this.#socket = request.socket;
    this.#ports = ports;
    this.#use = use;
    this.#wireStart = request.socket.bytesRead;
    this.#push = request.push.bind(request);
    request.push = (piece: Buffer | null) => this.#take(piece);
  }

  #take(piece: Buffer | null): boolean {
    if (piece !== null && !this.#count(piece.length)) return true;
    if (piece !== null && piece.length < TINY_PIECE_BYTES) return this.#gather(piece);
    this.#passOn();
    return this.#push(piece);
  }

  #gather(piece: Buffer): boolean {
    if (this.#slab === undefined) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      setImmediate(() => this.#passOn());
    }
    this.#slabBytes += piece.copy(this.#slab, this.#slabBytes);
    return this.#slabBytes + TINY_PIECE_BYTES <= SLAB_BYTES || this.#passOn();
  }

  #passOn(): boolean {
    const pieces = this.#slab?.subarray(0, this.#slabBytes);
    this.#slab = undefined;
    this.#slabBytes = 0;
    return pieces === undefined || this.#isRefused || this.#request.destroyed || this.#push(pieces);
  }

  /** The body is not read at present, because the turn of the loop is used up. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What the next read of the socket is expected to cost a turn of the loop. */
  get readCost(): number {
    return READ_BYTES + (this.#pieces / this.#bytes) * READ_BYTES * PIECE_COST_BYTES;
  }

  /** What arrived was handled. Reading pauses until a later turn if this one is used up. */
  spend(bytes: number): void {
    const cost = bytes + this.#unspent * PIECE_COST_BYTES;
    this.#unspent = 0;
    if (!this.#ports.loop.spend(cost) || this.#isWaiting || this.#isRefused) return;
    this.#isWaiting = true;
    if (this.#use.onDiscarded !== undefined) this.#socket.pause();
    else this.#request.pause();
    this.#ports.loop.wait(this, this.#use.accountId);
  }

  goOn(): void {
    this.#isWaiting = false;
    if (this.#use.onDiscarded !== undefined) this.#socket.resume();
    else this.#request.resume();
  }

  /** The body is over, or no longer read. */
  end(): void {
    if (this.#isWaiting) this.#ports.loop.leave(this, this.#use.accountId);
    this.#isWaiting = false;
  }

  /** Whether the piece is kept. */
  #count(bytes: number): boolean {
    if (this.#isRefused) return false;
    this.#pieces++;
    this.#unspent++;
    this.#bytes += bytes;
    const { pieceCount, pieceBytes, wireRatio } = this.#ports.bounds();
    const { maxPieceCount = pieceCount, onDiscarded } = this.#use;
    if (this.#pieces >= Math.min(pieceCount, maxPieceCount) && this.#bytes < this.#pieces * pieceBytes)
      return this.#refuse(
        'pieces',
        `The request body arrives in pieces of fewer than ${pieceBytes} bytes on average (limits.pieceBytes). Write it in larger pieces, or send it whole with a Content-Length.`,
      );
    const isChecked = this.#pieces % WIRE_CHECK_PIECES === 1 || bytes > TINY_PIECE_BYTES;
    if (isChecked && this.#socket.bytesRead - this.#wireStart > wireRatio * this.#bytes + FREE_WIRE_BYTES)
      return this.#refuse(
        'wire',
        `The request takes more than ${wireRatio} bytes on the connection for each byte of its body (limits.wireRatio). Send larger chunks, without extensions.`,
      );
    if (onDiscarded === undefined) return true;
    this.spend(bytes);
    onDiscarded();
    return false;
  }

  #refuse(reason: CutReason, message: string): false {
    this.end();
    this.#isRefused = true;
    // The kernel may have much more of it, which would be read in this turn.
    this.#socket.pause();
    skipChunks(this.#socket);
    this.#ports.onCut(reason);
    this.#use.onRefused(new CostlyBody({ kind: 'malformed', message }));
    return false;
  }
}

const CALLBACKS = 8;

/**
 * Node's parser calls back for every chunk of what was read, ten thousand times for the smallest, even after the
 * connection was closed. Without its callback for bodies it only passes over them. Node keeps parsers for other
 * connections, so the callback is put back when this one closes. Has no effect if Node names things differently one day.
 */
function skipChunks(socket: Socket): void {
  const parser: unknown = 'parser' in socket ? socket.parser : undefined;
  if (typeof parser !== 'object' || parser === null) return;
  for (let index = 0; index < CALLBACKS; index++) {
    const callback: unknown = Reflect.get(parser, index);
    if (typeof callback !== 'function' || callback.name !== 'parserOnBody') continue;
    Reflect.set(parser, index, null);
    socket.once('close', () => Reflect.set(parser, index, callback));
    return;
  }
}
