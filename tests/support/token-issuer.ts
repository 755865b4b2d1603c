/** An issuer of JSON Web Tokens: its keys over HTTP, and tokens of every kind, valid and invalid. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { listen } from '../../packages/gateway/src/http/listening.ts';

export type Pair = { readonly kid: string; readonly alg: string; readonly privateKey: CryptoKey; readonly jwk: JWK };

export async function newPair(kid: string, alg = 'RS256'): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export const AUDIENCE = 'trivium';

export class TokenIssuer {
  readonly url: string;
  readonly #server: Server;
  /** Its published keys; more may be added while it runs. */
  readonly shown: Pair[] = [];
  /** How often its keys were fetched. */
  asked = 0;
  isDown = false;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      if (this.isDown) {
        response.destroy();
        return;
      }
      const isKeys = request.url === '/keys';
      if (isKeys) this.asked++;
      const body = isKeys
        ? { keys: this.shown.map(({ jwk }) => jwk) }
        : { issuer: this.url, jwks_uri: `${this.url}/keys` };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }

  static async open(): Promise<TokenIssuer> {
    const server = createServer();
    await listen(server, { host: '127.0.0.1', port: 0 });
    return new TokenIssuer(server);
  }

  claims(more: Record<string, unknown> = {}): Record<string, unknown> {
    const nowS = Math.floor(Date.now() / 1000);
    return { iss: this.url, aud: AUDIENCE, sub: 'job-1', iat: nowS, exp: nowS + 600, ...more };
  }

  sign(pair: Pair, claims: Record<string, unknown> = this.claims(), header: Record<string, unknown> = {}) {
    return new SignJWT(claims).setProtectedHeader({ alg: pair.alg, kid: pair.kid, ...header }).sign(pair.privateKey);
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
