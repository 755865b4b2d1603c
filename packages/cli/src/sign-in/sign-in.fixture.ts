// A gateway's sign-in, small enough to read: what it was asked, and what it answers next.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Answer = { readonly status?: number; readonly body: object };
export type Asked = {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly bearer?: string;
};

export class SignInStub {
  readonly asked: Asked[] = [];
  /** By path; the last one is repeated. */
  readonly answers = new Map<string, Answer[]>();
  url = '';
  readonly #server: Server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    const bearer = request.headers.authorization;
    this.asked.push({ path, form, ...(bearer !== undefined && { bearer }) });
    const left = this.answers.get(path) ?? [{ status: 404, body: {} }];
    const { status = 200, body } = (left.length > 1 ? left.shift() : left[0]) ?? { body: {} };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    this.answers.set('/.well-known/oauth-authorization-server', [{ body: { issuer: this.url } }]);
    return this;
  }

  tokens(name: string, expiresInS = 3600): Answer {
    return {
      body: {
        access_token: `access-${name}`,
        refresh_token: `refresh-${name}`,
        expires_in: expiresInS,
        email: 'ann@example.com',
      },
    };
  }

  times(path: string): number {
    return this.asked.filter((one) => one.path === path).length;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
