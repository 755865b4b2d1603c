import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLog } from '../../telemetry/log.ts';
import { OidcIssuer, textIn } from './oidc-issuer.ts';

const ISSUER = 'https://id.example.com';
const settings = {
  id: 'corp',
  name: 'Corp',
  issuer: ISSUER,
  clientId: 'trivium',
  scopes: ['openid'],
  groupsClaim: 'groups',
  grants: [],
} as never;
const metadata = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/auth`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
  response_types_supported: ['code'],
};

test('a code beside an error of the issuer does not reach the log', async () => {
  const issuer = new OidcIssuer(
    settings,
    async () => Response.json(metadata),
    () => 0,
  );
  const state = createHmac('sha256', 'random').update('state').digest('base64url');
  const url = new URL(`https://gw.example.com/callback?error=access_denied&code=canary-code&state=${state}`);
  const error = await issuer.finish(url, 'random').then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const lines: string[] = [];
  createLog({ level: 'info', write: (line) => lines.push(line) }).warn('sign-in with an issuer failed', { error });
  expect(lines.join()).toContain('access_denied');
  expect(lines.join()).not.toContain('canary-code');
});

test('names lose the characters that cannot be stored, and one of nothing else is none', () => {
  expect(textIn({ name: 'A\u0000nn\r\n Ex' }, ['name'])).toBe('Ann Ex');
  expect(textIn({ name: '\u0000', preferred_username: 'ann' }, ['name', 'preferred_username'])).toBe('ann');
  expect(textIn({ name: 7 }, ['name'])).toBeUndefined();
});
