/** The identity provider of `trivium dev --people`, judged by the OpenID Connect client of the gateway. */
import { startIdentityProvider } from '@trivium/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OidcIssuer } from '../../packages/gateway/src/people/identity/oidc-issuer.ts';

const CALLBACK = 'http://127.0.0.1:9/callback';
const CLIENT = { clientId: 'gateway', clientSecret: 'a-secret of 100 %' };
const people: Parameters<typeof startIdentityProvider>[0]['people'] = {
  ann: { name: 'Ann', groups: ['developers'] },
  ben: { name: 'Ben', groups: [] },
};
let provider: Awaited<ReturnType<typeof startIdentityProvider>>;
let issuer: OidcIssuer;
beforeAll(async () => {
  provider = await startIdentityProvider({ ...CLIENT, redirectUris: [CALLBACK], people });
  const settings = {
    id: 'simulated',
    name: 'Simulated',
    issuer: provider.url,
    ...CLIENT,
    scopes: ['openid'],
    groupsClaim: 'groups',
    externalIdClaim: 'sub',
    offline: { scope: 'offline_access', parameters: {} },
    grants: [{ group: 'developers', role: 'developer', account: 'a' }],
  } as const;
  issuer = new OidcIssuer(settings, (url, request) => fetch(url, request as RequestInit), Date.now);
});
afterAll(() => provider.close());

/** Where the browser is after it has chosen a person. */
async function chosen(person: string, random: string, more: Record<string, string> = {}): Promise<Response> {
  const url = await issuer.start(CALLBACK, random, true);
  for (const [name, value] of Object.entries({ person, ...more })) url.searchParams.set(name, value);
  return fetch(url, { redirect: 'manual' });
}

const backOf = (reply: Response): URL => new URL(reply.headers.get('location') ?? '');

test('a chosen person is signed in, and proven until they are gone; a refresh token works once', async () => {
  expect(await (await chosen('', 'random')).text()).toContain('Ann');
  const person = await issuer.finish(backOf(await chosen('ann', 'random')), 'random');
  expect(person).toMatchObject({ subject: 'ann', name: 'Ann', granted: { role: 'developer' }, groups: ['developers'] });
  const first = person.refreshToken ?? '';
  const proof = await issuer.prove(first, 'ann');
  expect(proof.kind).toBe('proven');
  expect(await issuer.prove(first, 'ann')).toEqual({ kind: 'gone' });
  const next = proof.kind === 'proven' ? proof.refreshToken : '';
  delete people['ann'];
  expect(await issuer.prove(next, 'ann')).toEqual({ kind: 'gone' });
});

test('it answers its own client, at its own address, with the verifier of the challenge', async () => {
  expect((await chosen('ben', 'random', { redirect_uri: 'https://evil.example/' })).status).toBe(400);
  const wrong = await chosen('ben', 'random', { code_challenge: 'x'.repeat(43) });
  await expect(issuer.finish(backOf(wrong), 'random')).rejects.toMatchObject({ error: 'invalid_grant' });
  const stranger = await fetch(`${provider.url}/token`, { method: 'POST', body: new URLSearchParams({ code: 'x' }) });
  expect(stranger.status).toBe(401);
});
