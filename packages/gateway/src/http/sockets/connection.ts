/**
 * An open WebSocket: each frame of its caller is one call, authenticated, admitted and settled as one over plain HTTP.
 * Calls of one lane run one after the other, lanes beside one another.
 */
import type { Socket } from 'node:net';
import { type Fault, faultOf, GatewayError, isJsonArray, type Json, stringAt } from '@trivium/protocol/canonical';
import type { CallerDialect } from '@trivium/protocol/dialects';
import type { RawData, WebSocket } from 'ws';
import { emptyResponse } from '../../calls/endpoints/empty-response.ts';
import { rememberTurn } from '../../calls/entry/stored-turns.ts';
import { handle } from '../../calls/pipeline.ts';
import type { Received } from '../../calls/request.ts';
import type { BodyRoom } from '../../kernel/admission.ts';
import type { RawHeaders } from '../../kernel/caller-port.ts';
import { MEMORY_FACTOR, SMALL_BODY } from '../../kernel/memory.ts';
import { recordedProtocol } from '../../kernel/recorded-protocol.ts';
import type { ConnectionTurns } from '../../kernel/stored-responses.ts';
import type { DataPlanePorts } from '../destination.ts';
import { requestHead } from '../head.ts';
import type { ParsedTarget } from '../path-policy.ts';
import { refusedRequest, type ServedCall } from '../refused-request.ts';
import {
  type AskedFrame,
  CONNECTION_LIMIT,
  faultFrame,
  NO_ROOM,
  NOT_TEXT,
  readFrame,
  STREAM_LIMIT,
  type StreamLane,
} from './frames.ts';
import { type Link, SocketReply } from './socket-reply.ts';

const ROUTE = 'text-call';
export const SOCKET_PROTOCOL = 'chat';

/** Of RFC 6455. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const NOT_ACCEPTED = 1003;
const FORBIDDEN = 1008;
const TRY_LATER = 1013;

/** Of a ping or a pong: of the frame and its mask. */
const CONTROL_HEAD = 6;

/** Proxies close connections that are silent for a minute. */
const PING_MS = 25_000;
const SILENT_PINGS = 2;

const STOPPING: Fault = { kind: 'overloaded', message: 'The gateway is restarting. Send the request again.' };

/** A lane without a name. */
const ONLY = '';

export type OpenedSocket = {
  readonly accountId: string;
  readonly headers: RawHeaders;
  readonly address: string;
  readonly target: ParsedTarget;
  readonly path: string;
  readonly dialect: CallerDialect;
  readonly turns: ConnectionTurns;
  readonly onClose: () => void;
};

type Waiting = { readonly frame: AskedFrame; readonly bytes: number };

export class SocketConnection implements Link {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  readonly #ports: DataPlanePorts;
  readonly #opened: OpenedSocket;
  readonly #openedAtMs: number;
  /** Lanes with a call under way, and the frames that wait for it to end. */
  readonly #lanes = new Map<string, Waiting[]>();
  readonly #replies = new Set<SocketReply>();
  #onRead: (() => void)[] = [];
  #waitingBytes = 0;
  #waitingFrames = 0;
  #activeAtMs: number;
  #heardAtMs: number;
  #heardBytes = 0;
  #pings = 0;
  #behindSinceMs: number | undefined;
  /** Bytes read before the frame that arrives now. */
  #frameStart = 0;
  #countedBytes = 0;
  #uncount: (() => void) | undefined;
  #isDraining = false;

  constructor(ws: WebSocket, socket: Socket, ports: DataPlanePorts, opened: OpenedSocket) {
    this.#ws = ws;
    this.#socket = socket;
    this.#ports = ports;
    this.#opened = opened;
    this.#openedAtMs = this.#activeAtMs = this.#heardAtMs = this.#nowMs;
    ws.on('message', this.#take);
    ws.once('close', this.#closed);
    // What is wrong with a frame closes the connection with a code that says so.
    ws.on('error', () => undefined);
    this.#frameStart = socket.bytesRead;
    for (const aside of ['ping', 'pong'] as const)
      ws.on(aside, (data: Buffer) => {
        this.#frameStart += data.length + CONTROL_HEAD;
      });
    socket.on('drain', this.#isRead);
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }

  get address(): string {
    return this.#opened.address;
  }

  get unread(): number {
    return this.#socket.writableLength;
  }

  get isBehind(): boolean {
    return this.#socket.writableNeedDrain;
  }

  send(text: string): boolean {
    if (!this.isOpen) return true;
    this.#ws.send(text);
    if (!this.isBehind) return true;
    this.#behindSinceMs ??= this.#nowMs;
    return false;
  }

  onRead(listener: () => void): void {
    if (this.isOpen && this.isBehind) this.#onRead.push(listener);
    else listener();
  }

  reset(): void {
    this.#ws.terminate();
  }

  /** The process stops: what is under way may end. */
  drain(): void {
    this.#isDraining = true;
    if (this.#lanes.size === 0) this.#close(GOING_AWAY, 'The gateway is restarting.');
  }

  /** Called once a second. */
  sweep(nowMs: number): void {
    if (!this.isOpen) return;
    const { sockets, timeouts } = this.#ports.settings();
    if (this.#behindSinceMs !== undefined && nowMs - this.#behindSinceMs > timeouts.slowReaderMs) {
      this.reset();
      return;
    }
    this.#listen(nowMs);
    this.#count(this.#socket.bytesRead - this.#frameStart);
    if (this.#lanes.size > 0) return;
    if (this.#isExpired(nowMs)) {
      this.#refuse(CONNECTION_LIMIT, undefined);
      this.#close(NORMAL, 'Open for as long as it may.');
    } else if (nowMs - this.#activeAtMs > sockets.idleMs) this.#close(NORMAL, 'Idle for too long.');
  }

  /** Of a frame that is still arriving, and of those that wait. One that has come whole is counted by its call. */
  #count(arriving: number): void {
    const { memory } = this.#ports.engine().exchange;
    const bytes = arriving + this.#waitingBytes;
    if (memory === undefined || bytes === this.#countedBytes) return;
    const hasRoom = bytes < this.#countedBytes || memory.fits((bytes - this.#countedBytes) * MEMORY_FACTOR.body);
    this.#uncount?.();
    this.#countedBytes = bytes;
    this.#uncount = bytes > SMALL_BODY ? memory.count(this.#opened.accountId, 'body', bytes) : undefined;
    if (hasRoom || bytes <= SMALL_BODY) return;
    this.#refuse(NO_ROOM, undefined);
    this.#ws.pause();
    this.#close(TRY_LATER, 'No memory for this frame.');
  }

  #listen(nowMs: number): void {
    const { bytesRead } = this.#socket;
    if (bytesRead !== this.#heardBytes) {
      this.#heardBytes = bytesRead;
      this.#heardAtMs = nowMs;
      this.#pings = 0;
    } else if (nowMs - this.#heardAtMs > PING_MS * (this.#pings + 1)) {
      if (this.#pings >= SILENT_PINGS) {
        this.reset();
        return;
      }
      this.#pings++;
      if (!this.isBehind) this.#ws.ping();
    }
  }

  get #nowMs(): number {
    return this.#ports.engine().clock.monotonicMs();
  }

  #isExpired(nowMs: number): boolean {
    return nowMs - this.#openedAtMs > this.#ports.settings().sockets.durationMs;
  }

  readonly #take = (data: RawData, isBinary: boolean): void => {
    if (isBinary) {
      this.#refuse(NOT_TEXT, undefined);
      this.#close(NOT_ACCEPTED, 'Frames are JSON texts.');
      return;
    }
    this.#activeAtMs = this.#nowMs;
    const bytes = data instanceof Buffer ? data.length : 0;
    this.#frameStart = this.#socket.bytesRead;
    if (this.#countedBytes > this.#waitingBytes) this.#count(0);
    this.#ports.connections.loop.spend(bytes);
    this.#ask(data.toString(), bytes);
    // Errors are not read either by a caller who reads nothing.
    if (this.isBehind && !this.#ws.isPaused) {
      this.#ws.pause();
      this.onRead(() => this.#ws.resume());
    }
  };

  #ask(text: string, bytes: number): void {
    let lane: StreamLane;
    try {
      const frame = readFrame(text, this.#ports.engine().jsonBounds);
      lane = frame.lane;
      if (this.#isDraining) throw new GatewayError(STOPPING);
      if (this.#isExpired(this.#activeAtMs)) throw new GatewayError(CONNECTION_LIMIT);
      this.#queue({ frame, bytes });
    } catch (error) {
      this.#refuse(faultOf(error), lane, error instanceof GatewayError ? error.cause : error);
    }
  }

  #queue(asked: Waiting): void {
    const name = asked.frame.lane ?? ONLY;
    const { streams, queued, frameBytes } = this.#ports.settings().sockets;
    const waiting = this.#lanes.get(name);
    if (waiting === undefined) {
      if (this.#lanes.size >= streams) throw new GatewayError(STREAM_LIMIT);
      this.#lanes.set(name, []);
      this.#run(asked);
      return;
    }
    if (this.#waitingFrames >= queued || this.#waitingBytes + asked.bytes > frameBytes)
      throw new GatewayError(STREAM_LIMIT);
    waiting.push(asked);
    this.#waitingFrames++;
    this.#waitingBytes += asked.bytes;
  }

  #run({ frame, bytes }: Waiting): void {
    const id = this.#ports.nextId();
    const engine = this.#ports.engine();
    const reply = new SocketReply(this, frame.lane, id, () => this.#ended(frame, reply, received));
    this.#replies.add(reply);
    const received: Received = this.#received(id, frame, bytes, reply);
    const work = frame.generates ? handle : emptyResponse;
    work(engine, received, false).then(
      () => this.#seen(id, received),
      (error: unknown) => {
        const fault = faultOf(error);
        this.#seen(id, received, fault, error instanceof GatewayError ? error.cause : error);
        reply.fail(fault);
        if (fault.kind === 'unauthenticated') this.#close(FORBIDDEN, 'The API key is not valid.');
      },
    );
  }

  #received(id: string, frame: AskedFrame, bytes: number, reply: SocketReply): Received {
    const { admission, exchange } = this.#ports.engine();
    const { headers, target, path, dialect, turns } = this.#opened;
    return {
      id,
      protocol: SOCKET_PROTOCOL,
      headers,
      head: requestHead({ dialect: dialect.id }, target, headers, this.#ports.settings().finishReason),
      path,
      reply,
      receivedAtMs: admission.clock.nowMs(),
      startedAtMs: admission.clock.monotonicMs(),
      trace: exchange.tracing?.begin(headers),
      readBody: async (room: BodyRoom) => {
        const refusal = room.reserve(bytes);
        if (refusal !== undefined) throw new GatewayError(refusal);
        return { text: frame.body() };
      },
      dialect,
      turns,
    };
  }

  #ended({ lane }: AskedFrame, reply: SocketReply, received: ServedCall): void {
    this.#replies.delete(reply);
    this.#activeAtMs = this.#nowMs;
    this.#remember(reply, received);
    const name = lane ?? ONLY;
    const next = this.#lanes.get(name)?.shift();
    if (next !== undefined && this.isOpen && !this.#isDraining) {
      this.#waitingFrames--;
      this.#waitingBytes -= next.bytes;
      this.#run(next);
      return;
    }
    if (next !== undefined) this.#refuse(STOPPING, lane);
    this.#lanes.delete(name);
    if (this.#isDraining && this.#lanes.size === 0) this.#close(GOING_AWAY, 'The gateway is restarting.');
  }

  /** What is stored can be referred to on any connection, until it is deleted. */
  #remember({ finished }: SocketReply, { text, members }: ServedCall): void {
    const id = finished === undefined ? undefined : stringAt(finished, 'id');
    if (finished === undefined || id === undefined || finished['store'] === true) return;
    if (text === undefined || members === undefined) return;
    const output: Json = finished['output'] ?? [];
    rememberTurn(this.#opened.turns, { text, members }, id, isJsonArray(output) ? output : []);
  }

  #refuse(fault: Fault, lane: StreamLane, cause?: unknown): void {
    const id = this.#ports.nextId();
    const protocol = recordedProtocol(SOCKET_PROTOCOL, this.#opened.dialect.id);
    this.#ports.onReply({ protocol, route: ROUTE, requestId: id, fault, ...(cause !== undefined && { cause }) });
    this.send(faultFrame(fault, id, lane));
  }

  #seen(requestId: string, received: ServedCall, fault?: Fault, cause?: unknown): void {
    const seen = { protocol: recordedProtocol(SOCKET_PROTOCOL, this.#opened.dialect.id), route: ROUTE, requestId };
    if (fault === undefined) {
      this.#ports.onReply(seen);
      return;
    }
    this.#ports.onReply({ ...seen, fault, ...(cause !== undefined && { cause }) });
    const refused = refusedRequest({ ...seen, fault }, received, this.#ports.engine().clock);
    if (refused !== undefined) this.#ports.onRefused(refused);
    received.wire?.close();
  }

  #close(code: number, reason: string): void {
    this.#ws.close(code, reason);
  }

  readonly #isRead = (): void => {
    this.#behindSinceMs = undefined;
    const listeners = this.#onRead;
    this.#onRead = [];
    for (const listener of listeners) listener();
  };

  readonly #closed = (): void => {
    this.#lanes.forEach((waiting) => {
      waiting.length = 0;
    });
    this.#uncount?.();
    this.#opened.turns.close();
    this.#opened.onClose();
    for (const reply of this.#replies) reply.closed();
    this.#isRead();
  };
}
