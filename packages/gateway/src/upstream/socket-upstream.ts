/**
 * Calls to model providers over the gateway's own HTTP/1.1 client: one bounded pool per origin, no promise and no timer
 * per request, no redirects, no retries (failover does them, which knows what was already sent), nothing decompressed.
 */
import type { buildConnector } from 'undici';
import { systemTimer } from '../kernel/clock.ts';
import { SwapList, type Timer } from '../kernel/timeouts.ts';
import type { UpstreamExchange, UpstreamListener, UpstreamRequest } from '../kernel/upstream.ts';
import { type Carrier, Connection, type ConnectionOwner, SocketCall } from './connection.ts';
import { type Dialer, operatorDialer, type SocketReader } from './dialer.ts';
import { InvalidRequest, RequestWriter } from './request-text.ts';
import type { UpstreamCall } from './upstream-call.ts';
import type { UpstreamClient, UpstreamOptions } from './upstream-client.ts';

const MIN_SWEEP_MS = 50;
const MAX_SWEEP_MS = 1000;

export class SocketUpstream implements UpstreamClient {
  readonly #ports: PoolPorts;
  readonly #pools = new Map<string, ConnectionPool>();
  readonly #open = new SwapList<UpstreamCall>();
  readonly #release = (call: UpstreamCall): void => this.#open.delete(call);
  readonly #stopSweeping: () => void;
  #starting: Connection[] = [];

  constructor(options: UpstreamOptions, dial: Dialer = operatorDialer, timer: Timer = systemTimer) {
    // A pooled connection may have been closed, or may have received unsolicited bytes, and neither has been read yet. So
    // requests are sent after this turn's reads, all at once.
    const startSoon = (connection: Connection): void => {
      if (this.#starting.push(connection) === 1) setImmediate(this.#start);
    };
    this.#ports = { options, dial, nowMs: timer.nowMs, startSoon };
    this.#stopSweeping = timer.start(
      () => {
        const nowMs = timer.nowMs();
        for (const pool of this.#pools.values()) pool.closeExpired(nowMs);
        this.#open.visit((call) => call.sweep());
      },
      Math.max(MIN_SWEEP_MS, Math.min(options.keepAliveMs, MAX_SWEEP_MS)),
    );
  }

  get open(): number {
    return this.#open.size;
  }

  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange {
    let pool = this.#pools.get(request.origin);
    if (pool === undefined) {
      pool = new ConnectionPool(request.origin, this.#ports);
      this.#pools.set(request.origin, pool);
    }
    const call = new SocketCall(listener, this.#release);
    this.#open.add(call);
    try {
      call.text = pool.writer.write(request);
      if (request.newConnection === true) pool.sendAlone(call);
      else pool.send(call);
    } catch (error) {
      if (!(error instanceof InvalidRequest)) {
        this.#open.delete(call);
        throw error;
      }
      call.fail(error, undefined);
    }
    return call;
  }

  async close(): Promise<void> {
    this.#stopSweeping();
    this.#open.visit((call) => call.abort());
    const closed = [...this.#pools.values()].map((pool) => pool.close());
    this.#pools.clear();
    await Promise.all(closed);
  }

  readonly #start = (): void => {
    const starting = this.#starting;
    this.#starting = [];
    for (const connection of starting) connection.start();
  };
}

type PoolPorts = {
  readonly options: UpstreamOptions;
  readonly dial: Dialer;
  readonly nowMs: () => number;
  /** Starts the connection's request once everything that has arrived is read. */
  readonly startSoon: (connection: Connection) => void;
};

/** The connections to one origin: a bounded number, reused while they last, and a queue of requests. */
class ConnectionPool implements ConnectionOwner, Carrier {
  readonly writer: RequestWriter;
  readonly #ports: PoolPorts;
  readonly #endpoint: buildConnector.Options;
  /** TLS session of the last connection, to resume. */
  #session: Buffer | undefined;
  readonly #all = new Set<Connection>();
  /** The one used last is used next, so that the others can expire. */
  readonly #idle: Connection[] = [];
  readonly #waiting = new Set<SocketCall>();
  #pooled = 0;
  #isClosed = false;

  constructor(origin: string, ports: PoolPorts) {
    const { hostname, host, protocol, port } = new URL(origin);
    this.#endpoint = { hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port };
    this.writer = new RequestWriter(host);
    this.#ports = ports;
  }

  get options(): UpstreamOptions {
    return this.#ports.options;
  }

  send(call: SocketCall): void {
    const kept = this.#takeIdle();
    if (kept !== undefined) {
      kept.assign(call);
      this.#ports.startSoon(kept);
    } else if (this.#pooled < this.options.connectionsPerOrigin) {
      this.#pooled++;
      this.#open(true).assign(call);
    } else {
      call.carrier = this;
      this.#waiting.add(call);
    }
  }

  /** Uses a connection that carries no other request, before or after. */
  sendAlone(call: SocketCall): void {
    this.#open(false).assign(call);
  }

  #open(isPooled: boolean): Connection {
    const connection = new Connection(this, isPooled);
    this.#all.add(connection);
    return connection;
  }

  #takeIdle(): Connection | undefined {
    const nowMs = this.#ports.nowMs();
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined || connection.idleUntilMs > nowMs) return connection;
      connection.destroy();
    }
  }

  dial(onread: SocketReader['onread'], done: buildConnector.Callback): void {
    const { connectMs, ca } = this.options;
    const connect = this.#ports.dial({ connectMs, ca, reader: { onread, session: this.#session } });
    connect(this.#endpoint, (...outcome) => {
      const [, socket] = outcome;
      socket?.on('session', (session: Buffer) => {
        this.#session = session;
      });
      done(...outcome);
    });
  }

  released(connection: Connection, keepAliveMs: number): void {
    connection.idleUntilMs = this.#ports.nowMs() + keepAliveMs;
    this.#idle.push(connection);
    this.#sendNext();
  }

  lost(connection: Connection): void {
    this.#all.delete(connection);
    if (!connection.isPooled) return;
    this.#pooled--;
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#sendNext();
  }

  returned(call: SocketCall): void {
    this.send(call);
  }

  #sendNext(): void {
    if (this.#isClosed || this.#waiting.size === 0) return;
    for (const call of this.#waiting) {
      this.#waiting.delete(call);
      this.send(call);
      return;
    }
  }

  pause(): void {}
  resume(): void {}
  withdraw(call: SocketCall): void {
    this.#waiting.delete(call);
  }

  closeExpired(nowMs: number): void {
    for (const connection of this.#idle.filter(({ idleUntilMs }) => idleUntilMs <= nowMs)) connection.destroy();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const closed = [...this.#all].map((connection) => {
      connection.destroy();
      return connection.closed;
    });
    await Promise.all(closed);
  }
}
