/** Between program and gateway: passes everything on, and keeps what was asked and answered. */
import { createServer, request as httpRequest, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';

export type Tapped = {
  readonly method: string;
  readonly path: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
  readonly status: number;
  readonly answerHeaders: NodeJS.Dict<string | string[]>;
  readonly answer: string;
};

export class Tap {
  readonly seen: Tapped[] = [];
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
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return tap;
  }

  /** Requests to this path since the mark, a former length of `seen`. */
  to(path: string, since = 0): readonly Tapped[] {
    return this.seen.slice(since).filter((one) => one.path.split('?')[0] === path);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
