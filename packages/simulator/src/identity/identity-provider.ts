// A small OpenID Connect provider with a few people and no passwords: for trying sign-in out, never for anything else.

import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type SimulatedPerson = { readonly name: string; readonly groups: readonly string[] };

export interface IdentityProviderOptions {
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port?: number;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
  /** By the name they sign in with. One who is removed is refused at the next renewal. */
  readonly people: Record<string, SimulatedPerson>;
}

export interface IdentityProvider {
  readonly url: string;
  readonly close: () => Promise<void>;
}

type Asked = {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirectUri: string;
  readonly subject: string;
};

const KEY_ID = 'simulated';
const LIFETIME_S = 600;
const MAX_BODY_BYTES = 65_536;
/** The oldest are forgotten. */
const MAX_KEPT = 10_000;

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const escaped = (value: string): string => value.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const { host = '127.0.0.1', port = 0, clientId, clientSecret, redirectUris, people } = options;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, Asked>();
  const refreshes = new Map<string, string>();
  const keep = <T>(kept: Map<string, T>, value: T): string => {
    const key = randomBytes(32).toString('base64url');
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(key, value);
    return key;
  };

  const tokensFor = (subject: string, nonce?: string): object => {
    const person = people[subject];
    const nowS = Math.floor(Date.now() / 1000);
    const claims = {
      iss: url,
      aud: clientId,
      sub: subject,
      iat: nowS,
      exp: nowS + LIFETIME_S,
      name: person?.name ?? subject,
      email: `${subject}@example.com`,
      groups: person?.groups ?? [],
      ...(nonce !== undefined && { nonce }),
    };
    const signed = `${encoded({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })}.${encoded(claims)}`;
    return {
      access_token: randomBytes(32).toString('base64url'),
      token_type: 'Bearer',
      expires_in: LIFETIME_S,
      id_token: `${signed}.${createSign('sha256').update(signed).sign(privateKey, 'base64url')}`,
      refresh_token: keep(refreshes, subject),
    };
  };

  const redeem = (form: URLSearchParams): object | undefined => {
    if (form.get('grant_type') === 'refresh_token') {
      const [token, subject] = [form.get('refresh_token') ?? '', refreshes.get(form.get('refresh_token') ?? '')];
      refreshes.delete(token);
      return subject !== undefined && people[subject] !== undefined ? tokensFor(subject) : undefined;
    }
    const asked = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const fits = asked?.challenge === challenge && asked.redirectUri === form.get('redirect_uri');
    return asked !== undefined && fits ? tokensFor(asked.subject, asked.nonce) : undefined;
  };

  /** The page that other providers ask for a password on. */
  const choose = (query: URLSearchParams, response: ServerResponse): void => {
    const redirectUri = query.get('redirect_uri') ?? '';
    if (query.get('client_id') !== clientId || !redirectUris.includes(redirectUri)) {
      response.writeHead(400).end('unknown client or redirect_uri');
      return;
    }
    const subject = query.get('person') ?? '';
    if (people[subject] !== undefined) {
      const [challenge, nonce] = [query.get('code_challenge') ?? '', query.get('nonce') ?? ''];
      const answer = new URLSearchParams({
        code: keep(codes, { challenge, nonce, redirectUri, subject }),
        state: query.get('state') ?? '',
      });
      response.writeHead(303, { location: `${redirectUri}?${answer}` }).end();
      return;
    }
    const links = Object.entries(people).map(([id, { name, groups }]) => {
      const own = new URLSearchParams([...query, ['person', id]]);
      return `<p><a href="?${escaped(own.toString())}">${escaped(name)}</a>, ${escaped(groups.join(', '))}</p>`;
    });
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'" };
    response
      .writeHead(200, headers)
      .end(`<!doctype html><title>Simulated sign-in</title><h1>Who are you?</h1>${links.join('')}`);
  };

  /** Both halves are encoded as in forms (RFC 6749, 2.3.1). */
  const isClient = ({ headers: { authorization = '' } }: IncomingMessage): boolean => {
    const [id, secret] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':');
    const given = new URLSearchParams(`id=${id}&secret=${secret}`);
    return given.get('id') === clientId && given.get('secret') === clientSecret;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (pathname === '/.well-known/openid-configuration')
      answer(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    else if (pathname === '/keys')
      answer(200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }] });
    else if (pathname === '/authorize') choose(searchParams, response);
    else if (pathname !== '/token' || request.method !== 'POST') answer(404, { error: 'not_found' });
    else if (Number(request.headers['content-length'] ?? MAX_BODY_BYTES + 1) > MAX_BODY_BYTES)
      answer(413, { error: 'invalid_request' });
    else if (!isClient(request)) answer(401, { error: 'invalid_client' });
    else {
      const tokens = redeem(new URLSearchParams(await text(request)));
      answer(tokens === undefined ? 400 : 200, tokens ?? { error: 'invalid_grant' });
    }
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}
