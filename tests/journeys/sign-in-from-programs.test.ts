/** People sign in from programs, without keys: from the first request to the last refusal, with a real identity provider. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '@trivium/gateway';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { kyselyOn, openPool } from '../../packages/gateway/src/store/postgres/store.ts';
import { Browser } from '../support/browser.ts';
import { allow, DEVICE_GRANT, openProgramsStand, type ProgramsStand } from '../support/programs-stand.ts';

let stand: ProgramsStand;
let db: ReturnType<typeof kyselyOn>;

beforeAll(async () => {
  stand = await openProgramsStand({
    ann: ['team-data', 'everyone'],
    bob: ['platform', 'team-data'],
    cat: ['readers'],
    dan: ['strangers'],
    eve: ['team-data'],
    fay: ['team-data'],
    gus: ['team-data'],
  });
  db = kyselyOn(openPool(poolOf(stand), undefined, () => undefined));
});
afterAll(async () => {
  await db.destroy();
  await stand.close();
});

const poolOf = ({ database }: ProgramsStand) => ({
  url: database.url,
  maxConnections: 2,
  connectMs: 5000,
  statementMs: 10_000,
});
const asked = () => stand.issuer.asked;
const grants = async (query = '') => {
  const { json } = await stand.admin('GET', `/grants${query}`);
  return json['items'] as Record<string, unknown>[];
};

describe('the device flow', () => {
  test('answers what Claude Code reads, member by member', async () => {
    const discovery = await fetch(`${stand.at}/.well-known/oauth-authorization-server`);
    expect(await discovery.json()).toMatchObject({
      issuer: stand.at,
      device_authorization_endpoint: `${stand.at}/oauth/device_authorization`,
      token_endpoint: `${stand.at}/oauth/token`,
      revocation_endpoint: `${stand.at}/oauth/revoke`,
      authorization_endpoint: `${stand.at}/oauth/authorize`,
      gateway_protocol_version: 1,
    });
    const begun = await stand.post('/oauth/device_authorization', { surface: 'claude_code' });
    expect(begun.headers.get('cache-control')).toBe('no-store');
    expect(begun.json).toEqual({
      device_code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${stand.at}/device`,
      verification_uri_complete: `${stand.at}/device?user_code=${begun.json['user_code']}`,
      expires_in: 600,
      interval: 5,
    });
    const poll = () =>
      stand.post('/oauth/token', { grant_type: DEVICE_GRANT, device_code: String(begun.json['device_code']) });
    expect(await poll()).toMatchObject({ status: 400, json: { error: 'authorization_pending' } });
    expect(await poll()).toMatchObject({ status: 429, json: { error: 'slow_down' } });
    const other = await stand.post('/oauth/token', { grant_type: 'password' });
    expect(other).toMatchObject({ status: 400, json: { error: 'unsupported_grant_type' } });
    const unknown = await stand.post('/oauth/token', { grant_type: DEVICE_GRANT, device_code: 'x'.repeat(43) });
    expect(unknown).toMatchObject({ status: 400, json: { error: 'expired_token' } });
    const bogus = await stand.refresh('bogus');
    expect(bogus).toMatchObject({ status: 401, json: { error: 'invalid_grant' } });
  });

  test('a person agrees on a page that names program, code, person and account, and calls as that member', async () => {
    const browser = new Browser();
    const { deviceCode, userCode, page } = await stand.begin('ann', { surface: 'claude_code' }, browser);
    for (const shown of ['Claude Code', userCode, 'Name of ann', 'ann@example.com', 'data'])
      expect(page.text).toContain(shown);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    const done = await allow(browser, stand.at);
    expect(done.text).toContain('Claude Code is signed in');
    const { status, json } = await stand.post('/oauth/token', { grant_type: DEVICE_GRANT, device_code: deviceCode });
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 3600, email: 'ann@example.com' });
    expect(await stand.call(String(json['access_token']))).toBe(200);
    const record = stand.records.at(-1);
    const [grant] = await grants('?client=claude-code');
    expect(grant).toMatchObject({ accountId: 'data', client: 'claude-code', email: 'ann@example.com', endedAt: null });
    expect(grant?.['lastUsedAt']).toEqual(expect.any(String));
    expect(record).toMatchObject({
      accountId: 'data',
      keyId: grant?.['id'],
      memberId: grant?.['memberId'],
      client: 'claude-code',
    });
  });

  test('an operator with an account signs in to it; strangers and viewers are told why not', async () => {
    expect(await stand.call((await stand.signIn('bob')).access_token)).toBe(200);
    expect((await stand.begin('dan')).page).toMatchObject({
      status: 403,
      text: expect.stringContaining('None of your groups'),
    });
    expect((await stand.begin('cat')).page).toMatchObject({
      status: 403,
      text: expect.stringContaining('not make calls'),
    });
  });

  test('a refused code is refused for good', async () => {
    const browser = new Browser();
    const { deviceCode } = await stand.begin('ann', undefined, browser);
    await allow(browser, stand.at, { decision: 'deny' });
    const redeem = () => stand.post('/oauth/token', { grant_type: DEVICE_GRANT, device_code: deviceCode });
    expect((await redeem()).json).toMatchObject({ error: 'access_denied' });
    await allow(browser, stand.at);
    expect((await redeem()).json).toMatchObject({ error: 'access_denied' });
  });

  test('trivium login, token and logout work with it', async () => {
    const home = mkdtempSync(join(tmpdir(), 'trivium-programs-'));
    const terminal = fakeTerminal({ HOME: home, PATH: process.env['PATH'] ?? '', TRIVIUM_TOKEN_STORE: 'file' });
    const run = async (...args: string[]) => {
      const [from, mistakes] = [terminal.output.length, terminal.errors.length];
      await runCommandLine(args, terminal);
      return [...terminal.output.slice(from), ...terminal.errors.slice(mistakes)].join('\n');
    };
    const login = run('login', '--url', stand.at);
    const address = await printed(() => /http\S+user_code=[A-Z-]+/.exec(terminal.output.join('\n'))?.[0]);
    const browser = new Browser();
    const body = new URLSearchParams({ user_code: new URL(address).searchParams.get('user_code') ?? '' });
    const first = await browser.send(`${stand.at}/device`, { method: 'POST', body, headers: { origin: stand.at } });
    const page = await stand.issuer.pass(browser, first, `${stand.at}/device`, 'gus');
    expect(page.text).toContain('Trivium command line');
    await allow(browser, stand.at);
    expect(await login).toContain('as gus@example.com');
    const token = await run('token', '--check');
    expect(await stand.call(token)).toBe(200);
    expect(await run('logout')).toContain('Signed out');
    expect(await stand.call(token)).toBe(401);
    rmSync(home, { recursive: true });
  });
});

async function printed(find: () => string | undefined): Promise<string> {
  const { waitUntil } = await import('../support/wait-until.ts');
  await waitUntil('the address to sign in at', () => find() !== undefined);
  return find() ?? '';
}

describe('renewal', () => {
  test('twenty processes that renew at once end with one refresh token that works, and the provider is asked once', async () => {
    const { refresh_token: first } = await stand.signIn('ann');
    const before = asked();
    const answers = await Promise.all(Array.from({ length: 20 }, () => stand.refresh(first)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(asked() - before).toBe(1);
    expect(new Set(answers.map(({ json }) => json['refresh_token'])).size).toBe(1);
    const statuses = await Promise.all(answers.map(({ json }) => stand.call(String(json['access_token']))));
    expect(statuses).toEqual(Array(20).fill(200));
    const next = await stand.refresh(String(answers[7]?.json['refresh_token']));
    expect(next.status).toBe(200);
  });

  test('a token that was replaced is taken for a minute, and after that ends everything', async () => {
    const { refresh_token: first } = await stand.signIn('ann');
    const second = await stand.refresh(first);
    const again = await stand.refresh(first);
    expect([again.status, again.json['refresh_token']]).toEqual([200, second.json['refresh_token']]);
    await sql`update grants set rotated_at = rotated_at - interval '61 s' where ended_at is null`.execute(db);
    expect(await stand.refresh(first)).toMatchObject({ status: 401, json: { error: 'invalid_grant' } });
    expect((await stand.refresh(String(second.json['refresh_token']))).status).toBe(401);
    expect(await stand.call(String(second.json['access_token']))).toBe(401);
  });

  test('a person who is disabled at the provider is refused at the next renewal, and so are the tokens', async () => {
    const tokens = await stand.signIn('eve');
    expect(await stand.call(tokens.access_token)).toBe(200);
    delete stand.people['eve'];
    expect(await stand.refresh(tokens.refresh_token)).toMatchObject({ status: 401, json: { error: 'invalid_grant' } });
    expect(await stand.call(tokens.access_token)).toBe(401);
    expect((await grants('?state=ended')).map(({ endedWhy }) => endedWhy)).toContain(
      'the identity provider ended the sign-in',
    );
  });

  test('groups act at the next renewal: another role, and none', async () => {
    const tokens = await stand.signIn('fay');
    stand.people['fay'] = ['leads'];
    const renewed = await stand.refresh(tokens.refresh_token);
    expect(renewed.status).toBe(200);
    const { items } = (await stand.admin('GET', '/accounts/data/members?q=fay')).json as { items: { role: string }[] };
    expect(items.map(({ role }) => role)).toEqual(['admin']);
    stand.people['fay'] = ['strangers'];
    expect((await stand.refresh(String(renewed.json['refresh_token']))).status).toBe(401);
    expect(await stand.call(String(renewed.json['access_token']))).toBe(401);
  });

  test('groups of any number and kind let nobody in by mistake, at sign-in or renewal', async () => {
    const odd = [{ name: 'team-data' }, ['team-data'], 7, null, 'a\0b', 'x'.repeat(5000)] as unknown as string[];
    stand.people['hal'] = odd;
    expect((await stand.begin('hal')).page.status).toBe(403);
    const many = (count: number) => Array.from({ length: count }, (_, at) => `group-${at}`);
    stand.people['hal'] = [...many(1500), 'team-data'];
    const tokens = await stand.signIn('hal');
    const renewed = await stand.refresh(tokens.refresh_token);
    expect(renewed.status).toBe(200);
    const own = (await grants('?state=active')).find(({ email }) => email === 'hal@example.com');
    expect(own?.['groups']).toHaveLength(500);
    // Of a list that cannot be read as a whole nothing is believed: neither now nor at a renewal.
    for (const unreadable of [
      [...many(10_000), 'team-data'],
      [...odd, 'team-data'],
    ]) {
      stand.people['hal'] = unreadable;
      expect((await stand.begin('hal')).page.status).toBe(403);
    }
    expect((await stand.refresh(String(renewed.json['refresh_token']))).status).toBe(401);
    stand.people['hal'] = { team: 'team-data' } as unknown as string[];
    expect((await stand.begin('hal')).page.status).toBe(403);
  });

  test.each(['away', 500, 404] as const)(
    'while the provider is %s nobody is signed out, until the set time is over',
    async (failure) => {
      let { refresh_token: token, access_token: access } = await stand.signIn('ann');
      stand.issuer.failure = failure;
      try {
        // Ten minutes with tokens of a minute.
        for (let minute = 0; minute < 10; minute++) {
          await sql`update grants set proven_at = proven_at - interval '1 minute', rotated_at = rotated_at - interval '1 minute'`.execute(
            db,
          );
          const { status, json } = await stand.refresh(token);
          expect(status).toBe(200);
          [token, access] = [String(json['refresh_token']), String(json['access_token'])];
        }
        expect(await stand.call(access)).toBe(200);
        await sql`update grants set proven_at = proven_at - interval '24 h'`.execute(db);
        expect(await stand.refresh(token)).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
      } finally {
        stand.issuer.failure = undefined;
      }
      // It is back, and the person need not sign in again.
      expect((await stand.refresh(token)).status).toBe(200);
    },
  );
});

test('a removed member and a revoked token are refused at once', async () => {
  const [one, other] = [await stand.signIn('ann'), await stand.signIn('ann')];
  expect((await stand.post('/oauth/revoke', { token: one.access_token })).status).toBe(200);
  expect(await stand.call(one.access_token)).toBe(401);
  expect((await stand.refresh(one.refresh_token)).status).toBe(401);
  expect(await stand.call(other.access_token)).toBe(200);
  const [grant] = await grants('?state=active&client=claude-code');
  const { items } = (await stand.admin('GET', '/accounts/data/members?q=ann')).json as { items: { id: string }[] };
  expect(grant).toBeDefined();
  await stand.admin('DELETE', `/accounts/data/members/${items[0]?.id}`);
  expect(await stand.call(other.access_token)).toBe(401);
  expect((await stand.refresh(other.refresh_token)).status).toBe(401);
});

test('of a person who is gone, tokens and renewals are refused at once, and the programs are named', async () => {
  const tokens = await stand.signIn('gus');
  expect(await stand.call(tokens.access_token)).toBe(200);
  const [grant] = (await grants('?state=active')).filter(({ email }) => email === 'gus@example.com');
  const gone = await stand.admin('POST', '/people/gone', { person: 'gus@example.com' });
  expect(gone.json['items']).toEqual([expect.objectContaining({ grants: [grant?.['id']] })]);
  expect(await stand.call(tokens.access_token)).toBe(401);
  expect((await stand.refresh(tokens.refresh_token)).status).toBe(401);
  // Nor does a sign-in bring the person back.
  expect((await stand.begin('gus')).page.status).toBe(403);
});

test('where the provider gives no refresh token, people are told so, and sign in again when their time is over', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => void lines.push(line) });
  const other = await openProgramsStand(
    { ann: ['team-data'] },
    { refreshes: false, programs: { unprovenHours: 3 }, log, more: { log: { level: 'warn' } } },
  );
  const own = kyselyOn(openPool(poolOf(other), undefined, () => undefined));
  try {
    const browser = new Browser();
    const { deviceCode, page } = await other.begin('ann', undefined, browser);
    expect(page.text).toContain('you sign in again after 3 hours');
    expect(lines.join()).toContain('gave no refresh token');
    await allow(browser, other.at);
    const { json } = await other.post('/oauth/token', { grant_type: DEVICE_GRANT, device_code: deviceCode });
    const renewed = await other.refresh(String(json['refresh_token']));
    expect(renewed.json).toMatchObject({ expires_in: 3600 });
    const atMinutes = (minutes: number) =>
      sql`update grants set ends_at = now() + make_interval(mins => ${minutes})`.execute(own);
    await atMinutes(20);
    const last = await other.refresh(String(renewed.json['refresh_token']));
    expect([1199, 1200]).toContain(last.json['expires_in']);
    expect(await other.call(String(last.json['access_token']))).toBe(200);
    await atMinutes(-1);
    expect((await other.refresh(String(last.json['refresh_token']))).status).toBe(401);
    await vi.waitFor(async () => expect(await other.call(String(last.json['access_token']))).toBe(401));
  } finally {
    await own.destroy();
    await other.close();
  }
});
