/** An identity provider that only renews: it proves whoever it knows, gives each refresh token out once, and counts what it refuses. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listen } from '../../../packages/gateway/src/http/listening.ts';

export type StubIssuer = {
  readonly url: string;
  readonly counts: { proven: number; refused: number };
  /** The refresh token of a person who has never renewed. */
  firstToken(subject: string): string;
  close(): void;
};

const CLIENT_ID = 'trivium';

export async function openStubIssuer(group: string): Promise<StubIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  const counts = { proven: 0, refused: 0 };
  const turns = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/keys') return answer(200, { keys: [jwk] });
    if (request.url !== '/token')
      return answer(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        id_token_signing_alg_values_supported: ['ES256'],
      });
    const [subject = '', turn = ''] = (new URLSearchParams(await text(request)).get('refresh_token') ?? '').split('.');
    // A token that comes twice would end the sign-in at a strict provider.
    if (Number(turn) !== (turns.get(subject) ?? 0)) {
      counts.refused++;
      return answer(400, { error: 'invalid_grant' });
    }
    turns.set(subject, Number(turn) + 1);
    counts.proven++;
    const idToken = await new SignJWT({ sub: subject, name: subject, groups: [group] })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(url)
      .setAudience(CLIENT_ID)
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(privateKey);
    answer(200, {
      access_token: 'unused',
      token_type: 'Bearer',
      expires_in: 60,
      id_token: idToken,
      refresh_token: `${subject}.${Number(turn) + 1}`,
    });
  });
  await listen(server, { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    counts,
    firstToken: (subject) => `${subject}.0`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
