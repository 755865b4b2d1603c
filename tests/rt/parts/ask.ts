/** One request over node:http, as seen from outside: status, times, bytes, and how it ended. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { KEY } from './gateway-process.ts';

export type Reply = {
  /** 0 when no headers came. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The message is complete according to HTTP framing. */
  readonly complete: boolean;
  /** Why it is not complete. */
  readonly failure?: string;
  readonly headMs: number;
  readonly totalMs: number;
};

export type Question = {
  readonly url: string;
  readonly path: string;
  /** A text is sent as it is. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
  /** The caller's timeout in ms. */
  readonly limitMs: number;
};

/** An agent respects the server's keep-alive timeout only if it has its own to shorten. */
const IDLE_MS = 60_000;
/** Keeps connections alive, as official SDKs do; the load limits their number. */
export const keepingAgent = (): Agent => new Agent({ keepAlive: true, maxFreeSockets: 1024, timeout: IDLE_MS });
const oneShotAgent = new Agent({ keepAlive: false });

export function ask({ url, path, body, headers = {}, agent = oneShotAgent, limitMs }: Question): Promise<Reply> {
  const started = performance.now();
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve) => {
    let status = 0;
    let answerHeaders: IncomingHttpHeaders = {};
    let text = '';
    let headMs = Number.NaN;
    const end = (failure?: string): void => {
      clearTimeout(patience);
      resolve({
        status,
        headers: answerHeaders,
        text,
        complete: failure === undefined,
        ...(failure !== undefined && { failure }),
        headMs,
        totalMs: performance.now() - started,
      });
    };
    const outgoing = request(`${url}${path}`, {
      method: 'POST',
      agent,
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(payload)),
        authorization: `Bearer ${KEY}`,
        ...headers,
      },
    });
    const patience = setTimeout(() => {
      end(`no end within ${limitMs} ms`);
      outgoing.destroy();
    }, limitMs);
    outgoing.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    outgoing.on('response', (incoming) => {
      status = incoming.statusCode ?? 0;
      answerHeaders = incoming.headers;
      headMs = performance.now() - started;
      incoming.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      incoming.on('end', () => end());
      incoming.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    });
    outgoing.end(payload);
  });
}

/** An overload refusal: it comes at once, with retry-after, and nothing was sent upstream. */
export const isBusy = ({ status, headers, text }: Pick<Reply, 'status' | 'headers' | 'text'>): boolean =>
  status === 503 && headers['retry-after'] !== undefined && text.includes('The gateway is busy');

export const chatQuestion = (url: string, model: string, words = 'Hello', more: object = {}): Question => ({
  url,
  path: '/api/v1/chat/completions',
  body: { model, messages: [{ role: 'user', content: words }], ...more },
  limitMs: 30_000,
});
