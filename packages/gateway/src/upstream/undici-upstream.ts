/**
 * Connections to model providers through undici, for gateways behind an outbound proxy: one bounded pool per origin, no
 * redirects, no retries of its own (failover does them, which knows what was already sent), nothing decompressed.
 */
import { Readable } from 'node:stream';
import { type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { systemTimer } from '../kernel/clock.ts';
import { SwapList } from '../kernel/timeouts.ts';
import type { HowFailed, UpstreamExchange, UpstreamListener, UpstreamRequest } from '../kernel/upstream.ts';
import { isUnsent } from './connection-fault.ts';
import { type Dialer, operatorDialer } from './dialer.ts';
import { encodeForm, withoutContentType } from './form-body.ts';
import { trusting } from './trust.ts';
import { UpstreamCall } from './upstream-call.ts';
import type { UpstreamClient, UpstreamOptions } from './upstream-client.ts';

const SWEEP_MS = 1000;

export class UndiciUpstream implements UpstreamClient {
  readonly #options: UpstreamOptions;
  readonly #dial: Dialer;
  readonly #pools = new Map<string, Dispatcher>();
  readonly #open = new SwapList<UpstreamCall>();
  readonly #stopSweeping: () => void;

  constructor(options: UpstreamOptions, dial: Dialer = operatorDialer) {
    this.#options = options;
    this.#dial = dial;
    this.#stopSweeping = systemTimer.start(() => this.#open.visit((call) => call.sweep()), SWEEP_MS);
  }

  get open(): number {
    return this.#open.size;
  }

  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange {
    const call = new UndiciCall(listener, (over) => this.#open.delete(over));
    this.#open.add(call);
    const { origin, newConnection } = request;
    const pool = newConnection === true ? this.#makePool(origin) : this.#pool(origin);
    try {
      pool.dispatch(dispatchOf(request), call);
      // A pool made for this request closes itself when the request is over.
      if (newConnection === true) pool.close().catch(() => undefined);
    } catch (error) {
      this.#open.delete(call);
      throw error;
    }
    return call;
  }

  async close(): Promise<void> {
    this.#stopSweeping();
    this.#open.visit((call) => call.abort());
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
    this.#pools.clear();
  }

  #pool(origin: string): Dispatcher {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const pool = this.#makePool(origin);
    this.#pools.set(origin, pool);
    return pool;
  }

  #makePool(origin: string): Dispatcher {
    const { connectionsPerOrigin, connectMs, keepAliveMs, proxy, ca } = this.#options;
    // The gateway's own timeouts bound the waiting, so the pool keeps no timers per request.
    const common = {
      connections: connectionsPerOrigin,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keepAliveMs,
      pipelining: 1,
    };
    return proxy === undefined
      ? new Pool(origin, { ...common, connect: remembering(this.#dial({ connectMs, ca })) })
      : new ProxyAgent({ ...common, uri: proxy, requestTls: { timeout: connectMs, ...trusting(ca) } });
  }
}

function dispatchOf(request: UpstreamRequest): Dispatcher.DispatchOptions {
  const { origin, path, headers, body, longStrings, method } = request;
  if (method === 'GET') return { origin, path, method, headers: [...headers] };
  if (typeof body === 'string') {
    const sent = longStrings === undefined ? body : Buffer.concat(longStrings.bytesOf(body));
    return { origin, path, method: 'POST', headers: [...headers], body: sent };
  }
  const { contentType, length, pieces } = encodeForm(body);
  const typed = [...withoutContentType(headers), 'content-type', contentType, 'content-length', String(length)];
  return { origin, path, method: 'POST', headers: typed, body: Readable.from(pieces, { objectMode: false }) };
}

/** Errors of stale connections: they had answered before, and were dead when they were reused. */
const ofKeptConnections = new WeakSet<Error>();

/** One listener per connection, none per request. */
const remembering =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, done) =>
    connect(options, (...outcome) => {
      const [error, socket] = outcome;
      if (error === null)
        socket.on('error', (failure: Error) => {
          if (socket.bytesRead > 0) ofKeptConnections.add(failure);
        });
      done(...outcome);
    });

const TINY_PIECE_BYTES = 32;
/** Shorter than what readers of events keep without a copy. */
const SLAB_BYTES = 4096;

class UndiciCall extends UpstreamCall implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  /**
   * Pieces of this turn that are shorter than any event: passed on together, since each costs as much as a long one.
   */
  #slab: Buffer | undefined;
  #slabBytes = 0;

  pause(): void {
    this.isPaused = true;
    this.#controller?.pause();
  }
  resume(): void {
    this.isPaused = false;
    if (!this.isOver) this.#controller?.resume();
  }
  protected disconnect(): void {
    this.#controller?.abort(new Error('aborted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.isOver) controller.abort(new Error('aborted'));
    // Called when a connection starts the request.
    else this.onSent();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // All that is seen of the connection's framing: chunk headers and extensions stay inside undici.
    if (status < 200) {
      this.onFraming(0, 0, 1);
      return;
    }
    this.onHead(
      status,
      (name) => {
        const value = headers[name];
        return Array.isArray(value) ? value[0] : value;
      },
      () => Object.entries(headers).flatMap(([name, value = []]) => [value].flat().flatMap((one) => [name, one])),
    );
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return;
    if (chunk.length < TINY_PIECE_BYTES) this.#gather(chunk);
    else {
      this.#handOn();
      this.onBytes(chunk);
    }
  }

  #gather(chunk: Buffer): void {
    if (this.#slabBytes + chunk.length > SLAB_BYTES) this.#handOn();
    this.#slab ??= Buffer.allocUnsafeSlow(SLAB_BYTES);
    // The bytes of one socket read are parsed in one turn; it does not wait for more.
    if (this.#slabBytes === 0) queueMicrotask(() => this.#handOn());
    this.#slabBytes += chunk.copy(this.#slab, this.#slabBytes);
  }

  #handOn(): void {
    const pieces = this.#slab?.subarray(0, this.#slabBytes);
    this.#slabBytes = 0;
    if (pieces !== undefined && pieces.length > 0) this.onBytes(pieces);
  }

  onResponseEnd(): void {
    this.#handOn();
    this.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#handOn();
    this.fail(error, howFailed(error, this.hasHead));
  }
}

function howFailed(error: Error, hasHead: boolean): HowFailed | undefined {
  if (isUnsent(error)) return 'unsent';
  return !hasHead && (ofKeptConnections.has(error) || readBefore(error) > 0) ? 'lapsed' : undefined;
}

/** The bytes read on the connection before it was closed without an error, which undici attaches to its error. */
function readBefore(error: Error): number {
  const socket: unknown = 'socket' in error ? error.socket : undefined;
  const read = typeof socket === 'object' && socket !== null && 'bytesRead' in socket ? socket.bytesRead : 0;
  return typeof read === 'number' ? read : 0;
}
