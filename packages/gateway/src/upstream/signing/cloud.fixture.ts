/** The services of three clouds that give a machine its credentials, at one loopback address; what was asked is kept. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body: string };

const KEYS = {
  AccessKeyId: 'ASIAEXAMPLE000000001',
  SecretAccessKey: 'secret/of+the=keys0001',
  Token: 'session-0001',
};

/** `endsAtMs`: when what is issued ends. `changed`: answers of a test, by path. */
export class FakeCloud {
  readonly asked: Asked[] = [];
  readonly changed = new Map<string, Answer>();
  lifetimeS = 3600;
  nowMs = Date.UTC(2026, 10, 18);
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));
  #issued = 0;

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const { method = '', url: path = '' } = request;
    this.asked.push({ method, path, headers: { ...request.headers } as Record<string, string>, body });
    const [plain = ''] = path.split('?');
    const { status = 200, headers = {}, body: text } = this.changed.get(plain) ?? this.#answerOf(plain, method);
    response.writeHead(status, headers).end(text);
  }

  #answerOf(path: string, method: string): Answer {
    const number = String(++this.#issued).padStart(4, '0');
    const ends = new Date(this.nowMs + this.lifetimeS * 1000).toISOString();
    const json = (value: object, headers = {}): Answer => ({
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(value),
    });
    const keys = { ...KEYS, Token: `session-${number}`, Expiration: ends };
    if (path === '/latest/api/token' && method === 'PUT') return { body: 'instance-token' };
    if (path === '/latest/meta-data/iam/security-credentials/') return { body: 'gateway-role' };
    if (path === '/latest/meta-data/iam/security-credentials/gateway-role') return json({ Code: 'Success', ...keys });
    if (path === '/agent/keys') return json(keys);
    if (path === '/')
      return {
        headers: { 'content-type': 'text/xml' },
        body: `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${KEYS.AccessKeyId}</AccessKeyId><SecretAccessKey>${KEYS.SecretAccessKey}</SecretAccessKey><SessionToken>session-${number}</SessionToken><Expiration>${ends}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      };
    const token = { access_token: `token-${number}`, token_type: 'Bearer' };
    const life = { expires_in: this.lifetimeS };
    if (path === '/computeMetadata/v1/instance/service-accounts/default/token')
      return json({ ...token, ...life }, { 'metadata-flavor': 'Google' });
    if (path === '/v1/token') return json({ ...token, ...life, issued_token_type: 'access_token' });
    if (path.endsWith(':generateAccessToken')) return json({ accessToken: `impersonated-${number}`, expireTime: ends });
    if (path === '/subject') return json({ jwt: 'subject-by-url' });
    const expires_on = String(Math.floor(this.nowMs / 1000) + this.lifetimeS);
    // Microsoft's library ends the path with a slash.
    if (/^\/metadata\/identity\/oauth2\/token\/?$/.test(path))
      return json({ ...token, expires_in: String(this.lifetimeS), expires_on });
    if (/^\/msi\/token\/?$/.test(path)) return json({ ...token, expires_on });
    if (path.endsWith('/oauth2/v2.0/token')) return json({ ...token, ...life, refresh_in: this.lifetimeS / 2 });
    return { status: 404, body: 'nothing here' };
  }
}
