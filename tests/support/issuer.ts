/** A real OpenID Connect provider, with people in groups, and a browser that signs them in at its pages. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen } from '../../packages/gateway/src/http/listening.ts';
import type { Browser, PageReply } from './browser.ts';

export const CLIENT = { id: 'trivium', secret: 'client-secret-0123456789abcdefghijklmnop' };

export type People = Readonly<Record<string, readonly string[]>>;

type IssuerMore = {
  /** Further claims of a person. */
  readonly claimsOf?: (person: string) => Record<string, unknown>;
  /** Where it tells of logouts. */
  readonly logoutUri?: string;
};

export class Issuer {
  readonly url: string;
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

  async serve(
    people: People,
    redirectUris: readonly string[],
    { claimsOf, logoutUri }: IssuerMore = {},
  ): Promise<void> {
    const { Provider } = await import('oidc-provider');
    const provider = new Provider(this.url, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: redirectUris,
          grant_types: ['authorization_code'],
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
                ...claimsOf?.(id),
              }),
            },
    });
    this.#server.on('request', provider.callback());
  }

  /** From the sign-in button to the final redirect of the gateway. */
  async signIn(browser: Browser, startUrl: string, person: string): Promise<PageReply> {
    const follow = async (reply: PageReply, from: string): Promise<[PageReply, string]> => {
      const location = reply.headers.get('location');
      if (location === null) return [reply, from];
      const next = new URL(location, from).href;
      return new URL(next).pathname.startsWith('/console') ? [reply, from] : follow(await browser.send(next), next);
    };
    let [reply, at] = await follow(await browser.send(startUrl), startUrl);
    for (const form of [{ prompt: 'login', login: person, password: 'any' }, { prompt: 'consent' }]) {
      if (!reply.text.includes('<form')) break;
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
