/** Rate limits of accounts in the database: set through API and command line, shared by all keys, in force on running nodes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';

let stand: AdminStand;
beforeAll(async () => {
  stand = await openAdminStand({ config: () => ({ rateLimits: { accounts: { lenient: { requestsPerMinute: 1 } } } }) });
});
afterAll(() => stand.close());

const newKey = async (account: string): Promise<string> =>
  (await stand.admin('POST', `/accounts/${account}/keys`, { name: 'more' })).json['secret'] as string;
const statuses = async (...secrets: string[]): Promise<number[]> => {
  const seen: number[] = [];
  for (const secret of secrets) seen.push((await stand.chat(secret)).status);
  return seen;
};

test('a limit of an account holds for all its keys together, and for no other account', async () => {
  const made = await stand.admin('POST', '/accounts', {
    id: 'bounded',
    name: 'bounded',
    kind: 'unlimited',
    rateLimits: { requestsPerMinute: 2, burst: 2 },
  });
  expect(made.json['rateLimits']).toEqual({ requestsPerMinute: 2, burst: 2 });
  const [first, second] = [await newKey('bounded'), await newKey('bounded')];
  expect(await statuses(first, second, first, second)).toEqual([200, 200, 429, 429]);
  const { secret } = await stand.newAccount('free');
  expect(await statuses(secret, secret, secret)).toEqual([200, 200, 200]);
});

test('an account limit can be changed and removed while keys are in use', async () => {
  const { secret } = await stand.newAccount('changing');
  expect((await stand.admin('GET', '/accounts/changing')).json['rateLimits']).toBeNull();
  expect(await statuses(secret)).toEqual([200]);
  const rateLimits = { requestsPerMinute: 1, burst: 1 };
  expect((await stand.admin('PATCH', '/accounts/changing', { rateLimits })).json['rateLimits']).toEqual(rateLimits);
  await expect.poll(async () => (await stand.chat(secret)).status, { timeout: 10_000 }).toBe(429);
  const { json } = await stand.admin('GET', '/accounts/changing/audit?action=account.change');
  expect(json['items']).toMatchObject([{ detail: { rateLimits } }]);
  await stand.admin('PATCH', '/accounts/changing', { rateLimits: null });
  await expect.poll(async () => (await stand.chat(secret)).status, { timeout: 10_000 }).toBe(200);
});

test('an account limit overrides the configuration, field by field', async () => {
  const { secret } = await stand.newAccount('lenient');
  expect(await statuses(secret, secret)).toEqual([200, 429]);
  await stand.admin('PATCH', '/accounts/lenient', { rateLimits: { requestsPerMinute: 1000, burst: 1000 } });
  await expect.poll(async () => (await stand.chat(secret)).status, { timeout: 10_000 }).toBe(200);
});

test('the command line sets and removes an account limit, and an invalid limit is refused', async () => {
  await stand.newAccount('typed');
  const run = async (line: string): Promise<void> => {
    const terminal = fakeTerminal({ TRIVIUM_ADMIN_URL: stand.gateway.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET });
    await runCommandLine(line.split(' '), terminal);
  };
  const limits = async () => (await stand.admin('GET', '/accounts/typed')).json['rateLimits'];
  await run('accounts change typed --rpm 30 --in-flight 4');
  expect(await limits()).toEqual({ requestsPerMinute: 30, inFlight: 4 });
  await run('accounts change typed --name Typed');
  expect(await limits()).toEqual({ requestsPerMinute: 30, inFlight: 4 });
  await run('accounts change typed --no-rates');
  expect(await limits()).toBeNull();
  for (const rateLimits of [{ requestsPerMinute: 0 }, { perMinute: 5 }, { requestsPerMinute: '5' }])
    expect((await stand.admin('PATCH', '/accounts/typed', { rateLimits })).status).toBe(400);
});
