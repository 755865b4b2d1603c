import * as client from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentityProvider, type SimulatedPerson, startIdentityProvider } from './identity-provider.ts';

const CALLBACK = 'http://127.0.0.1:9/callback';
const people: Record<string, SimulatedPerson> = { ann: { name: 'Ann', groups: ['developers'] } };
let provider: IdentityProvider;
let config: client.Configuration;
beforeAll(async () => {
  const own = { clientId: 'gateway', clientSecret: 'a-secret of 100 %' };
  provider = await startIdentityProvider({ ...own, redirectUris: [CALLBACK], people });
  const basic = client.ClientSecretBasic(own.clientSecret);
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
  config = await client.discovery(new URL(provider.url), own.clientId, undefined, basic, { execute });
});
afterAll(() => provider.close());

const VERIFIER = client.randomPKCECodeVerifier();

/** Where the browser returns to after it has chosen a person. */
async function chosen(person: string, more: Record<string, string> = {}): Promise<Response> {
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid',
    state: 'state',
    nonce: 'nonce',
    code_challenge: await client.calculatePKCECodeChallenge(VERIFIER),
    code_challenge_method: 'S256',
    person,
    ...more,
  });
  return fetch(url, { redirect: 'manual' });
}

const redeem = (back: Response, pkceCodeVerifier = VERIFIER) =>
  client.authorizationCodeGrant(config, new URL(back.headers.get('location') ?? ''), {
    pkceCodeVerifier,
    expectedState: 'state',
    expectedNonce: 'nonce',
    idTokenExpected: true,
  });

test('an OpenID client signs a chosen person in, and renews until the person is gone', async () => {
  expect(await (await chosen('')).text()).toContain('Ann');
  const tokens = await redeem(await chosen('ann'));
  expect(tokens.claims()).toMatchObject({ sub: 'ann', email: 'ann@example.com', groups: ['developers'] });
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  expect(renewed.claims()).toMatchObject({ sub: 'ann' });
  await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  delete people['ann'];
  await expect(client.refreshTokenGrant(config, renewed.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
});

test('it answers its own client at its own addresses only', async () => {
  people['ben'] = { name: 'Ben', groups: [] };
  expect((await chosen('ben', { redirect_uri: 'https://evil.example/' })).status).toBe(400);
  await expect(redeem(await chosen('ben'), client.randomPKCECodeVerifier())).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  const stranger = await fetch(`${provider.url}/token`, { method: 'POST', body: new URLSearchParams({ code: 'x' }) });
  expect(stranger.status).toBe(401);
});
