/**
 * The only place that opens connections to model providers: one bounded pool for each origin, no redirects, no retries
 * of its own (retrying belongs to dispatch, which knows what was already sent), nothing decompressed.
 */
import { type Fault, GatewayError } from '@trivium/protocol/canonical';
import { type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { ABSENT, SwapList } from '../kernel/swap-list.ts';
import type { HowFailed, Upstream, UpstreamExchange, UpstreamListener, UpstreamRequest } from '../kernel/upstream.ts';
import { AWS_EVENT_STREAM, AwsEventStream } from './aws-event-stream.ts';
import { dialer } from './dialer.ts';
import { encodeForm, withoutContentType } from './form-body.ts';
import { PiecewiseUtf8 } from './piecewise-utf8.ts';

export type UpstreamOptions = {
  readonly connectionsPerOrigin: number;
  readonly connectMs: number;
  readonly keepAliveMs: number;
  readonly proxy?: string;
  readonly ca: readonly string[];
};

/** Requests under way, so that tests and metrics can see that none is forgotten. */
type UpstreamGauge = { readonly open: number };

export class UndiciUpstream implements Upstream, UpstreamGauge {
  readonly #options: UpstreamOptions;
  readonly #pools = new Map<string, Dispatcher>();
  readonly #open = new SwapList<Exchange>();

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#open.size;
  }

  send(request: UpstreamRequest, listener: UpstreamListener): UpstreamExchange {
    const exchange = new Exchange(listener, (over) => this.#open.delete(over));
    this.#open.add(exchange);
    const { origin, anew } = request;
    const pool = anew === true ? this.#makePool(origin) : this.#pool(origin);
    try {
      pool.dispatch(dispatchOf(request), exchange);
      // One made for this request closes itself when the request is over.
      if (anew === true) pool.close().catch(() => undefined);
    } catch (error) {
      this.#open.delete(exchange);
      throw error;
    }
    return exchange;
  }

  async close(): Promise<void> {
    this.#open.visit((exchange) => exchange.abort());
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
    // Waiting is bounded by the engine's own timeouts, so the pool keeps no timers for each request.
    const common = {
      connections: connectionsPerOrigin,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keepAliveMs,
      pipelining: 1,
    };
    const tls = { timeout: connectMs, ...(ca.length > 0 && { ca: [...ca] }) };
    return proxy === undefined
      ? new Pool(origin, { ...common, connect: remembering(dialer({ by: 'operator' }, { connectMs, ca })) })
      : new ProxyAgent({ ...common, uri: proxy, requestTls: tls });
  }
}

function dispatchOf({ origin, path, headers, body, method }: UpstreamRequest): Dispatcher.DispatchOptions {
  if (method === 'GET') return { origin, path, method, headers: [...headers] };
  if (typeof body === 'string') return { origin, path, method: 'POST', headers: [...headers], body };
  const form = encodeForm(body);
  const typed = [...withoutContentType(headers), ...form.headers];
  return { origin, path, method: 'POST', headers: typed, body: form.body };
}

/** Errors of connections that had given an answer before: kept open, and dead when they were used again. */
const ofKeptConnections = new WeakSet<Error>();

/** One listener for each connection, none for each request. */
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

class Exchange implements UpstreamExchange, Dispatcher.DispatchHandler {
  index = ABSENT;
  readonly #listener: UpstreamListener;
  readonly #release: (exchange: Exchange) => void;
  #text: PiecewiseUtf8 | AwsEventStream = new PiecewiseUtf8();
  #controller: Dispatcher.DispatchController | undefined;
  #over = false;
  #hasHead = false;
  /** Pieces of this turn that are shorter than any event: handed on together, since each costs as much as a long one. */
  #slab: Buffer | undefined;
  #slabBytes = 0;

  constructor(listener: UpstreamListener, release: (exchange: Exchange) => void) {
    this.#listener = listener;
    this.#release = release;
  }

  pause(): void {
    this.#controller?.pause();
  }
  resume(): void {
    if (!this.#over) this.#controller?.resume();
  }
  abort(): void {
    if (this.#over) return;
    this.#finish();
    this.#controller?.abort(new Error('aborted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('aborted'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#over) return;
    this.#hasHead = true;
    if (headers['content-type'] === AWS_EVENT_STREAM) this.#text = new AwsEventStream();
    this.#guarded(() =>
      this.#listener.onHead(status, (name) => {
        const value = headers[name];
        return Array.isArray(value) ? value[0] : value;
      }),
    );
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    if (chunk.length < TINY_PIECE_BYTES) this.#gather(chunk);
    else {
      this.#handOn();
      if (!this.#over) this.#guarded(() => this.#listener.onText(this.#text.write(chunk)));
    }
  }

  #gather(chunk: Buffer): void {
    if (this.#slabBytes + chunk.length > SLAB_BYTES) this.#handOn();
    this.#slab ??= Buffer.allocUnsafeSlow(SLAB_BYTES);
    // What one read of the socket gave is parsed in one turn, and no more is waited for.
    if (this.#slabBytes === 0) queueMicrotask(() => this.#handOn());
    this.#slabBytes += chunk.copy(this.#slab, this.#slabBytes);
  }

  #handOn(): void {
    const pieces = this.#slab?.subarray(0, this.#slabBytes);
    this.#slabBytes = 0;
    if (pieces === undefined || pieces.length === 0 || this.#over) return;
    this.#guarded(() => this.#listener.onText(this.#text.write(pieces)));
  }

  onResponseEnd(): void {
    this.#handOn();
    if (this.#over) return;
    this.#finish();
    const rest = this.#text.end();
    this.#guarded(() => {
      if (rest !== '') this.#listener.onText(rest);
      this.#listener.onEnd();
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#handOn();
    if (this.#over) return;
    this.#finish();
    this.#listener.onFail(connectionFault(error), error, howFailed(error, this.#hasHead));
  }

  #finish(): void {
    this.#over = true;
    this.#release(this);
  }

  /** A fault of ours while handling what came must end this exchange, not the process. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.abort();
      const fault: Fault =
        error instanceof GatewayError
          ? error.fault
          : { kind: 'internal', message: 'The gateway failed to handle this answer.' };
      this.#listener.onFail(fault, error);
    }
  }
}

const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);

function howFailed(error: Error, hasHead: boolean): HowFailed | undefined {
  const code = 'code' in error ? String(error.code) : '';
  if (UNREACHABLE.has(code) || code === CONNECT_TIMEOUT) return 'unsent';
  return !hasHead && (ofKeptConnections.has(error) || readBefore(error) > 0) ? 'lapsed' : undefined;
}

/** What the connection had given before it was closed without an error, which undici tells with its own. */
function readBefore(error: Error): number {
  const socket: unknown = 'socket' in error ? error.socket : undefined;
  const read = typeof socket === 'object' && socket !== null && 'bytesRead' in socket ? socket.bytesRead : 0;
  return typeof read === 'number' ? read : 0;
}

function connectionFault(error: Error): Fault {
  const code = 'code' in error ? String(error.code) : '';
  if (code === CONNECT_TIMEOUT)
    return { kind: 'upstream-timeout', message: 'The upstream provider took too long.', unbegun: true };
  if (code === 'ETIMEDOUT') return { kind: 'upstream-timeout', message: 'The upstream provider took too long.' };
  if (UNREACHABLE.has(code))
    return { kind: 'upstream-overloaded', message: 'The upstream provider cannot be reached.', unbegun: true };
  return { kind: 'upstream-broken', message: 'The connection to the upstream provider broke.' };
}
