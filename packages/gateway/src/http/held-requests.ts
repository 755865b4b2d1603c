/**
 * Pipelining: requests that arrive on a connection before the answers before them ended wait here, and their connection
 * is not read meanwhile. None is refused, and the answers keep their order.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { LoopBudget, LoopWaiter } from '../kernel/loop-budget.ts';

/** What is known of all connections. */
export interface HeldPorts {
  /** `pipelined`: how many requests of one connection may be under way at once. */
  readonly bounds: () => { readonly pipelined: number };
  readonly loop: LoopBudget;
  readonly excused: Set<Socket>;
  readonly isRead: (socket: Socket, headersMs: number) => void;
  /** Connections of the same address that have sent nothing yet are read one after the other. */
  readonly holdNewcomers: (socket: Socket) => void;
}

type Held = { readonly request: IncomingMessage; readonly response: ServerResponse };

/**
 * What is read next from such a connection may hold two thousand requests, which Node parses in one go: a turn of the
 * loop reads on with few of them.
 */
export const READ_ON_COST_BYTES = 524_288;
/** They share the turns with all that is done without a key. */
const STRANGER = '';

export class HeldRequests implements LoopWaiter {
  readonly #socket: Socket;
  readonly #loop: LoopBudget;
  readonly #connections: HeldPorts;
  readonly #serve: RequestListener;
  readonly #headersMs: number;
  #queue: Held[] = [];
  /** Requests of the queue that are being served already. */
  #taken = 0;
  /** Requests whose answers have not ended. */
  #underWay = 0;
  #isWaiting = false;
  #isUnread = false;
  #isLeft = false;

  constructor(socket: Socket, connections: HeldPorts, serve: RequestListener, headersMs: number) {
    this.#socket = socket;
    this.#loop = connections.loop;
    this.#connections = connections;
    this.#serve = serve;
    this.#headersMs = headersMs;
    socket.once('close', this.#leave);
  }

  /** Node's time for a head goes on while the rest of it is unread. True: it gets the time again, once it is read. */
  excuse(): boolean {
    if (!this.#isUnread || this.#isLeft) return false;
    this.#connections.excused.add(this.#socket);
    return true;
  }

  get #most(): number {
    return this.#connections.bounds().pipelined;
  }

  /** `earlier`: the answer that is under way on the connection. */
  take(request: IncomingMessage, response: ServerResponse, earlier: ServerResponse): void {
    if (this.#underWay === 0 && this.#waiting === 0) this.#follow(earlier);
    if (this.#waiting === 0 && this.#underWay < this.#most) {
      this.#start(request, response);
      return;
    }
    this.#queue.push({ request, response });
    this.#stopReading();
  }

  /** A later turn of the loop has room for the next one. */
  goOn(): void {
    this.#isWaiting = false;
    const most = this.#most;
    while (this.#waiting > 0 && this.#underWay < most) {
      const { request, response } = this.#queue[this.#taken++]!;
      this.#start(request, response);
    }
    if (this.#waiting === 0) this.#readOn();
  }

  /** The connection is parsed anew after an upgrade that is not granted: what was read before is still answered. */
  giveUpReading(): void {
    this.#isLeft = true;
    this.#socket.off('resume', this.#keepUnread);
  }

  get #waiting(): number {
    return this.#queue.length - this.#taken;
  }

  #start(request: IncomingMessage, response: ServerResponse): void {
    this.#follow(response);
    this.#serve(request, response);
  }

  #follow(response: ServerResponse): void {
    this.#underWay++;
    response.once('close', this.#ended);
  }

  readonly #ended = (): void => {
    this.#underWay--;
    if (this.#waiting === 0 || this.#isWaiting) return;
    this.#isWaiting = true;
    this.#loop.wait(this, STRANGER);
  };

  #stopReading(): void {
    if (this.#isUnread || this.#isLeft) return;
    this.#isUnread = true;
    this.#socket.on('resume', this.#keepUnread);
    this.#socket.pause();
    this.#connections.holdNewcomers(this.#socket);
  }

  /** Node reads on by itself after each whole request. */
  readonly #keepUnread = (): void => void this.#socket.pause();

  #readOn(): void {
    this.#queue = [];
    this.#taken = 0;
    if (!this.#isUnread || this.#isLeft) return;
    this.#isUnread = false;
    this.#socket.off('resume', this.#keepUnread);
    this.#socket.resume();
    if (this.#connections.excused.has(this.#socket)) this.#connections.isRead(this.#socket, this.#headersMs);
    this.#loop.spend(READ_ON_COST_BYTES);
  }

  readonly #leave = (): void => {
    this.#isLeft = true;
    this.#connections.excused.delete(this.#socket);
    this.#queue = [];
    this.#taken = 0;
    if (this.#isWaiting) this.#loop.leave(this, STRANGER);
    this.#isWaiting = false;
  };
}
