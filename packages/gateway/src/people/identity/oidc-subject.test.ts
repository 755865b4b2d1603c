import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import type { IssuerFetch } from './issuer-fetch.ts';
import type { SignInIssuer } from './issuers.ts';
import { OidcIssuer } from './oidc-issuer.ts';

const ISSUER = 'https://issuer.example';
const CALLBACK = 'https://gateway.example/callback';
const RANDOM = 'random';

/** Signs in a person with this subject in the ID token. */
async function signIn(subject: string) {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  let nonce = '';
  const token = (): Promise<string> =>
    new SignJWT({ sub: subject, nonce, name: 'Ann', groups: ['team'] })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(ISSUER)
      .setAudience('client')
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(privateKey);
  const answers: Readonly<Record<string, () => Promise<object>>> = {
    '/.well-known/openid-configuration': async () => ({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      jwks_uri: `${ISSUER}/keys`,
    }),
    '/keys': async () => ({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }] }),
    '/token': async () => ({ access_token: 'a', token_type: 'bearer', id_token: await token() }),
  };
  const fetch: IssuerFetch = async (url) => Response.json(await answers[new URL(url).pathname]!());
  const settings = {
    issuer: ISSUER,
    clientId: 'client',
    clientSecret: 'secret',
    scopes: ['openid'],
    groupsClaim: 'groups',
    grants: [{ group: 'team', account: 'data', role: 'viewer' }],
  } as unknown as SignInIssuer;
  const issuer = new OidcIssuer(settings, fetch, () => 0);
  const { searchParams } = await issuer.start(CALLBACK, RANDOM);
  nonce = searchParams.get('nonce') ?? '';
  return issuer.finish(new URL(`${CALLBACK}?code=c&state=${searchParams.get('state')}`), RANDOM);
}

test('a person is known by the subject of the ID token', async () => {
  expect(await signIn('ann')).toMatchObject({ issuer: ISSUER, subject: 'ann', name: 'Ann' });
});

test('an empty subject is refused: all who come with one would be the same member', async () => {
  await expect(signIn('')).rejects.toThrow('the issuer sent a subject that is empty');
});
