/** Apps that people sign in to: tokens by a loopback redirect with PKCE, and keys in the way of OpenRouter. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import { allow, openProgramsStand, type ProgramsStand, pkce } from '../support/programs-stand.ts';

let stand: ProgramsStand;
beforeAll(async () => {
  stand = await openProgramsStand({ ann: ['team-data'], ben: ['team-data'] });
});
afterAll(() => stand.close());

const redeem = (form: Record<string, string>) => stand.post('/oauth/token', form);

const authorizeUrl = (parameters: Record<string, string>): string =>
  `${stand.at}/oauth/authorize?${new URLSearchParams(parameters)}`;
const asking = (challenge: string, redirect_uri: string) => ({
  response_type: 'code',
  client_id: 'Plain Editor',
  redirect_uri,
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state: 'state-1',
});

/** From the app's address to the redirect with its code. */
async function agreeAt(url: string, person: string, form: Record<string, string>): Promise<URL> {
  const browser = new Browser();
  const first = await browser.send(url);
  expect(first.status).toBe(200);
  const body = new URLSearchParams({ issuer: 'corp' });
  const start = await browser.send(`${stand.at}/oauth/start`, { method: 'POST', body, headers: { origin: stand.at } });
  const page = await stand.issuer.pass(browser, start, `${stand.at}/oauth/start`, person);
  expect(page.status).toBe(200);
  const done = await allow(browser, stand.at, form);
  expect(done.status).toBe(303);
  return new URL(done.headers.get('location') ?? '');
}

describe('apps with PKCE', () => {
  const REDIRECT = 'http://127.0.0.1:4711/callback';
  const CHOICE = { cap: '', span: 'month', days: '' };

  test('an app gets tokens for its code, once, with its verifier and its redirect only', async () => {
    for (const spoil of ['nothing', 'verifier', 'none', 'redirect', 'client'] as const) {
      const { verifier, challenge } = pkce();
      const back = await agreeAt(authorizeUrl(asking(challenge, REDIRECT)), 'ann', CHOICE);
      expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
      expect(back.searchParams.get('state')).toBe('state-1');
      const form: Record<string, string> = {
        grant_type: 'authorization_code',
        code: back.searchParams.get('code') ?? '',
        redirect_uri: spoil === 'redirect' ? `${REDIRECT}/` : REDIRECT,
        client_id: spoil === 'client' ? 'Other Editor' : 'Plain Editor',
        ...(spoil !== 'none' && { code_verifier: spoil === 'verifier' ? pkce().verifier : verifier }),
      };
      const answer = await redeem(form);
      expect([spoil, answer.status]).toEqual([spoil, spoil === 'nothing' ? 200 : 400]);
      const again = await redeem({
        ...form,
        redirect_uri: REDIRECT,
        client_id: 'Plain Editor',
        code_verifier: verifier,
      });
      expect(again.json).toMatchObject({ error: 'invalid_grant' });
      // The second one may have been the thief, or the robbed.
      if (spoil === 'nothing') expect(await stand.call(String(answer.json['access_token']))).toBe(401);
    }
  });

  test('a cap that the person sets holds', async () => {
    const { verifier, challenge } = pkce();
    const back = await agreeAt(authorizeUrl(asking(challenge, REDIRECT)), 'ann', {
      cap: '0.01',
      span: 'total',
      days: '7',
    });
    const { json } = await redeem({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT,
      client_id: 'Plain Editor',
      code_verifier: verifier,
    });
    const { items } = (await stand.admin('GET', '/grants?client=app&state=active')).json as {
      items: { id: string; capUsd: string; endsAt: string }[];
    };
    expect(items).toMatchObject([{ capUsd: '0.01', label: 'Plain Editor' }]);
    const budgets = (await stand.admin('GET', '/accounts/data/budgets')).json as { items: object[] };
    expect(budgets.items).toMatchObject([{ scope: `key:${items[0]?.id}`, span: 'total', usd: '0.01' }]);
    expect([200, 402]).toContain(await stand.call(String(json['access_token'])));
  });

  test.each([
    'https://evil.example/cb',
    'http://evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://localhost.evil.example/cb',
    'http://127.0.0.1:80@evil.example/cb',
    'http://evil.example#127.0.0.1',
    'http://127.0.0.1:4711/cb#fragment',
    'http://127.0.0.1:4711/cb#',
    'http://127.0.0.1:4711/cb?next=https://evil.example',
    'http://user:pass@127.0.0.1:4711/cb',
    'http://127.0.0.1:99999/cb',
    'http://127.1:4711/cb',
    'http://2130706433/cb',
    'http://0x7f000001/cb',
    'http://0.0.0.0:4711/cb',
    'http://[::]:4711/cb',
    'http://[::ffff:127.0.0.1]:4711/cb',
    'http://127.0.0.2:4711/cb',
    'http://10.0.0.1/cb',
    'https://127.0.0.1:4711/cb',
    'HTTP://127.0.0.1:4711/cb',
    'http:\\\\127.0.0.1:4711\\cb',
    'http://127.0.0.1:4711/a/../cb',
    'http://127.0.0.1:4711/c b',
    'http://127.0.0.1:4711/cb\r\nset-cookie: a=b',
    '//127.0.0.1:4711/cb',
    'javascript:alert(1)',
    'data:text/html,hi',
    'com.example.app:/cb',
    '',
    'SELF',
  ])('a redirect to %j is refused, and nothing is redirected', async (given) => {
    const uri = given === 'SELF' ? `${stand.at}/device` : given;
    const reply = await new Browser().send(authorizeUrl(asking(pkce().challenge, uri)));
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
    expect(reply.headers.getSetCookie()).toEqual([]);
  });

  test.each([
    ['plain', { code_challenge_method: 'plain' }],
    ['no challenge', { code_challenge: '' }],
    ['a short challenge', { code_challenge: 'abc' }],
    ['no state', { state: '' }],
    ['another response type', { response_type: 'token' }],
    ['no name', { client_id: '' }],
  ])('%s is refused', async (_, more) => {
    const url = authorizeUrl({ ...asking(pkce().challenge, REDIRECT), ...more });
    expect((await new Browser().send(url)).status).toBe(400);
  });
});

describe('keys in the way of OpenRouter', () => {
  const CALLBACK = 'https://app.example.com/done?tab=keys';
  const askKey = (challenge: string, more: Record<string, string> = {}) =>
    `${stand.at}/auth?${new URLSearchParams({ callback_url: CALLBACK, code_challenge: challenge, code_challenge_method: 'S256', ...more })}`;
  const exchange = async (body: object) => {
    const response = await fetch(`${stand.at}/api/v1/auth/keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };

  test('an app gets a capped key of the member, and without its verifier nothing', async () => {
    const { verifier, challenge } = pkce();
    const back = await agreeAt(askKey(challenge, { limit: '5' }), 'ben', { cap: '5', span: 'month', days: '30' });
    expect(back.href).toContain('https://app.example.com/done?tab=keys&code=');
    const code = back.searchParams.get('code') ?? '';
    const { status, json } = await exchange({ code, code_verifier: verifier, code_challenge_method: 'S256' });
    expect(status).toBe(200);
    expect(await stand.call(String(json['key']))).toBe(200);
    const { items } = (await stand.admin('GET', `/keys?account=data&member=${json['user_id']}`)).json as {
      items: { id: string; name: string; rights: { expiresAt: string; manages?: string } }[];
    };
    expect(items).toMatchObject([{ name: 'app.example.com' }]);
    expect(items[0]?.rights.manages).toBeUndefined();
    expect(Date.parse(items[0]?.rights.expiresAt ?? '') - Date.now()).toBeLessThanOrEqual(30 * 86_400_000);
    const budgets = (await stand.admin('GET', '/accounts/data/budgets')).json as { items: object[] };
    expect(budgets.items).toContainEqual(
      expect.objectContaining({ scope: `key:${items[0]?.id}`, usd: '5', span: 'month' }),
    );
    expect((await exchange({ code, code_verifier: verifier })).status).toBe(403);
    for (const spoiled of [{}, { code_verifier: pkce().verifier }, { code_verifier: challenge }]) {
      const other = await agreeAt(askKey(challenge), 'ben', { cap: '', span: 'month', days: '7' });
      expect((await exchange({ code: other.searchParams.get('code'), ...spoiled })).status).toBe(403);
    }
    expect((await exchange({ code, code_verifier: verifier, code_challenge_method: 'plain' })).status).toBe(400);
  });

  test.each([
    'http://app.example.com/',
    'https://u:p@app.example.com/',
    'https://app.example.com/#a',
    'https://app.example.com/?code=1',
    'ftp://app.example.com/',
  ])('a callback to %s is refused', async (callback_url) => {
    expect((await new Browser().send(askKey(pkce().challenge, { callback_url }))).status).toBe(400);
  });

  test('without a challenge it is refused at the start', async () => {
    expect((await new Browser().send(`${stand.at}/auth?callback_url=https://app.example.com/`)).status).toBe(400);
  });
});
