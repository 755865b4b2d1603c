/**
 * Calls of the data plane from within the process, for a caller who is authenticated already. Everything else is as
 * from outside: it is HTTP over a pair of streams.
 */
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import type { Engine } from '../calls/engine.ts';
import type { Accounts } from '../kernel/caller-port.ts';
import type { DataPlanePorts } from './destination.ts';
import { Incoming } from './incoming.ts';
import { createListener } from './listener.ts';

export type InProcessCall = {
  /** Finds the caller of this call, whatever credential it carries. */
  readonly accounts: Accounts;
  /** Takes the place of the engine's own for this call, e.g. to plan it under other policies. */
  readonly engine?: Partial<Pick<Engine, 'policies' | 'random'>>;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: a GET. */
  readonly body?: string | FormData;
  /** The caller's address, for keys that are restricted to some addresses. */
  readonly address: string;
  readonly host: string;
  /** The caller disconnects. */
  readonly gone: AbortSignal;
};

/** Not a credential: the accounts of an in-process call ignore it. */
const NO_SECRET = 'in-process';

export class InProcessCalls {
  readonly #ports: DataPlanePorts;
  readonly #server: Server;
  readonly #engines = new WeakMap<Duplex, Partial<Engine> & Pick<Engine, 'accounts'>>();

  constructor(ports: DataPlanePorts) {
    this.#ports = ports;
    this.#server = createListener(ports.settings(), (request, response) => {
      const own = this.#engines.get(request.socket);
      if (own === undefined) throw new Error('an in-process call without accounts');
      const engine = { ...ports.engine(), ...own };
      new Incoming({ ...ports, engine: () => engine }, request, response).serve();
    });
  }

  /** Whether a path is a call of the data plane, and not a probe, a link or unknown. */
  isCall(path: string): boolean {
    return this.#ports.destinations().find(path).route !== undefined;
  }

  /** Resolves when the answer begins. Destroying it disconnects. */
  async call({ accounts, engine, path, headers, body, address, host, gone }: InProcessCall): Promise<IncomingMessage> {
    const sent = body === undefined ? undefined : await sentOf(body);
    const [near, far] = duplexPair();
    Object.assign(far, { remoteAddress: address, ...socketParts(far) });
    // A stream does not notice that its peer was closed.
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    this.#engines.set(far, { ...engine, accounts });
    this.#server.emit('connection', far);
    return new Promise((resolve, reject) => {
      const call = httpRequest({
        createConnection: () => near,
        signal: gone,
        method: sent === undefined ? 'GET' : 'POST',
        path,
        headers: {
          ...headers,
          host,
          connection: 'close',
          authorization: `Bearer ${NO_SECRET}`,
          ...(sent !== undefined && { 'content-type': sent.type, 'content-length': sent.bytes.byteLength }),
        },
      });
      call.on('response', (answer) => {
        answer.once('close', () => near.destroy());
        resolve(answer);
      });
      call.on('error', reject);
      call.end(sent?.bytes);
    });
  }
}

async function sentOf(body: string | FormData): Promise<{ readonly type: string; readonly bytes: Uint8Array }> {
  if (typeof body === 'string') return { type: 'application/json', bytes: Buffer.from(body) };
  const form = new Response(body);
  return { type: form.headers.get('content-type') ?? '', bytes: await form.bytes() };
}

/** What the data plane needs of a socket beyond a stream: a timeout for slow readers, and a way to cut an answer. */
function socketParts(stream: Duplex): object {
  let timer: NodeJS.Timeout | undefined;
  return {
    setTimeout: (ms: number) => {
      clearTimeout(timer);
      if (ms > 0) timer = setTimeout(() => stream.emit('timeout'), ms).unref();
      return stream;
    },
    resetAndDestroy: () => stream.destroy(),
    destroySoon: () => (stream.writableFinished ? stream.destroy() : stream.end(() => stream.destroy())),
  };
}
