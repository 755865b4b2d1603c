// Webhooks for finished operations: signed, retried until delivered, and never sent to forbidden addresses.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EndedOperation } from '../../packages/gateway/src/control/webhooks/message.ts';
import { announce } from '../../packages/gateway/src/control/webhooks/rows.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { type AdminStand, OPERATOR_SECRET, openAdminStand } from '../support/admin-stand.ts';
import { standConfig } from '../support/stand.ts';

const LOOK_EVERY_MS = 20;
const SECRETS = { keys: ['a-key-for-secrets-0123456789abcdefghijkl'] };

/** The receivers of this test are on this machine. */
const own = () => ({
  webhooks: {
    schemes: ['http'],
    ports: [Number(new URL(url).port)],
    alsoAddresses: ['127.0.0.1'],
    lookEveryMs: LOOK_EVERY_MS,
  },
  secrets: SECRETS,
});

type Delivered = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };
let receiver: Server;
let url = '';
let delivered: Delivered[] = [];
/** The receiver's next statuses, in order; 200 when none is left. */
let statuses: number[] = [];
let stand: AdminStand;
let store: Store;
let database: Client;
let account = '';
let made = 0;

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    delivered.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    response.writeHead(statuses.shift() ?? 200, { location: `${url}/elsewhere` }).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  stand = await openAdminStand({ config: own });
  store = new Store(stand.database.settings);
  database = new Client({ connectionString: stand.database.url });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await store.close();
  await stand.close();
  receiver.close();
});
beforeEach(async () => {
  delivered = [];
  statuses = [];
  account = `account-${++made}`;
  await stand.newAccount(account);
});
afterEach(() => database.query('delete from webhooks'));

type Registered = { readonly id: string; readonly secret: string };
async function register(path = '/hook'): Promise<Registered> {
  const { status, json } = await stand.admin('POST', `/accounts/${account}/webhooks`, { url: url + path });
  expect(status).toBe(201);
  return { id: (json['webhook'] as { id: string }).id, secret: json['secret'] as string };
}
let ended = 0;
const end = (own: Partial<EndedOperation> = {}): Promise<number> => {
  const event = {
    accountId: account,
    operation: `operations/op${++ended}`,
    model: 'google/veo-3',
    end: 'succeeded' as const,
    ...own,
  };
  return store.within(event.accountId, (db) => announce(db, event, Date.now()));
};
const countDelivered = () => expect.poll(() => delivered.length, { timeout: 10_000 });
const dueNow = () => database.query(`update webhook_messages set due_at = now() where state = 'due'`);
const messages = async (): Promise<readonly { state: string; tries: number; last_status: number | null }[]> =>
  (await database.query('select state, tries, last_status from webhook_messages where account_id = $1', [account]))
    .rows;

/** Verifies signatures as the webhook specification tells receivers to. */
function signers({ headers, body }: Delivered, ...secrets: string[]): readonly boolean[] {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const given = String(headers['webhook-signature']).split(' ');
  return secrets.map((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    return given.includes(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  });
}

describe('a finished operation', () => {
  test('each webhook of the account is called once per finished operation, signed with its own secret', async () => {
    const one = await register('/one');
    const other = await register('/other');
    expect(await end()).toBe(2);
    await countDelivered().toBe(2);
    const at = (path: string): Delivered => delivered.find((each) => each.path === path) as Delivered;
    expect(signers(at('/one'), one.secret, other.secret)).toEqual([true, false]);
    expect(signers(at('/other'), one.secret, other.secret)).toEqual([false, true]);
    expect(JSON.parse(at('/one').body)).toEqual({
      type: 'operation.succeeded',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      data: { operation: `operations/op${ended}`, model: 'google/veo-3', state: 'succeeded' },
    });
    expect(Math.abs(Number(at('/one').headers['webhook-timestamp']) * 1000 - Date.now())).toBeLessThan(60_000);
    await expect.poll(messages).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
  });

  test('a webhook is not called for operations of another account', async () => {
    await register();
    const others = `${account}-other`;
    await stand.newAccount(others);
    expect(await end({ accountId: others })).toBe(0);
  });

  test('a rolled-back outcome sends no webhook: both are one transaction', async () => {
    await register();
    await expect(
      store.within(account, async (db) => {
        await announce(db, { accountId: account, operation: 'o', model: 'm', end: 'failed' }, Date.now());
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    expect(await messages()).toEqual([]);
  });
});

describe('a message that has not arrived', () => {
  test('a failed message is resent with the same id, a new time and a new signature', async () => {
    const { secret } = await register();
    statuses = [503, 302];
    await end({ end: 'failed' });
    await countDelivered().toBe(1);
    await expect.poll(messages).toMatchObject([{ state: 'due', tries: 1, last_status: 503 }]);
    await dueNow();
    await countDelivered().toBe(2);
    await expect.poll(messages).toMatchObject([{ state: 'due', tries: 2, last_status: null }]);
    await dueNow();
    await countDelivered().toBe(3);
    await expect.poll(messages).toMatchObject([{ state: 'delivered', tries: 3, last_status: 200 }]);
    expect(new Set(delivered.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    // A redirect is not followed.
    expect(delivered.map(({ path }) => path)).toEqual(['/hook', '/hook', '/hook']);
    expect(delivered.map((each) => signers(each, secret))).toEqual([[true], [true], [true]]);
  });

  test('a message is sent by another node when the one that claimed it has crashed', async () => {
    await register();
    await database.query("alter table webhook_messages alter column due_at set default now() + interval '1 hour'");
    try {
      await end();
      // The state that a node leaves that crashed while sending: tried once, and claimed until a moment ago.
      await database.query(`update webhook_messages set tries = 1, due_at = now() - interval '1 second'`);
      await countDelivered().toBe(1);
      await expect.poll(messages).toMatchObject([{ state: 'delivered', tries: 2 }]);
    } finally {
      await database.query('alter table webhook_messages alter column due_at set default now()');
    }
  });

  test('pending messages are dropped after the receiver answers 410', async () => {
    await register();
    statuses = [500, 410];
    await end();
    await expect.poll(messages).toMatchObject([{ state: 'due', last_status: 500 }]);
    await end();
    await expect.poll(messages).toMatchObject([{ state: 'failed' }, { state: 'failed' }]);
    expect(delivered).toHaveLength(2);
  });

  test('a webhook whose receiver answered 410 gets no further messages', async () => {
    const { id } = await register();
    statuses = [410];
    await end();
    await expect.poll(messages).toMatchObject([{ state: 'failed', last_status: 410 }]);
    const { json } = await stand.admin('GET', `/accounts/${account}/webhooks`);
    expect(json['items']).toMatchObject([{ id, goneAt: expect.any(String) }]);
    expect(await end()).toBe(0);
  });
});

type Shown = { readonly id: string; readonly state: string };
const deliveriesOf = async (id: string): Promise<readonly Shown[]> =>
  (await stand.admin('GET', `/accounts/${account}/webhooks/${id}/deliveries`)).json['items'] as Shown[];

describe('deliveries', () => {
  test('a test message is signed, sent regardless of the selected events, and listed', async () => {
    const { id, secret } = await register();
    await stand.admin('PATCH', `/accounts/${account}/webhooks/${id}`, { events: ['operation.failed'] });
    const { status, json } = await stand.admin('POST', `/accounts/${account}/webhooks/${id}/test`);
    expect({ status, state: json['state'] }).toEqual({ status: 202, state: 'due' });
    await countDelivered().toBe(1);
    expect(signers(delivered[0] as Delivered, secret)).toEqual([true]);
    expect(JSON.parse(delivered[0]?.body ?? '')).toMatchObject({ type: 'webhook.test', data: { webhook: id } });
    await expect
      .poll(() => deliveriesOf(id))
      .toMatchObject([{ id: json['id'], event: 'webhook.test', state: 'delivered', tries: 1, lastStatus: 200 }]);
  });

  test('a failed delivery shows its reason, and is resent on request', async () => {
    const { id } = await register();
    statuses = [410];
    await end();
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ state: 'failed', lastStatus: 410, nextTryAt: null }]);
    const [failed] = await deliveriesOf(id);
    expect((await stand.admin('POST', `/accounts/${account}/deliveries/${failed?.id}/resend`)).status).toBe(202);
    await countDelivered().toBe(2);
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ state: 'delivered', tries: 1, lastStatus: 200 }]);
    expect(delivered[1]?.headers['webhook-id']).toBe(delivered[0]?.headers['webhook-id']);
  });

  test('deliveries of another account are not found', async () => {
    const { id } = await register();
    await end();
    await expect.poll(() => deliveriesOf(id)).toHaveLength(1);
    const [own] = await deliveriesOf(id);
    const { secret } = await stand.newAccount(`${account}-other`);
    const at = `/accounts/${account}-other`;
    expect((await stand.admin('GET', `${at}/webhooks/${id}/deliveries`, undefined, secret)).status).toBe(404);
    expect((await stand.admin('POST', `${at}/deliveries/${own?.id}/resend`, undefined, secret)).status).toBe(404);
  });

  test('a webhook gets only the operation outcomes it selected', async () => {
    const { id } = await register();
    await stand.admin('PATCH', `/accounts/${account}/webhooks/${id}`, { events: ['operation.failed'] });
    expect(await end({ end: 'succeeded' })).toBe(0);
    expect(await end({ end: 'failed' })).toBe(1);
  });
});

describe('the admin API', () => {
  test('after a rotation both secrets sign for the grace time, then only the new one', async () => {
    const { id, secret } = await register();
    const path = `/accounts/${account}/webhooks/${id}/rotate`;
    const { json } = await stand.admin('POST', path, { graceSeconds: 60 });
    await end();
    await countDelivered().toBe(1);
    expect(signers(delivered[0] as Delivered, secret, String(json['secret']))).toEqual([true, true]);
    const again = await stand.admin('POST', path, { graceSeconds: 0 });
    await end();
    await countDelivered().toBe(2);
    expect(signers(delivered[1] as Delivered, secret, String(json['secret']), String(again.json['secret']))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('the admin API shows a secret once, and the database stores none in plain text', async () => {
    const { secret } = await register();
    const { text: listed } = await stand.admin('GET', `/accounts/${account}/webhooks`);
    expect(listed).not.toContain(secret.slice('whsec_'.length));
    const { rows } = await database.query('select row_to_json(w)::text as row from webhooks w');
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret.slice('whsec_'.length), 'base64').toString('hex'));
  });

  test('secrets still sign after the operator rotates the encryption key', async () => {
    const { id, secret } = await register();
    const { json } = await stand.admin('POST', `/accounts/${account}/webhooks/${id}/rotate`, { graceSeconds: 600 });
    const wrappings = async (): Promise<unknown> =>
      (await database.query('select wrapping, previous_wrapping from webhooks')).rows;
    const before = await wrappings();
    const keys = ['a-newer-key-for-secrets-0123456789abcdef', ...SECRETS.keys];
    const admin = { host: '127.0.0.1', port: 0, secret: OPERATOR_SECRET };
    const config = () => ({ ...own(), admin, database: { url: stand.database.url }, secrets: { keys } });
    await stand.gateway.reload(standConfig(stand.simulator.url, { config }));
    expect((await stand.admin('POST', '/providers/rewrap', {})).json).toEqual({ moved: 1 });
    expect(await wrappings()).not.toEqual(before);
    await end();
    await countDelivered().toBe(1);
    expect(signers(delivered[0] as Delivered, secret, String(json['secret']))).toEqual([true, true]);
  });

  test('removing a webhook removes its pending messages', async () => {
    const { id } = await register();
    statuses = [500];
    await end();
    await expect.poll(messages).toMatchObject([{ state: 'due', tries: 1 }]);
    expect((await stand.admin('DELETE', `/accounts/${account}/webhooks/${id}`)).status).toBe(200);
    expect(await messages()).toEqual([]);
    expect((await stand.admin('DELETE', `/accounts/${account}/webhooks/${id}`)).status).toBe(404);
  });

  test.each([
    'https://127.0.0.1/hook',
    'http://127.0.0.2:PORT/hook',
    'http://169.254.169.254:PORT/',
    'http://user:word@127.0.0.1:PORT/',
    'http://127.0.0.1:22/',
    'file:///etc/passwd',
    'not a url',
  ])('the webhook URL %s is refused', async (template) => {
    const bad = template.replace('PORT', new URL(url).port);
    const { status, json } = await stand.admin('POST', `/accounts/${account}/webhooks`, { url: bad });
    expect({ status, field: (json['error'] as { field?: string }).field }).toEqual({ status: 400, field: 'url' });
  });

  test('an account may have at most 16 webhooks', async () => {
    for (let count = 0; count < 16; count++) await register();
    expect((await stand.admin('POST', `/accounts/${account}/webhooks`, { url })).status).toBe(409);
  });
});
