/**
 * Calls to model providers over the gateway's own HTTP/1.1 client: one bounded pool per origin, no promise and no timer
 * per request, no redirects, no retries (failover does them, which knows what was already sent), nothing decompressed.
 */
import { systemTimer } from '../kernel/clock.ts';
import { SwapList, type Timer } from '../kernel/timeouts.ts';
import type { UpstreamExchange, UpstreamListener, UpstreamRequest } from '../kernel/upstream.ts';
import type { Connection } from './connection.ts';
import { ConnectionPool, type PoolPorts } from './connection-pool.ts';
import { type Dialer, operatorDialer } from './dialer.ts';
import { InvalidRequest } from './request-text.ts';
import { SocketCall } from './socket-call.ts';
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
    this.#ports = { options, dial, nowMs: timer.nowMs, startSoon: (connection) => this.#startSoon(connection) };
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
    const pool = this.#pool(request.origin);
    const call = new SocketCall(listener, this.#release);
    this.#open.add(call);
    try {
      call.text = pool.writer.write(request);
      if (request.anew === true) pool.sendAlone(call);
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

  #pool(origin: string): ConnectionPool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const pool = new ConnectionPool(origin, this.#ports);
    this.#pools.set(origin, pool);
    return pool;
  }

  /**
   * A pooled connection may have been closed, or may have received unsolicited bytes, and neither has been read yet. So
   * requests are sent after this turn's reads, all at once.
   */
  #startSoon(connection: Connection): void {
    if (this.#starting.push(connection) === 1) setImmediate(this.#start);
  }

  readonly #start = (): void => {
    const starting = this.#starting;
    this.#starting = [];
    for (const connection of starting) connection.start();
  };
}
