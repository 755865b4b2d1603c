/** The connections to one origin: a bounded number, reused while they last, and a queue of requests. */
import type { buildConnector } from 'undici';
import { Connection, type ConnectionOwner } from './connection.ts';
import type { Dialer, SocketReader } from './dialer.ts';
import { RequestWriter } from './request-text.ts';
import type { Carrier, SocketCall } from './socket-call.ts';
import type { UpstreamOptions } from './upstream-client.ts';

export type PoolPorts = {
  readonly options: UpstreamOptions;
  readonly dial: Dialer;
  readonly nowMs: () => number;
  /** Starts the connection's request once everything that has arrived is read. */
  readonly startSoon: (connection: Connection) => void;
};

export class ConnectionPool implements ConnectionOwner, Carrier {
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
