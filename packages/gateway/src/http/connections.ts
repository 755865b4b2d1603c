/**
 * The connections of callers, and what they may cost before a valid key is known. Connections are counted by address
 * until one of their requests has shown a key. Above the bound, those that cost most so far are closed; new ones are
 * always accepted.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { LoopBudget } from '../kernel/loop-budget.ts';
import { CUT_REASONS, type CutReason, type MeterPorts, type PieceBounds } from './body-meter.ts';
import { type HeldPorts, type HeldRequests, READ_ON_COST_BYTES } from './held-requests.ts';
import { callerAddress, type IsTrustedProxy } from './peer.ts';

export type ConnectionBounds = PieceBounds & {
  readonly keylessConnections: number;
  /** Requests of one connection that are under way at once. */
  readonly pipelined: number;
};

export type ConnectionPorts = {
  readonly bounds: () => ConnectionBounds;
  readonly loop: LoopBudget;
  /** Runs once, later. */
  readonly after: (ms: number, run: () => void) => void;
};

/** What has no valid key yet: a connection or, from a trusted proxy, one request. */
type Keyless = {
  readonly socket: Socket;
  readonly address: string;
  readonly sinceBytes: number;
  requests: number;
  isOver: boolean;
};

/** A request costs about as much as this many bytes. */
const REQUEST_COST_BYTES = 1024;
/** Time to show a key: when many connections open at once, their first requests are still on their way. */
const JUDGED_AFTER_MS = 1000;

export class Connections implements MeterPorts, HeldPorts {
  readonly bounds: () => ConnectionBounds;
  readonly loop: LoopBudget;
  isTrustedProxy: IsTrustedProxy = () => false;
  /** Those whose requests wait for earlier answers. */
  readonly held = new WeakMap<Socket, HeldRequests>();
  /** Those that have begun a head which could not arrive in time, because they were not read. */
  readonly excused = new Set<Socket>();
  readonly #ports: ConnectionPorts;
  readonly #bySocket = new WeakMap<Socket, Keyless>();
  /** Requests that trusted proxies forwarded. */
  readonly #byRequest = new WeakMap<IncomingMessage, Keyless>();
  readonly #byAddress = new Map<string, Set<Keyless>>();
  readonly #cuts = new Map<CutReason, number>(CUT_REASONS.map((reason) => [reason, 0]));
  readonly #identified = new WeakSet<IncomingMessage>();
  #isJudging = false;

  constructor(ports: ConnectionPorts) {
    this.#ports = ports;
    this.bounds = ports.bounds;
    this.loop = ports.loop;
  }

  /** How many connections were closed for what they cost, by reason. */
  get cuts(): ReadonlyMap<CutReason, number> {
    return this.#cuts;
  }

  /** Connections and forwarded requests of an address that have shown no valid key. */
  keyless(address: string): number {
    return this.#byAddress.get(address)?.size ?? 0;
  }

  readonly onCut = (reason: CutReason): void => void this.#cuts.set(reason, (this.#cuts.get(reason) ?? 0) + 1);

  readonly opened = (socket: Socket): void => {
    this.loop.hurry();
    const address = socket.remoteAddress ?? '';
    // After an upgrade that is not granted, the same connection is opened again.
    if (this.#bySocket.has(socket) || this.isTrustedProxy(address)) return;
    const keyless = this.#add(socket, address, 0);
    this.#bySocket.set(socket, keyless);
    socket.once('close', () => {
      if (!keyless.isOver) this.#delete(keyless);
    });
  };

  /** After a request was begun: it counts as keyless from now on, unless its key was valid. */
  begun(request: IncomingMessage, response: ServerResponse): void {
    const ofConnection = this.#bySocket.get(request.socket);
    if (ofConnection !== undefined) {
      ofConnection.requests++;
      return;
    }
    if (this.#identified.has(request) || response.writableEnded) return;
    const { socket } = request;
    const keyless = this.#add(socket, callerAddress(request, this.isTrustedProxy), socket.bytesRead);
    this.#byRequest.set(request, keyless);
    response.once('close', () => this.#delete(keyless));
  }

  /** Whether the head of a request is late only because its connection is not read. */
  excuses(socket: Socket): boolean {
    return this.held.get(socket)?.excuse() === true;
  }

  /** An excused connection is read again. */
  readonly isRead = (socket: Socket, headersMs: number): void => {
    this.#ports.after(headersMs, () => {
      if (this.excused.delete(socket)) socket.destroy();
    });
  };

  /**
   * What one connection of an address does, the others may do as well: where one sent a flood of requests, those that were
   * opened with it and have not been read yet wait for turns of the loop of their own.
   */
  readonly holdNewcomers = ({ remoteAddress = '' }: Socket): void => {
    for (const { socket } of this.#byAddress.get(remoteAddress) ?? []) {
      if (socket.bytesRead > 0 || socket.isPaused()) continue;
      socket.pause();
      this.loop.wait({ goOn: () => void socket.resume(), readCost: READ_ON_COST_BYTES }, '');
    }
  };

  /** A request has shown a valid key. */
  identified(request: IncomingMessage): void {
    const ofConnection = this.#bySocket.get(request.socket);
    if (ofConnection === undefined) this.#identified.add(request);
    const keyless = ofConnection ?? this.#byRequest.get(request);
    if (keyless !== undefined) this.#delete(keyless);
  }

  #add(socket: Socket, address: string, sinceBytes: number): Keyless {
    const keyless: Keyless = { socket, address, sinceBytes, requests: 0, isOver: false };
    const own = this.#byAddress.get(address);
    if (own === undefined) this.#byAddress.set(address, new Set([keyless]));
    else own.add(keyless);
    if (own !== undefined && own.size > this.bounds().keylessConnections) this.#judgeLater();
    return keyless;
  }

  #delete(keyless: Keyless): void {
    if (keyless.isOver) return;
    keyless.isOver = true;
    const own = this.#byAddress.get(keyless.address);
    if (own?.delete(keyless) === true && own.size === 0) this.#byAddress.delete(keyless.address);
  }

  #judgeLater(): void {
    if (this.#isJudging) return;
    this.#isJudging = true;
    this.#ports.after(JUDGED_AFTER_MS, () => {
      this.#isJudging = false;
      const most = this.bounds().keylessConnections;
      for (const own of this.#byAddress.values()) if (own.size > most) this.#closeCostliest(own, own.size - most);
    });
  }

  /** Among equals, the oldest. */
  #closeCostliest(own: ReadonlySet<Keyless>, count: number): void {
    const costs = Array.from(own, (keyless) => ({ keyless, cost: costOf(keyless) })).sort((a, b) => b.cost - a.cost);
    for (const { keyless } of costs.slice(0, count)) {
      this.onCut('keyless');
      this.#delete(keyless);
      keyless.socket.destroy();
    }
  }
}

const costOf = ({ socket, sinceBytes, requests }: Keyless): number =>
  socket.bytesRead - sinceBytes + requests * REQUEST_COST_BYTES;
