/** A client of WebSockets that waits for what it is sent. */
import { WebSocket } from 'ws';

export type SocketEvent = Readonly<Record<string, unknown>> & { readonly type: string };

const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);

export class SocketClient {
  readonly ws: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly events: SocketEvent[] = [];
  #read = 0;
  #wake: () => void = () => undefined;

  private constructor(ws: WebSocket) {
    this.ws = ws;
    this.closed = new Promise((resolve) => {
      ws.on('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        this.#wake();
      });
    });
    ws.on('error', () => undefined);
    ws.on('message', (data) => {
      this.events.push(JSON.parse(data.toString()) as SocketEvent);
      this.#wake();
    });
  }

  static open(url: string, headers: Record<string, string>): Promise<SocketClient> {
    const ws = new WebSocket(url.replace(/^http/, 'ws'), { headers, perMessageDeflate: false });
    return new Promise((resolve, reject) => {
      const client = new SocketClient(ws);
      ws.once('open', () => resolve(client));
      ws.once('unexpected-response', (_, response) => {
        let text = '';
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('end', () => reject(new RefusedHandshake(response.statusCode ?? 0, response.headers, text)));
      });
      ws.once('error', reject);
    });
  }

  send(frame: object): void {
    this.ws.send(JSON.stringify(frame));
  }

  /** The next event. */
  async next(): Promise<SocketEvent> {
    while (this.#read >= this.events.length) {
      if (this.ws.readyState === WebSocket.CLOSED) throw new Error('the connection closed');
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.events[this.#read++]!;
  }

  /** All events up to the one that ends a call; in the middle of a stream an error is followed by the end. */
  async turn(): Promise<readonly SocketEvent[]> {
    const events: SocketEvent[] = [];
    for (;;) {
      const event = await this.next();
      events.push(event);
      if (ENDS.has(event.type) && !(event.type === 'error' && event['status'] === undefined)) return events;
    }
  }

  async create(body: object): Promise<readonly SocketEvent[]> {
    this.send({ type: 'response.create', ...body });
    return this.turn();
  }

  close(): Promise<unknown> {
    this.ws.close();
    return this.closed;
  }
}

export class RefusedHandshake extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;

  constructor(status: number, headers: RefusedHandshake['headers'], text: string) {
    super(`the handshake was answered ${status}: ${text}`);
    this.status = status;
    this.headers = headers;
    this.text = text;
  }
}

/** The handshake of a socket that is not opened. */
export async function refusalOf(url: string, headers: Record<string, string>): Promise<RefusedHandshake> {
  try {
    await SocketClient.open(url, headers);
  } catch (error) {
    if (error instanceof RefusedHandshake) return error;
    throw error;
  }
  throw new Error('the handshake was accepted');
}

/** Of the response that ended a call. */
export function idOf(events: readonly SocketEvent[]): string {
  const response = events.at(-1)?.['response'];
  if (typeof response !== 'object' || response === null) throw new Error('the call did not end with a response');
  return String(Reflect.get(response, 'id'));
}
