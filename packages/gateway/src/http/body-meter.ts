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

/** Bytes on the connection that are free, whatever the body: one read of a socket. */
const FREE_WIRE_BYTES = 65_536;
/** A piece costs a turn of the loop as much as this many bytes, however short it is. */
const PIECE_COST_BYTES = 256;

export class BodyMeter implements LoopWaiter {
  readonly #request: IncomingMessage;
  readonly #socket: Socket;
  readonly #ports: MeterPorts;
  readonly #accountId: string;
  readonly #maxPieceCount: number;
  readonly #wireStart: number;
  #pieces = 0;
  #bytes = 0;
  #isWaiting = false;

  /** `accountId`: empty for strangers. `maxPieceCount`: judges the pieces earlier than the setting says. */
  constructor(
    request: IncomingMessage,
    ports: MeterPorts,
    accountId: string,
    maxPieceCount = Number.POSITIVE_INFINITY,
  ) {
    this.#request = request;
    this.#socket = request.socket;
    this.#ports = ports;
    this.#accountId = accountId;
    this.#maxPieceCount = maxPieceCount;
    this.#wireStart = request.socket.bytesRead;
  }

  /** The body is not read at present, because the turn of the loop is used up. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Counts a piece. Returns the refusal of a body that costs too much; else reading may pause until a later turn. */
  take(bytes: number): CostlyBody | undefined {
    this.#pieces++;
    this.#bytes += bytes;
    const { pieceCount, pieceBytes, wireRatio } = this.#ports.bounds();
    if (this.#pieces >= Math.min(pieceCount, this.#maxPieceCount) && this.#bytes < this.#pieces * pieceBytes)
      return this.#cut(
        'pieces',
        `The request body arrives in pieces of fewer than ${pieceBytes} bytes on average (limits.pieceBytes). Write it in larger pieces, or send it whole with a Content-Length.`,
      );
    if (this.#socket.bytesRead - this.#wireStart > wireRatio * this.#bytes + FREE_WIRE_BYTES)
      return this.#cut(
        'wire',
        `The request takes more than ${wireRatio} bytes on the connection for each byte of its body (limits.wireRatio). Send larger chunks, without extensions.`,
      );
    if (this.#ports.loop.spend(bytes + PIECE_COST_BYTES) && !this.#isWaiting) {
      this.#isWaiting = true;
      this.#request.pause();
      this.#ports.loop.wait(this, this.#accountId);
    }
    return undefined;
  }

  goOn(): void {
    this.#isWaiting = false;
    this.#request.resume();
  }

  /** The body is over, or no longer read. */
  end(): void {
    if (this.#isWaiting) this.#ports.loop.leave(this, this.#accountId);
    this.#isWaiting = false;
  }

  #cut(reason: CutReason, message: string): CostlyBody {
    this.end();
    this.#ports.onCut(reason);
    return new CostlyBody({ kind: 'malformed', message });
  }
}
