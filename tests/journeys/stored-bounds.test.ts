// Where nothing is stored, or not any more: an answer that breaks off, an account that is full, a store that is away, a time that is over.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoredRows } from '../../packages/gateway/src/media/responses/rows.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import type { AdminStand } from '../support/admin-stand.ts';
import { freshDatabase } from '../support/database.ts';
import { CHAT, type Json, OWN } from '../support/responses-probe.ts';
import { SocketClient } from '../support/socket-client.ts';
import {
  type At,
  errorOf,
  idIn,
  makeAt,
  makeBehind,
  query,
  type Reply,
  send,
  totalOf,
} from '../support/stored-calls.ts';
import { openStoredStand } from '../support/stored-checks.ts';
import { waitUntil } from '../support/wait-until.ts';

const openSocket = ({ chatUrl }: At, secret: string): Promise<SocketClient> =>
  SocketClient.open(`${chatUrl}/responses`, { authorization: `Bearer ${secret}` });

let stand: AdminStand;
beforeAll(async () => {
  stand = await openStoredStand();
});
afterAll(() => stand.close());

const make = (body: Json, secret: string, at: At = stand): Promise<Reply> => makeAt(at, secret, body);

describe.each([
  ['alone', false],
  ['in a conversation', true],
])('%s', (where, isInConversation) => {
  test.each([
    ['fails', 'fault=status-500'],
    ['is cut', 'fault=reset-mid-stream after=3'],
    ['is abandoned', 'scenario=text-long words=4000 tps=100'],
  ])('an answer that %s is not stored', async (how, play) => {
    const account = `${how} ${where}`.replaceAll(' ', '-');
    const { secret } = await stand.newAccount(account);
    const items = [{ role: 'user', content: 'x' }];
    const conversation = idIn(await send(stand, secret, 'POST', '/conversations', { items }));
    const kept = async (): Promise<unknown> => [
      await totalOf(stand.database.url, account),
      (await send(stand, secret, 'GET', `/conversations/${conversation}/items`)).text,
    ];
    const before = await kept();
    for (const model of [OWN, CHAT]) {
      const leaving = new AbortController();
      const members = { model, input: `Hello @simulate ${play}`, ...(isInConversation && { conversation }) };
      const reply = await fetch(`${stand.chatUrl}/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...members, stream: true }),
        signal: leaving.signal,
      });
      const id = reply.headers.get('x-request-id') ?? '';
      let text = '';
      const decoder = new TextDecoder();
      try {
        for await (const piece of reply.body ?? []) {
          text += decoder.decode(piece, { stream: true });
          if (how === 'is abandoned' && text.includes('output_text.delta')) leaving.abort();
        }
      } catch {
        // It breaks off, or was left.
      }
      expect(text).toContain(how === 'fails' ? '"error"' : `"id":"resp_${id}"`);
      expect(text).not.toContain('event: response.completed');
      await waitUntil('its record', () => stand.records.some(({ requestId }) => requestId === id));
      expect((await send(stand, secret, 'GET', `/responses/resp_${id}`)).status).toBe(404);
      expect(await kept()).toEqual(before);
    }
  });
});

test('[R-86] a full account is told so before the call, by the name of the setting, until it deletes something', async () => {
  const small = await openStoredStand({ state: { keepHours: 1, accountBytes: 1_048_576 } });
  try {
    const { secret } = await small.newAccount('hoarder');
    const conversation = idIn(await send(small, secret, 'POST', '/conversations', {}));
    const socket = await openSocket(small, secret);
    const noise = Array.from({ length: 1_500_000 }, () =>
      String.fromCharCode(33 + Math.floor(Math.random() * 90)),
    ).join('');
    const large = idIn(await make({ input: noise }, secret, small));
    const before = small.simulator.truth.read().length;
    const error = expect.objectContaining({
      code: 'storage_quota_exceeded',
      param: 'store',
      message: expect.stringContaining('state.accountBytes'),
    });
    const items = [{ role: 'user', content: 'x' }];
    for (const refused of [
      await make({}, secret, small),
      await make({ stream: true }, secret, small),
      await make({ conversation }, secret, small),
      await make({ background: true }, secret, small),
      await make({ background: true, stream: true }, secret, small),
      await send(small, secret, 'POST', '/conversations', {}),
      await send(small, secret, 'POST', `/conversations/${conversation}/items`, { items }),
    ])
      expect([refused.status, errorOf(refused)]).toEqual([413, error]);
    expect(await socket.create({ model: CHAT, input: 'x' })).toMatchObject([{ type: 'error', status: 413, error }]);
    expect(small.simulator.truth.read().length).toBe(before);
    expect((await make({ store: false }, secret, small)).status).toBe(200);
    expect((await socket.create({ model: CHAT, input: 'x', store: false })).at(-1)?.type).toBe('response.completed');
    expect((await send(small, secret, 'DELETE', `/responses/${large}`)).status).toBe(200);
    expect((await make({}, secret, small)).status).toBe(200);
    expect((await send(small, secret, 'POST', `/conversations/${conversation}/items`, { items })).status).toBe(200);
    await socket.close();
  } finally {
    await small.close();
  }
});

test('[R-88] expired content is not read, and its rows go', async () => {
  const { secret } = await stand.newAccount('late');
  const first = idIn(await make({}, secret));
  const second = idIn(await make({ previous_response_id: first }, secret));
  const conversation = idIn(
    await send(stand, secret, 'POST', '/conversations', { items: [{ role: 'user', content: 'x' }] }),
  );
  const url = stand.database.url;
  await query(url, `update stored_responses set expires_at = now() where id = '${first}'`);
  await query(url, `update conversations set expires_at = now() where id = '${conversation}'`);
  // The part that is left is not the conversation any more.
  const reply = await make({ previous_response_id: second }, secret);
  expect(errorOf(reply)['code']).toBe('previous_response_not_found');
  expect((await make({ conversation }, secret)).status).toBe(404);
  await send(stand, secret, 'DELETE', `/responses/${second}`);
  const store = new Store(stand.database.settings);
  try {
    const rows = new StoredRows(store);
    while ((await rows.sweep()) > 0);
  } finally {
    await store.close();
  }
  expect(await totalOf(url, 'late')).toBe(0);
  expect(await query(url, "select from stored_responses where account_id = 'late'")).toEqual([]);
  expect(await query(url, "select from conversation_items where account_id = 'late'")).toEqual([]);
});

test('[R-88] the events of a response made in the background expire with it', async () => {
  const { secret } = await stand.newAccount('followed');
  const id = await makeBehind(stand, secret, 'A stream, please');
  const paths = ['', '?stream=true', '?stream=true&starting_after=2', '/input_items'].map(
    (rest) => `/responses/${id}${rest}`,
  );
  const statuses = (): Promise<number[]> =>
    Promise.all(paths.map(async (path) => (await send(stand, secret, 'GET', path)).status));
  expect(await statuses()).toEqual(paths.map(() => 200));
  // An hour later, which is how long it is kept.
  for (const table of ['stored_responses', 'background_jobs'])
    await query(
      stand.database.url,
      `update ${table} set expires_at = expires_at - interval '1 hour' where id = '${id}'`,
    );
  expect(await statuses()).toEqual(paths.map(() => 404));
  expect((await send(stand, secret, 'POST', `/responses/${id}/cancel`)).status).toBe(404);
});

/** Bytes of every account as its total says, as its rows say, and as they are. */
const summed = (): Promise<Record<string, unknown>[]> =>
  query(
    stand.database.url,
    `select account_id as account, max(total)::text as total, sum(said)::text as said, sum(held)::text as held from (
       select account_id, bytes as total, 0 as said, 0 as held from stored_totals
       union all select account_id, 0, bytes, octet_length(sealed) from stored_responses
       union all select account_id, 0, bytes, octet_length(sealed) from conversations
       union all select account_id, 0, bytes, octet_length(sealed) from conversation_items
       union all select account_id, 0, bytes, octet_length(shown) + coalesce(octet_length(sealed), 0) from background_jobs
       union all select account_id, 0, bytes, octet_length(sealed) from background_events) as kept
     group by account_id order by account_id`,
  );
const isExact = ({ total, said, held }: Record<string, unknown>): boolean => total === said && said === held;

test('what an account is said to store is the exact sum of its rows, whatever was made, changed and deleted', async () => {
  const { secret } = await stand.newAccount('mixed');
  const ask = (method: string, path: string, body?: unknown): Promise<Reply> => send(stand, secret, method, path, body);
  const items = [{ role: 'user', content: 'My name is Ann.' }];
  const work = async (at: number): Promise<void> => {
    const conversation = idIn(await ask('POST', '/conversations', { items, metadata: { at: `${at}` } }));
    const first = idIn(await make({ stream: false }, secret));
    await make({ previous_response_id: first, stream: true }, secret);
    await make({ conversation, input: 'x'.repeat(20_000) }, secret);
    await ask('POST', `/conversations/${conversation}`, { metadata: { longer: 'x'.repeat(500 - at) } });
    const added = await ask('POST', `/conversations/${conversation}/items`, { items: [...items, ...items] });
    await ask('DELETE', `/conversations/${conversation}/items/${String(added.json['first_id'])}`);
    const behind = await makeBehind(stand, secret, 'A stream, please');
    const running = idIn(
      await make({ input: '@simulate scenario=text-long words=4000 tps=100', background: true }, secret),
    );
    await ask('DELETE', `/responses/${running}`);
    expect((await summed()).filter((sums) => !isExact(sums))).toEqual([]);
    expect((await ask('POST', `/responses/${running}/cancel`)).json['status']).toBe('cancelled');
    const gone = at % 2 === 0 ? [`/responses/${first}`, `/conversations/${conversation}`] : [`/responses/${behind}`];
    for (const path of gone) expect((await ask('DELETE', path)).status).toBe(200);
  };
  await Promise.all([0, 1, 2].map(work));
  const own = (await summed()).find(({ account }) => account === 'mixed');
  expect(Number(own?.['total'])).toBeGreaterThan(1000);
  expect((await summed()).filter((sums) => !isExact(sums))).toEqual([]);
  expect((await stand.admin('DELETE', '/accounts/mixed/records')).status).toBe(200);
  expect((await summed()).find(({ account }) => account === 'mixed')).toMatchObject({ total: '0', said: '0' });
});

describe('the store is away', () => {
  let proxied: AdminStand;
  let secret: string;
  let isUp = true;
  const sockets = new Set<Socket>();
  const proxy = createServer((inside) => {
    if (!isUp) return void inside.destroy();
    const target = new URL(database.url);
    const outside = connect(Number(target.port), target.hostname);
    for (const [one, two] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        two.destroy();
      });
      one.pipe(two);
    }
  });
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  beforeAll(async () => {
    database = await freshDatabase();
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = new URL(database.url);
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    proxied = await openStoredStand({ database: { connectMs: 300 } }, { ...database, url: url.href });
    ({ secret } = await proxied.newAccount('acme'));
  });
  afterAll(async () => {
    await proxied.close();
    proxy.close();
    await database.drop();
  });

  test('[R-87] its caller is refused before the call, and never answered without state', async () => {
    const first = idIn(await make({}, secret, proxied));
    const items = [{ role: 'user', content: 'x' }];
    const conversation = idIn(await send(proxied, secret, 'POST', '/conversations', { items }));
    const socket = await openSocket(proxied, secret);
    const before = proxied.simulator.truth.read().length;
    isUp = false;
    for (const one of sockets) one.destroy();
    try {
      // The first to find out: from here on nobody is answered by what was known before.
      const refused = [await send(proxied, secret, 'GET', `/responses/${first}`)];
      for (const members of [
        {},
        { stream: true },
        { previous_response_id: first },
        { previous_response_id: first, store: false },
        { conversation },
        { input: [{ type: 'item_reference', id: 'msg_1' }], store: false },
        { background: true },
        { background: true, stream: true },
      ])
        refused.push(await make(members, secret, proxied));
      for (const [method, path, body] of [
        ['POST', '/responses/input_tokens', { model: CHAT, input: 'x', previous_response_id: first }],
        ['GET', `/responses/${first}?stream=true`],
        ['DELETE', `/responses/${first}`],
        ['POST', '/conversations', {}],
        ['GET', `/conversations/${conversation}`],
        ['POST', `/conversations/${conversation}/items`, { items }],
      ] as const)
        refused.push(await send(proxied, secret, method, path, body));
      expect(refused.map(({ status, text }) => [status, text.includes('store: false')])).toEqual(
        refused.map(() => [503, true]),
      );
      const frame = { type: 'error', status: 503, error: { message: expect.stringContaining('store: false') } };
      for (const members of [{}, { previous_response_id: first, store: false }])
        expect(await socket.create({ model: CHAT, input: 'x', ...members })).toMatchObject([frame]);
      expect(proxied.simulator.truth.read().length).toBe(before);
      expect((await make({ store: false }, secret, proxied)).status).toBe(200);
      expect((await socket.create({ model: CHAT, input: 'x', store: false })).at(-1)?.type).toBe('response.completed');
    } finally {
      isUp = true;
    }
    expect((await make({ previous_response_id: first, conversation: null }, secret, proxied)).status).toBe(200);
    expect((await make({ conversation }, secret, proxied)).status).toBe(200);
    await socket.close();
  });

  test('one that goes away during the call is said in the answer', async () => {
    for (const stream of [false, true]) {
      const running = make({ input: '@simulate scenario=text-basic ttft=300', stream }, secret, proxied);
      const calls = proxied.simulator.truth.read().length;
      await waitUntil(
        'the upstream call',
        () => proxied.simulator.truth.read().length > calls || proxied.gateway.gauges.upstreamExchanges > 0,
      );
      isUp = false;
      for (const socket of sockets) socket.destroy();
      try {
        const reply = await running;
        expect(reply.status).toBe(200);
        expect(reply.text).toContain('"store":false');
        if (!stream) expect(reply.headers.get('x-trivium-losses')).toBe('store');
      } finally {
        isUp = true;
      }
    }
  });
});
