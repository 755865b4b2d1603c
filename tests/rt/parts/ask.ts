/** One request over node:http, told as it was seen from outside: status, times, bytes, and how it ended. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { KEY } from './gateway-process.ts';

export type Reply = {
  /** 0 when no head came. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The message ended as HTTP says it must. */
  readonly complete: boolean;
  /** Why it is not complete. */
  readonly failure?: string;
  readonly headMs: number;
  readonly totalMs: number;
};

export type Question = {
  readonly url: string;
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
  /** The caller's own patience. */
  readonly limitMs: number;
};

/** An agent heeds how long a server keeps idle connections only if it has a limit of its own to shorten. */
const IDLE_MS = 60_000;
/** Connections are kept, as official SDKs do; their number is bounded by the load's own bound. */
export const keepingAgent = (): Agent => new Agent({ keepAlive: true, maxFreeSockets: 1024, timeout: IDLE_MS });
const oneShotAgent = new Agent({ keepAlive: false });

export function ask({ url, path, body, headers = {}, agent = oneShotAgent, limitMs }: Question): Promise<Reply> {
  const started = performance.now();
  const payload = JSON.stringify(body);
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

/** A gateway without a moment to spare says so at once, and when to come back: nothing was sent anywhere. */
export const isBusy = ({ status, headers, text }: Pick<Reply, 'status' | 'headers' | 'text'>): boolean =>
  status === 503 && headers['retry-after'] !== undefined && text.includes('The gateway is busy');

export const chatQuestion = (url: string, model: string, words = 'Hello', more: object = {}): Question => ({
  url,
  path: '/api/v1/chat/completions',
  body: { model, messages: [{ role: 'user', content: words }], ...more },
  limitMs: 30_000,
});
