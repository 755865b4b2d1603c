/** A store as Vault is one, for tests: KV version 2, three ways to sign in, tokens that end; what was asked is kept. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type VaultAsked = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
type Token = { endsAtMs: number; readonly renewable: boolean };
type Reply = { readonly status: number; readonly body: object };

export const ROOT_TOKEN = 'hvs.root-token-of-the-test';
export const ROLE_ID = 'role-0001';

const refused: Reply = { status: 403, body: { errors: ['permission denied'] } };

export class FakeVault {
  readonly asked: VaultAsked[] = [];
  readonly secrets = new Map<string, { members: object; version: number }>();
  /** Each works once if `once`. */
  readonly secretIds = new Map<string, 'once' | 'often'>([['secret-id-0001', 'often']]);
  readonly tokens = new Map<string, Token>([[ROOT_TOKEN, { endsAtMs: Number.POSITIVE_INFINITY, renewable: false }]]);
  /** Paths that no policy allows. */
  readonly forbidden = new Set<string>();
  jwt = 'eyJ.pod.token';
  ttlS = 3600;
  nowMs = Date.UTC(2026, 10, 18);
  /** Of every request, while it is set. */
  failure: number | undefined;
  #server: Server | undefined;
  #port = 0;
  #issued = 0;

  /** Again at the same port after `close`. */
  async listen(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  put(path: string, members: object): void {
    this.secrets.set(path, { members, version: (this.secrets.get(path)?.version ?? 0) + 1 });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const { method = '', url: path = '' } = request;
    this.asked.push({ method, path, headers: { ...request.headers } as Record<string, string>, body });
    const found =
      this.failure === undefined ? this.#answerOf(method, path, request, body) : { status: this.failure, body: {} };
    response.writeHead(found.status, { 'content-type': 'application/json' }).end(JSON.stringify(found.body));
  }

  #answerOf(method: string, path: string, { headers }: IncomingMessage, body: string): Reply {
    const given = JSON.parse(body === '' ? '{}' : body) as Record<string, string>;
    if (method === 'POST' && path === '/v1/auth/approle/login') return this.#approle(given);
    if (method === 'POST' && path === '/v1/auth/kubernetes/login')
      return given['jwt'] === this.jwt && given['role'] === 'gateway' ? this.#issue() : refused;
    const token = String(headers['x-vault-token'] ?? '');
    const known = this.tokens.get(token);
    if (known === undefined || this.nowMs >= known.endsAtMs) return refused;
    if (method === 'GET' && path === '/v1/auth/token/lookup-self') {
      const ttl = known.endsAtMs === Number.POSITIVE_INFINITY ? 0 : Math.floor((known.endsAtMs - this.nowMs) / 1000);
      return { status: 200, body: { data: { ttl, renewable: known.renewable, policies: ['default'] } } };
    }
    if (method === 'POST' && path === '/v1/auth/token/renew-self') {
      known.endsAtMs = this.nowMs + this.ttlS * 1000;
      return { status: 200, body: this.#auth(token) };
    }
    const [, name = ''] = /^\/v1\/secret\/data\/([^?]+)/.exec(path) ?? [];
    if (this.forbidden.has(decodeURIComponent(name))) return refused;
    const secret = this.secrets.get(decodeURIComponent(name));
    if (method !== 'GET' || secret === undefined) return { status: 404, body: { errors: [] } };
    const metadata = {
      version: secret.version,
      created_time: '2026-11-18T00:00:00.000000000Z',
      deletion_time: '',
      destroyed: false,
      custom_metadata: null,
    };
    return { status: 200, body: { lease_duration: 0, renewable: false, data: { data: secret.members, metadata } } };
  }

  #approle({ role_id: role, secret_id: secret = '' }: Record<string, string>): Reply {
    const uses = this.secretIds.get(secret);
    if (role !== ROLE_ID || uses === undefined) return { status: 400, body: { errors: ['invalid role or secret ID'] } };
    if (uses === 'once') this.secretIds.delete(secret);
    return this.#issue();
  }

  #issue(): Reply {
    const token = `hvs.issued-token-${String(++this.#issued).padStart(4, '0')}`;
    this.tokens.set(token, { endsAtMs: this.nowMs + this.ttlS * 1000, renewable: true });
    return { status: 200, body: this.#auth(token) };
  }

  #auth(token: string): object {
    return {
      auth: { client_token: token, accessor: 'a', policies: ['gateway'], lease_duration: this.ttlS, renewable: true },
    };
  }
}
