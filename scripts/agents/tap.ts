/** Between program and gateway: passes everything on, and keeps what was asked and answered. */
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { framesOf, type SentFrame } from './sockets/frames.ts';

export type Tapped = {
  readonly method: string;
  readonly path: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
  readonly status: number;
  readonly answerHeaders: NodeJS.Dict<string | string[]>;
  readonly answer: string;
};

/** A handshake of a WebSocket, and what the program sent on it. */
export type TappedSocket = { readonly atMs: number; readonly frames: SentFrame[] };

export class Tap {
  readonly seen: Tapped[] = [];
  readonly sockets: TappedSocket[] = [];
  /** When a request began to arrive that is not a handshake. */
  readonly askedAtMs: number[] = [];
  readonly #open = new Set<Socket>();
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async open(port: number, target: () => string): Promise<Tap> {
    const server = createServer();
    const tap = new Tap(server, port);
    server.on('request', async (request, response) => {
      const { method = '', url = '', headers } = request;
      tap.askedAtMs.push(performance.now());
      const body = await buffer(request);
      const onward = httpRequest(`${target()}${url}`, { method, headers }, async (reply) => {
        response.writeHead(reply.statusCode ?? 0, reply.headers);
        reply.pipe(response);
        const answer = (await buffer(reply)).toString();
        const { statusCode: status = 0, headers: answerHeaders } = reply;
        tap.seen.push({ method, path: url, headers, body: body.toString(), status, answerHeaders, answer });
      });
      onward.on('error', () => response.destroy());
      onward.end(body);
    });
    server.on('upgrade', (request, near: Socket, rest) => tap.#join(request, near, rest, target()));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return tap;
  }

  /** As bytes, whatever the handshake is answered. */
  #join({ method, url, rawHeaders }: IncomingMessage, near: Socket, rest: Buffer, target: string): void {
    const { hostname, port } = new URL(target);
    const far = connect(Number(port), hostname);
    const seen: TappedSocket = { atMs: performance.now(), frames: [] };
    this.sockets.push(seen);
    const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    far.write(`${method} ${url} HTTP/1.1\r\n${lines}\r\n`);
    const frames = framesOf((frame) => seen.frames.push(frame));
    if (rest.length > 0) near.unshift(rest);
    // A copy, for the parser takes the mask off in place.
    near.on('data', (bytes: Buffer) => frames.write(Buffer.from(bytes)));
    near.pipe(far).pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#open.delete(socket);
        other.destroy();
      });
    }
  }

  /** Ends all WebSockets without a word. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** Requests to this path since the mark, a former length of `seen`. */
  to(path: string, since = 0): readonly Tapped[] {
    return this.seen.slice(since).filter((one) => one.path.split('?')[0] === path);
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
