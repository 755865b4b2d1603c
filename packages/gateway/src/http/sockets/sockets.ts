/**
 * WebSockets of the data plane: who may open one is decided before the upgrade, by the same credential as any call, and
 * counted by key, by account and in this process.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Fault, faultOf, GatewayError } from '@trivium/protocol/canonical';
import { protocolAdapters, requireCallerDialect } from '@trivium/protocol/dialects';
import { WebSocketServer } from 'ws';
import { authenticate, requireEndpoint } from '../../calls/entry/authenticate.ts';
import { idHeaders } from '../../calls/exchange/caller-reply.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { RawHeaders } from '../../kernel/caller-port.ts';
import { recordedProtocol } from '../../kernel/recorded-protocol.ts';
import type { ConnectionTurns } from '../../kernel/stored-responses.ts';
import type { Timer } from '../../kernel/timeouts.ts';
import type { DataPlanePorts, Destination } from '../destination.ts';
import { faultHeaders } from '../fault-headers.ts';
import { framingFault, headFault, keyInQuery, openProtocol, readHeaders, writeRefusal } from '../head.ts';
import { callerAddress } from '../peer.ts';
import { SOCKET_PROTOCOL, SocketConnection } from './connection.ts';

/** Whose calls a WebSocket carries. */
const DIALECT = 'openai-responses';
export const SOCKET_ROUTE = 'socket';

const SWEEP_MS = 1000;
/** How long a peer has to answer that the connection closes. */
const CLOSE_MS = 2000;

const UPGRADING = {
  noServer: true,
  clientTracking: false,
  // It takes memory for every connection and time of the loop, for texts that are short.
  perMessageDeflate: false,
  // Its types do not know it yet.
  closeTimeout: CLOSE_MS,
};

/** A header for one call would hold for all of a connection. */
const OF_ONE_CALL = ['idempotency-key', 'content-encoding', 'content-length', 'content-type'] as const;

export type SocketPorts = { readonly timer: Timer; readonly turns: () => ConnectionTurns };

export class Sockets {
  readonly #ports: DataPlanePorts;
  readonly #own: SocketPorts;
  readonly #open = new Set<SocketConnection>();
  /** By key and by account. */
  readonly #counts = new Map<string, number>();
  #opening = 0;
  #upgrades: { readonly frameBytes: number; readonly server: WebSocketServer } | undefined;
  #stopSweeping: (() => void) | undefined;

  constructor(ports: DataPlanePorts, own: SocketPorts) {
    this.#ports = ports;
    this.#own = own;
  }

  /** True: the connection is not HTTP any more, or was refused. */
  readonly take = (request: IncomingMessage, socket: Socket, rest: Buffer): boolean => {
    if (!this.#ports.settings().sockets.enabled) return false;
    if (request.method !== 'GET' || request.headers.upgrade?.toLowerCase() !== 'websocket') return false;
    const headers = readHeaders(request.rawHeaders);
    const found = this.#ports.destinations().find(request.url ?? '', openProtocol(headers));
    const action = found.route?.action;
    if (action?.kind !== 'text-call' || action.dialect !== DIALECT) return false;
    void this.#answer(request, socket, rest, headers, found);
    return true;
  };

  /** The process stops: connections close when what is under way on them has ended. */
  drain(): void {
    for (const connection of this.#open) connection.drain();
  }

  /** What is still open does not end by itself. */
  cut(): void {
    for (const connection of this.#open) connection.reset();
  }

  async #answer(
    request: IncomingMessage,
    socket: Socket,
    rest: Buffer,
    headers: RawHeaders,
    found: Destination,
  ): Promise<void> {
    const onError = (): void => void socket.destroy();
    socket.on('error', onError);
    const id = this.#ports.nextId();
    const seen = { protocol: recordedProtocol(SOCKET_PROTOCOL, DIALECT), route: SOCKET_ROUTE, requestId: id };
    try {
      const address = callerAddress(request, this.#ports.settings().isTrustedProxy);
      const caller = await this.#admit(request, headers, found, address);
      if (socket.destroyed) return;
      this.#ports.connections.identified(request);
      const release = this.#count(caller);
      socket.once('close', release);
      socket.off('error', onError);
      this.#ports.onReply(seen);
      this.#upgrade(request, socket, rest, id, { headers, found, address, accountId: caller.accountId });
    } catch (error) {
      const fault = faultOf(error);
      const cause = error instanceof GatewayError ? error.cause : error;
      this.#ports.onReply({ ...seen, fault, ...(cause !== undefined && { cause }) });
      refuse(socket, fault, id);
    }
  }

  /** The checks of any call's head. */
  async #admit(
    request: IncomingMessage,
    headers: RawHeaders,
    { target }: Destination,
    address: string,
  ): Promise<Caller> {
    const { limits } = this.#ports.settings();
    const fault = framingFault(request, headers, limits.headerCount) ?? headFault(request, headers);
    if (fault !== undefined) throw new GatewayError(fault);
    const knocking = { protocol: SOCKET_PROTOCOL, headers, reply: { address } } as const;
    const inQuery = target !== undefined && keyInQuery(target);
    const identified = await authenticate(knocking, this.#ports.engine().accounts, inQuery);
    requireEndpoint(identified, 'text');
    return identified.caller;
  }

  /** Counts a connection; the returned function, called once, takes it off again. */
  #count({ keyId, accountId }: Caller): () => void {
    const { connections, perKey, perAccount } = this.#ports.settings().sockets;
    const [key, account] = [`key ${keyId}`, `account ${accountId}`];
    const taken = (name: string): number => this.#counts.get(name) ?? 0;
    if (this.#opening >= connections) throw new GatewayError(FULL);
    if (taken(key) >= perKey) throw new GatewayError(tooMany('key', 'perKey', perKey));
    if (taken(account) >= perAccount) throw new GatewayError(tooMany('account', 'perAccount', perAccount));
    for (const name of [key, account]) this.#counts.set(name, taken(name) + 1);
    this.#opening++;
    return () => {
      this.#opening--;
      for (const name of [key, account])
        if (taken(name) <= 1) this.#counts.delete(name);
        else this.#counts.set(name, taken(name) - 1);
    };
  }

  #upgrade(
    request: IncomingMessage,
    socket: Socket,
    rest: Buffer,
    id: string,
    { headers, found, address, accountId }: Entering,
  ): void {
    const { target } = found;
    const dialect = requireCallerDialect(DIALECT);
    if (target === undefined) throw new Error(`no ${DIALECT}`);
    const server = this.#server();
    // Only now is there anything to say: the server asks for headers while it answers.
    server.once('headers', (lines) => lines.push(...pairs(idHeaders(id))));
    server.handleUpgrade(request, socket, rest, (ws) => {
      const connection: SocketConnection = new SocketConnection(ws, socket, this.#ports, {
        accountId,
        headers: ofConnection(headers),
        address,
        target,
        path: request.url ?? '',
        dialect,
        turns: this.#own.turns(),
        onClose: () => this.#closed(connection),
      });
      this.#open.add(connection);
      this.#stopSweeping ??= this.#own.timer.start(() => this.#sweep(), SWEEP_MS);
    });
  }

  #server(): WebSocketServer {
    const { frameBytes } = this.#ports.settings().sockets;
    if (this.#upgrades?.frameBytes !== frameBytes)
      this.#upgrades = { frameBytes, server: new WebSocketServer({ ...UPGRADING, maxPayload: frameBytes }) };
    return this.#upgrades.server;
  }

  #sweep(): void {
    const nowMs = this.#ports.engine().clock.monotonicMs();
    for (const connection of this.#open) connection.sweep(nowMs);
  }

  #closed(connection: SocketConnection): void {
    this.#open.delete(connection);
    if (this.#open.size > 0) return;
    this.#stopSweeping?.();
    this.#stopSweeping = undefined;
  }
}

type Entering = {
  readonly headers: RawHeaders;
  readonly found: Destination;
  readonly address: string;
  readonly accountId: string;
};

function refuse(socket: Socket, fault: Fault, id: string): void {
  if (!socket.writable) return;
  const { status, body } = protocolAdapters[SOCKET_PROTOCOL].encodeFault(fault, id);
  const headers = [...idHeaders(id), ...faultHeaders(fault)];
  writeRefusal(socket, { status, type: 'application/json', text: JSON.stringify(body), headers });
}

const ofConnection = (headers: RawHeaders): RawHeaders => {
  if (!OF_ONE_CALL.some((name) => headers.has(name))) return headers;
  const rest = new Map(headers);
  for (const name of OF_ONE_CALL) rest.delete(name);
  return rest;
};

const pairs = (flat: readonly string[]): string[] =>
  flat.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${flat[at + 1]}`] : []));

const FULL: Fault = {
  kind: 'overloaded',
  message: 'This process has as many WebSockets open as it may (sockets.connections). Use POST over HTTP.',
  retryAfterMs: 1000,
};

const tooMany = (whose: string, setting: string, most: number): Fault => ({
  kind: 'over-rate',
  message: `This ${whose} has ${most} WebSockets open, the most it may (sockets.${setting}). Close some, or use POST over HTTP.`,
  retryAfterMs: 1000,
});
