// Alerts reach the operator's destinations, private addresses and mail included; deliveries are listed, tested and resent.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { type FakeTerminal, fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { type CannedUpstream, openCannedUpstream } from '../support/canned-upstream.ts';
import { cannedWords } from '../support/canned-words.ts';
import { UPSTREAM_SECRET } from '../support/stand.ts';

type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };
type Mail = { readonly from: string; readonly to: readonly string[]; readonly text: string; readonly user: string };

const SMTP_USER = 'gateway';
const SMTP_PASSWORD = 'an-smtp-password-0123456789';
const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];
const PRICES = { prompt: usd('1'), completion: usd('5000') };

let receiver: Server;
let url = '';
let received: Received[] = [];
let statuses: number[] = [];
let mailServer: SMTPServer;
let mails: Mail[] = [];
let canned: CannedUpstream;
let stand: AdminStand;
let account = '';
let secret = '';
let made = 0;

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    received.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    response.writeHead(statuses.shift() ?? 200).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  mailServer = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === SMTP_PASSWORD ? done(null, { user: String(username) }) : done(new Error('wrong password')),
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith('unknown@') ? done(new Error('no such mailbox')) : done(),
    onData: (stream, { envelope, user }, done) => {
      void text(stream).then((body) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), text: body, user: String(user) });
        done();
      });
    },
  });
  mailServer.listen(0, '127.0.0.1');
  await once(mailServer.server, 'listening');
  canned = await openCannedUpstream();
  stand = await openAdminStand({
    config: () => ({
      webhooks: { lookEveryMs: 20 },
      alerts: {
        checkEveryMs: 50,
        smtp: {
          host: '127.0.0.1',
          port: (mailServer.server.address() as AddressInfo).port,
          security: 'none',
          user: SMTP_USER,
          password: SMTP_PASSWORD,
          from: 'Trivium <alerts@example.com>',
        },
      },
      health: { failures: 2, stalls: 2, outMs: 50, maxOutMs: 100 },
      secrets: { keys: ['a-key-for-secrets-0123456789abcdefghijkl'] },
    }),
    alsoHosts: (simulatorUrl) => ({
      providers: {
        ...Object.fromEntries(
          ['one', 'two'].map((host) => [
            host,
            { dialect: 'openai-chat', baseUrl: `${simulatorUrl}/compatible@${host}/v1`, credential: UPSTREAM_SECRET },
          ]),
        ),
        lying: { dialect: 'openai-chat', baseUrl: canned.url, credential: 'sk-canned' },
      },
      models: [
        {
          id: 'pair/model',
          endpoints: ['one', 'two'].map((provider) => ({ provider, upstreamModel: 'any' })),
        },
        {
          id: 'lying/any',
          contextLength: 128_000,
          maxOutputTokens: 16_384,
          endpoints: [{ provider: 'lying', upstreamModel: 'any', pricings: PRICES }],
        },
      ],
    }),
  });
});
afterAll(async () => {
  await stand.close();
  await canned.close();
  receiver.close();
  await new Promise<void>((resolve) => mailServer.close(() => resolve()));
});
beforeEach(async () => {
  received = [];
  statuses = [];
  mails = [];
  account = `account-${++made}`;
  ({ secret } = await stand.newAccount(account));
});
afterEach(async () => {
  const { json } = await stand.admin('GET', '/alerts/destinations');
  for (const { id } of json['items'] as { id: string }[]) await stand.admin('DELETE', `/alerts/destinations/${id}`);
});

type Destination = { readonly id: string; readonly secret: string };
async function addDestination(body: Record<string, unknown>): Promise<Destination> {
  const { status, json, text: said } = await stand.admin('POST', '/alerts/destinations', { name: 'ops', ...body });
  expect(status, said).toBe(201);
  return { id: (json['destination'] as { id: string }).id, secret: String(json['secret']) };
}
const deliveries = async (path: string): Promise<readonly Record<string, unknown>[]> =>
  (await stand.admin('GET', path)).json['items'] as Record<string, unknown>[];
const alerts = async (query = ''): Promise<readonly Record<string, unknown>[]> =>
  (await stand.admin('GET', `/alerts${query}`)).json['items'] as Record<string, unknown>[];

function isSignedWith(key: string, { headers, body }: Received): boolean {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const mac = createHmac('sha256', Buffer.from(key.replace('whsec_', ''), 'base64'))
    .update(signed)
    .digest('base64');
  return headers['webhook-signature'] === `v1,${mac}`;
}

test('signed alerts for a provider outage and its recovery reach a private address that the operator configured', async () => {
  const destination = await addDestination({
    kind: 'webhook',
    url: `${url}/ops`,
    events: ['provider.out', 'provider.back'],
  });
  stand.simulator.arm('status=500', { host: 'one', times: 2 });
  const inOrder = { 'x-trivium-strategy': 'priority' };
  const ask = () =>
    fetch(`${stand.chatUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}`, ...inOrder },
      body: JSON.stringify({ model: 'pair/model', messages: [{ role: 'user', content: 'Hello' }] }),
    });
  for (let request = 0; request < 2; request++) expect((await ask()).status).toBe(200);
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1);
  await expect.poll(async () => (await ask()).headers.get('x-trivium-provider'), { timeout: 10_000 }).toBe('one');
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(2);
  expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'provider.out', data: { provider: 'one', model: 'pair/model', why: 'failures' } },
    { type: 'provider.back', data: { provider: 'one' } },
  ]);
  expect(received.every((each) => isSignedWith(destination.secret, each))).toBe(true);
  expect(await alerts('?kind=provider.out')).toMatchObject([{ subject: 'one', resolvedAt: expect.any(String) }]);
});

test('an alert for implausible usage reaches Slack, and the account does not see it', async () => {
  await addDestination({ kind: 'slack', url: `${url}/slack`, events: ['usage.suspect'] });
  canned.say(cannedWords('openai-chat', false, { words: ['Hello', ' there'], output: 1_000_000 }));
  for (let request = 0; request < 3; request++)
    expect((await stand.chat(secret, { model: 'lying/any', max_tokens: 50 })).status).toBe(200);
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1);
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    text: expect.stringMatching(/^lying\/any at lying reports usage that cannot be true: output-cap/),
  });
  expect((await stand.admin('GET', `/accounts/${account}/alerts`, undefined, secret)).json['items']).toEqual([]);
});

test('an alert for a half-spent budget reaches the operator and the account, once', async () => {
  await stand.admin('POST', `/accounts/${account}/budgets`, { scope: 'account', span: 'day', usd: '1' });
  await addDestination({ kind: 'discord', url: `${url}/discord`, events: ['budget.reached'] });
  const words = Array.from({ length: 120 }, () => ' word');
  canned.say(cannedWords('openai-chat', false, { words, output: words.length }));
  expect((await stand.chat(secret, { model: 'lying/any', max_tokens: 130 })).status).toBe(200);
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1);
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    embeds: [{ title: `Account ${account} has reached 50 % of today's budget.` }],
  });
  // The rest of the budget is too small for another such request.
  expect((await stand.chat(secret, { model: 'lying/any', max_tokens: 130 })).status).toBe(402);
  const { json } = await stand.admin('GET', `/accounts/${account}/alerts`, undefined, secret);
  expect(json['items']).toMatchObject([
    { kind: 'budget.reached', accountId: account, detail: { percent: 50, limitUsd: '1' } },
  ]);
});

describe('mail', () => {
  test('mail is sent over SMTP, with the same Message-ID for every attempt', async () => {
    const { id } = await addDestination({ kind: 'mail', to: ['ops@example.com', 'on-call@example.com'] });
    const { status, json } = await stand.admin('POST', `/alerts/destinations/${id}/test`);
    expect(status).toBe(202);
    await expect.poll(() => mails.length, { timeout: 10_000 }).toBe(1);
    expect(mails[0]).toMatchObject({
      from: 'alerts@example.com',
      to: ['ops@example.com', 'on-call@example.com'],
      user: SMTP_USER,
    });
    expect(mails[0]?.text).toContain('Subject: [Trivium] This is a test of an alert destination.');
    expect(mails[0]?.text).toContain(`Message-ID: <${String(json['id'])}@trivium>`);
    await expect
      .poll(() => deliveries(`/alerts/destinations/${id}/deliveries`))
      .toMatchObject([{ state: 'delivered', event: 'webhook.test', lastStatus: 250 }]);
  });

  test('mail that a server refuses is retried, and the delivery shows the reason', async () => {
    const { id } = await addDestination({ kind: 'mail', to: ['unknown@example.com'] });
    await stand.admin('POST', `/alerts/destinations/${id}/test`);
    await expect
      .poll(() => deliveries(`/alerts/destinations/${id}/deliveries`), { timeout: 10_000 })
      .toMatchObject([{ state: 'due', tries: 1, lastStatus: null, lastProblem: 'EENVELOPE' }]);
    expect(mails).toEqual([]);
  });
});

describe('destinations', () => {
  test('a destination is shown without its full address, and its secret only once', async () => {
    const { id, secret: signing } = await addDestination({ kind: 'webhook', url: `${url}/very/secret/path` });
    expect(signing).toMatch(/^whsec_/);
    const { text: listed, json } = await stand.admin('GET', '/alerts/destinations');
    expect(json['items']).toMatchObject([{ id, target: new URL(url).host, events: null }]);
    expect(listed).not.toContain('very/secret');
    expect(listed).not.toContain(signing);
  });

  test.each([
    [{ kind: 'slack' }, 'url', 400],
    [{ kind: 'slack', url: 'ftp://x.example/' }, 'url', 400],
    [{ kind: 'slack', url: 'https://user:word@x.example/' }, 'url', 400],
    [{ kind: 'mail', url: 'https://x.example/' }, 'to', 400],
    [{ kind: 'pager', url: 'https://x.example/' }, 'kind', 400],
    [{ kind: 'slack', url: 'https://x.example/', events: ['no.such'] }, 'events.0', 400],
  ])('the destination %j is refused for its %s', async (body, field, expected) => {
    const { status, json } = await stand.admin('POST', '/alerts/destinations', { name: 'ops', ...body });
    expect({ status, field: (json['error'] as { field: string }).field }).toEqual({ status: expected, field });
  });

  test('a destination gets the alert kinds it selected, and others after a change', async () => {
    const { id } = await addDestination({ kind: 'teams', url: `${url}/teams`, events: ['ledger.audit_failed'] });
    const { json } = await stand.admin('PATCH', `/alerts/destinations/${id}`, { events: null });
    expect(json).toMatchObject({ id, events: null });
  });

  test('a failed delivery is listed with its status, and resent on request', async () => {
    const { id } = await addDestination({ kind: 'teams', url: `${url}/teams` });
    statuses = [410, 200];
    await stand.admin('POST', `/alerts/destinations/${id}/test`);
    const path = `/alerts/destinations/${id}/deliveries`;
    await expect.poll(() => deliveries(path)).toMatchObject([{ state: 'failed', lastStatus: 410, nextTryAt: null }]);
    const [failed] = await deliveries(path);
    expect((await stand.admin('POST', `/alerts/destinations/${id}/test`)).status).toBe(409);
    expect((await stand.admin('POST', `/alerts/deliveries/${String(failed?.['id'])}/resend`)).status).toBe(202);
    await expect.poll(() => deliveries(path)).toMatchObject([{ state: 'delivered', tries: 1, lastStatus: 200 }]);
    expect(received).toHaveLength(2);
  });

  test('pending messages are dropped after the destination answers 410', async () => {
    const { id } = await addDestination({ kind: 'teams', url: `${url}/teams` });
    statuses = [500, 410];
    const path = `/alerts/destinations/${id}/deliveries`;
    await stand.admin('POST', `/alerts/destinations/${id}/test`);
    await expect.poll(() => deliveries(path)).toMatchObject([{ state: 'due', lastStatus: 500 }]);
    await stand.admin('POST', `/alerts/destinations/${id}/test`);
    await expect
      .poll(() => deliveries(path))
      .toMatchObject([
        { state: 'failed', lastStatus: 410 },
        { state: 'failed', lastStatus: 500 },
      ]);
    expect(received).toHaveLength(2);
  });

  test('only operators have access to destinations and alerts', async () => {
    for (const path of ['/alerts', '/alerts/rules', '/alerts/destinations'])
      expect((await stand.admin('GET', path, undefined, secret)).status).toBe(403);
    expect((await stand.admin('POST', '/alerts/alr_none/acknowledge')).status).toBe(404);
  });
});

describe("an account's webhook", () => {
  test('an account may not use a private address that an operator may use', async () => {
    const { status, json } = await stand.admin('POST', `/accounts/${account}/webhooks`, { url: `${url}/hook` });
    expect({ status, field: (json['error'] as { field: string }).field }).toEqual({ status: 400, field: 'url' });
  });

  test('an account’s webhook gets the alert events it selected', async () => {
    const body = { url: 'https://receiver.example/', events: ['budget.reached', 'operation.failed'] };
    const { json } = await stand.admin('POST', `/accounts/${account}/webhooks`, body);
    const { id } = json['webhook'] as { id: string };
    expect(json['webhook']).toMatchObject({ events: body.events });
    const changed = await stand.admin('PATCH', `/accounts/${account}/webhooks/${id}`, { events: null });
    expect(changed.json).toMatchObject({ id, events: null });
    const refused = await stand.admin('PATCH', `/accounts/${account}/webhooks/${id}`, { events: ['provider.out'] });
    expect(refused.status).toBe(400);
  });
});

describe('the command line', () => {
  const run = async (line: string): Promise<FakeTerminal> => {
    const terminal = fakeTerminal({
      TRIVIUM_ADMIN_URL: stand.gateway.adminUrl,
      TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET,
    });
    await runCommandLine(line.split(' '), terminal);
    return terminal;
  };
  const json = async (line: string): Promise<unknown> => JSON.parse((await run(`${line} --json`)).output.join('\n'));

  test('the command line adds a destination, tests it, lists its deliveries and resends one', async () => {
    const added = await run(
      `alerts destinations add slack ${url}/slack --name team --events budget.reached,provider.out`,
    );
    expect(added.output.join('\n')).toMatch(/target +127\.0\.0\.1/);
    const [destination] = (await json('alerts destinations list')) as { id: string; events: string[] }[];
    expect(destination?.events).toEqual(['budget.reached', 'provider.out']);
    const tested = await run(`alerts destinations test ${destination?.id}`);
    expect(tested.output.join('\n')).toMatch(/state +delivered/);
    const [delivery] = (await json(`alerts destinations deliveries ${destination?.id}`)) as { id: string }[];
    await run(`alerts destinations resend ${delivery?.id}`);
    await expect.poll(() => received.length).toBe(2);
    expect((await run(`alerts destinations change ${destination?.id} --events all`)).output.join('\n')).toMatch(
      /events +-/,
    );
    expect((await run(`alerts destinations remove ${destination?.id}`)).output).toEqual(['removed']);
  });

  test('a test delivery that fails exits with 1 and shows the reason', async () => {
    const { id } = await addDestination({ kind: 'slack', url: 'http://127.0.0.1:1/' });
    const tested = await run(`alerts destinations test ${id}`);
    expect(tested.output.join('\n')).toMatch(/last problem +ECONNREFUSED/);
    expect(tested.exitCode).toBe(1);
  });

  test('the command line lists rules and alerts, and acknowledges one', async () => {
    const rules = (await json('alerts rules')) as { kind: string; raisedWhen: string }[];
    expect(rules.map(({ kind }) => kind)).toContain('budget.reached');
    expect(rules[0]?.raisedWhen).toContain('50, 80, 95, 100 %');
    const [open] = (await json('alerts list --open')) as { id: string }[];
    const acknowledged = (await json(`alerts acknowledge ${open?.id}`)) as { acknowledgedBy: string };
    expect(acknowledged.acknowledgedBy).toBe('operator');
    expect(((await json('alerts list --open')) as { id: string }[]).map(({ id }) => id)).not.toContain(open?.id);
  });
});
