/** A real OpenID Connect provider, with people in groups, and a browser that signs them in at its pages. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen } from '../../packages/gateway/src/http/listening.ts';
import type { Browser, PageReply } from './browser.ts';

export const CLIENT = { id: 'trivium', secret: 'client-secret-0123456789abcdefghijklmnop' };

/** A person who is deleted is disabled at the provider. */
export type People = Record<string, readonly string[]>;

/** `away`: connections are closed without an answer; a number: the status of every answer. */
type Failure = 'away' | number;

export class Issuer {
  readonly url: string;
  /** Undefined: it works. */
  failure: Failure | undefined;
  /** Requests to its token endpoint. */
  asked = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Its URL is known before it serves: gateway and issuer need each other's URL. */
  static async open(): Promise<Issuer> {
    const server = createServer();
    await listen(server, { host: '127.0.0.1', port: 0 });
    return new Issuer(server);
  }

  /** `claimsOf`: further claims of a person. `logoutUri`: where it tells of logouts. `refreshes`: people can be proven again, if it is asked for. */
  async serve(
    people: People,
    redirectUris: readonly string[],
    {
      claimsOf = () => ({}),
      logoutUri,
      refreshes = false,
    }: {
      readonly claimsOf?: (person: string) => Record<string, unknown>;
      readonly logoutUri?: string;
      readonly refreshes?: boolean;
    } = {},
  ): Promise<void> {
    const { Provider } = await import('oidc-provider');
    const provider = new Provider(this.url, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: redirectUris,
          grant_types: ['authorization_code', ...(refreshes ? ['refresh_token'] : [])],
          response_types: ['code'],
          ...(logoutUri !== undefined && {
            backchannel_logout_uri: logoutUri,
            backchannel_logout_session_required: true,
          }),
        },
      ],
      features: { backchannelLogout: { enabled: logoutUri !== undefined } },
      claims: { openid: ['sub', 'groups', 'department'], profile: ['name', 'preferred_username'], email: ['email'] },
      cookies: { keys: ['a-key-of-the-tests'] },
      // Its own dispatcher refuses addresses of this machine.
      fetch: (url: string, { dispatcher: _own, ...options }: RequestInit & { readonly dispatcher?: unknown }) =>
        fetch(url, options),
      findAccount: (_context: unknown, id: string) =>
        people[id] === undefined
          ? undefined
          : {
              accountId: id,
              claims: () => ({
                sub: id,
                name: `Name of ${id}`,
                email: `${id}@example.com`,
                groups: people[id],
                ...claimsOf(id),
              }),
            },
    });
    const serve = provider.callback();
    this.#server.on('request', (request, response) => {
      if (request.url === '/token') this.asked++;
      if (this.failure === 'away') request.socket.destroy();
      else if (this.failure !== undefined) response.writeHead(this.failure).end('{"error":"server_error"}');
      else serve(request, response);
    });
  }

  /** From the sign-in button to the final redirect of the gateway. */
  async signIn(browser: Browser, startUrl: string, person: string): Promise<PageReply> {
    return this.pass(browser, await browser.send(startUrl), startUrl, person);
  }

  /** From a redirect to its pages to the page of the gateway behind them. */
  async pass(browser: Browser, first: PageReply, firstUrl: string, person: string): Promise<PageReply> {
    const follow = async (reply: PageReply, from: string): Promise<[PageReply, string]> => {
      const location = reply.headers.get('location');
      if (location === null) return [reply, from];
      const next = new URL(location, from).href;
      return new URL(next).pathname.startsWith('/console') ? [reply, from] : follow(await browser.send(next), next);
    };
    let [reply, at] = await follow(first, firstUrl);
    for (const form of [{ prompt: 'login', login: person, password: 'any' }, { prompt: 'consent' }]) {
      if (!reply.text.includes('<form') || new URL(at).origin !== this.url) break;
      const body = new URLSearchParams(form);
      [reply, at] = await follow(await browser.send(at, { method: 'POST', body }), at);
    }
    return reply;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
