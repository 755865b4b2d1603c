// What is stored of responses and conversations: whose it is, how it lies there, when it goes, and what happens where it cannot.
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '@trivium/gateway';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { StoredRows } from '../../packages/gateway/src/media/responses/rows.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { withConverse } from '../support/converse-host.ts';
import { freshDatabase } from '../support/database.ts';
import {
  CHAT,
  GOOGLE,
  type Json,
  MESSAGES,
  OWN,
  OWN_THINKER,
  PIXEL_URL,
  responsesHosts,
} from '../support/responses-probe.ts';
import { SocketClient } from '../support/socket-client.ts';
import { HOSTS, openStoredStand, SECRETS_KEY } from '../support/stored-checks.ts';
import { waitUntil } from '../support/wait-until.ts';

type Reply = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: Json };

async function send(
  { chatUrl }: { readonly chatUrl: string },
  secret: string,
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(`${chatUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, json: isJson ? (JSON.parse(text) as Json) : {} };
}

const errorOf = ({ json }: Reply): Json => json['error'] as Json;
const idIn = ({ status, json, text }: Reply): string => {
  if (status !== 200) throw new Error(text);
  return String(json['id']);
};

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Every row of every table, as text; bytes as their characters, too. */
async function everyRow(url: string): Promise<string> {
  const tables = await query(
    url,
    "select schemaname || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  let all = '';
  for (const { name } of tables)
    for (const { row } of await query(url, `select to_jsonb(t)::text as row from ${String(name)} t`)) {
      const text = String(row);
      all += `${text}\n`;
      for (const [, hex = ''] of text.matchAll(/\\\\x([0-9a-f]{8,})/g))
        all += Buffer.from(hex, 'hex').toString('latin1');
    }
  return all;
}

async function everyFile(folder: string): Promise<string> {
  let all = '';
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) all += await readFile(join(entry.parentPath, entry.name), 'latin1');
  return all;
}

const CANARY = 'ostrich-lantern-7141';
/** In any spelling that a careless writer might leave. */
const SPELLINGS = [CANARY, Buffer.from(CANARY).toString('base64').slice(0, 24), Buffer.from(CANARY).toString('hex')];
const found = (text: string): readonly string[] => SPELLINGS.filter((spelling) => text.includes(spelling));

const totalOf = async (url: string, account: string): Promise<number> =>
  Number((await query(url, `select bytes from stored_totals where account_id = '${account}'`))[0]?.['bytes'] ?? 0);

let stand: AdminStand;
let acme: string;
let other: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trivium-state-'));
  stand = await openStoredStand({ blobs: { folder } });
  ({ secret: acme } = await stand.newAccount('acme'));
  ({ secret: other } = await stand.newAccount('other'));
});
afterAll(async () => {
  await stand.close();
  await rm(folder, { recursive: true, force: true });
});

const make = (body: Json, secret = acme, at: { readonly chatUrl: string } = stand): Promise<Reply> =>
  send(at, secret, 'POST', '/responses', { model: CHAT, input: 'Hello', ...body });
/** In the background, with its events; gives its id once it has ended. */
async function makeBehind(input: string, secret = acme): Promise<string> {
  const { text } = await make({ model: OWN, input, background: true, stream: true }, secret);
  const id = /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? '';
  await vi.waitFor(
    async () => expect((await send(stand, secret, 'GET', `/responses/${id}`)).json['status']).toBe('completed'),
    { timeout: 10_000 },
  );
  return id;
}
const upstreamCalls = (): number => stand.simulator.truth.read().length;
const sent = (): string => JSON.stringify(stand.simulator.truth.read().at(-1));

test('[R-68] ids of others, of deleted, expired and guessed, and crooked paths find nothing in 500 tries', async () => {
  const mine = idIn(await make({ input: CANARY }));
  const conversation = idIn(
    await send(stand, acme, 'POST', '/conversations', { items: [{ role: 'user', content: CANARY }] }),
  );
  const item = String(
    ((await send(stand, acme, 'GET', `/conversations/${conversation}/items`)).json['data'] as Json[])[0]?.['id'],
  );
  const deleted = idIn(await make({}));
  await send(stand, acme, 'DELETE', `/responses/${deleted}`);
  const expired = idIn(await make({}));
  await query(stand.database.url, `update stored_responses set expires_at = now() where id = '${expired}'`);
  const guesses = Array.from(
    { length: 110 },
    (_, at) => `${mine.slice(0, -2)}${at.toString(32).toUpperCase().padStart(2, '0')}`,
  );
  const crooked = ['resp_%2e%2e', '..%2fkeys', 'resp_%00', "resp_'%3b--", '%25', 'resp_%F0%9F%92%A9', 'x'.repeat(300)];
  crooked.push('/resp_1', '..%2f..%2fresponses%2fresp_1', '%2e%2e%2fx', 'resp_1%5c..', 'resp_1%0a', '.%00', '%c3%28');
  const tries: (readonly [string, string, string])[] = [];
  for (const id of [...[deleted, expired], ...guesses.filter((guess) => guess !== mine), ...crooked])
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/input_items'],
      ['POST', '/cancel'],
    ] as const)
      tries.push([acme, method, `/responses/${id}${rest}`]);
  for (const id of [mine, expired])
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/input_items'],
      ['POST', '/cancel'],
    ] as const)
      tries.push([other, method, `/responses/${id}${rest}`]);
  for (const id of [conversation, ...crooked])
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/items'],
      ['GET', `/items/${item}`],
      ['DELETE', `/items/${item}`],
    ] as const)
      tries.push([other, method, `/conversations/${id}${rest}`]);
  for (const rest of ['', '/items']) tries.push([other, 'POST', `/conversations/${conversation}${rest}`]);
  expect(tries.length).toBeGreaterThanOrEqual(500);
  const answers = await Promise.all(
    tries.map(async ([secret, method, path]) => {
      const isWriting = method === 'POST' && !path.endsWith('/cancel');
      const reply = await send(
        stand,
        secret,
        method,
        path,
        isWriting ? { metadata: {}, items: [{ role: 'user', content: 'x' }] } : undefined,
      );
      return { path: `${method} ${path}`, status: reply.status, leaks: reply.text.includes(CANARY) };
    }),
  );
  expect(answers.filter(({ status, leaks }) => leaks || status !== 404)).toEqual([]);
  expect((await send(stand, acme, 'GET', `/responses/${mine}`)).status).toBe(200);
  expect((await send(stand, acme, 'GET', `/conversations/${conversation}/items/${item}`)).text).toContain(CANARY);
});

test('[R-68] references to what belongs to others reach no upstream', async () => {
  const theirs = await make({ input: CANARY }, other);
  const theirItem = String((theirs.json['output'] as Json[])[0]?.['id']);
  const conversation = idIn(await send(stand, other, 'POST', '/conversations', {}));
  const before = upstreamCalls();
  for (const id of [idIn(theirs), 'resp_1', 'resp_\u0000', '', 'x'.repeat(500)]) {
    const reply = await make({ previous_response_id: id });
    expect([reply.status, errorOf(reply)]).toEqual([
      400,
      {
        message: expect.stringContaining('not found'),
        type: 'invalid_request_error',
        param: 'previous_response_id',
        code: 'previous_response_not_found',
      },
    ]);
  }
  for (const reference of [
    { type: 'item_reference', id: theirItem },
    { id: theirItem },
    { type: null, id: theirItem },
  ]) {
    const reply = await make({ input: [{ role: 'user', content: 'x' }, reference] });
    expect([reply.status, errorOf(reply)['param']]).toEqual([404, 'input[1]']);
  }
  for (const id of [conversation, { id: conversation }, 'conv_1', 'conv_\u0000'])
    expect(await make({ conversation: id })).toMatchObject({ status: 404, json: { error: { param: 'conversation' } } });
  expect(upstreamCalls()).toBe(before);
});

test.each([
  ['both references', { previous_response_id: 'resp_1', conversation: 'conv_1' }, 'previous_response_id'],
  ['a conversation without store', { conversation: 'conv_1', store: false }, 'store'],
  ['a number', { previous_response_id: 5 }, 'previous_response_id'],
  ['a list', { conversation: ['conv_1'] }, 'conversation'],
  ['a prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['background without store', { background: true, store: false }, 'background'],
])('[R-67] %s is refused by name', async (_, members, field) => {
  const before = upstreamCalls();
  expect(await make(members)).toMatchObject({ status: 400, json: { error: { param: field } } });
  expect(upstreamCalls()).toBe(before);
});

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

test('nothing of it lies in plain text in the database or in the folder of blobs', async () => {
  const said = `${CANARY} ${'a'.repeat(200)}`;
  for (const model of [OWN, CHAT, MESSAGES, GOOGLE]) {
    const first = idIn(await make({ model, input: said, instructions: CANARY }));
    expect((await make({ model, input: said, previous_response_id: first })).text).toContain(CANARY);
  }
  const conversation = idIn(
    await send(stand, acme, 'POST', '/conversations', {
      items: [{ role: 'user', content: said }],
      metadata: { canary: CANARY },
    }),
  );
  await make({ input: said, conversation });
  const behind = await makeBehind(said);
  expect((await send(stand, acme, 'GET', `/responses/${behind}?stream=true`)).text).toContain(CANARY);
  expect((await send(stand, acme, 'GET', `/conversations/${conversation}`)).text).toContain(CANARY);
  expect(await totalOf(stand.database.url, 'acme')).toBeGreaterThan(1000);
  const everything = (await everyRow(stand.database.url)) + (await everyFile(folder));
  expect(everything.length).toBeGreaterThan(10_000);
  expect(found(everything)).toEqual([]);
});

test('[R-65] store: false stores nothing, and neither does a gateway that was not told to', async () => {
  const { secret } = await stand.newAccount('frugal');
  const mine = await make({ input: CANARY, store: false }, secret);
  expect([mine.json['store'], (await send(stand, secret, 'GET', `/responses/${idIn(mine)}`)).status]).toEqual([
    false,
    404,
  ]);
  await (await make({ input: CANARY, store: false, stream: true }, secret)).text;
  expect(await totalOf(stand.database.url, 'frugal')).toBe(0);
  expect(await query(stand.database.url, "select from capture_keys where account_id = 'frugal'")).toEqual([]);
  const own = await mkdtemp(join(tmpdir(), 'trivium-state-'));
  const plain = await openAdminStand({
    alsoHosts: withConverse(responsesHosts),
    config: () => ({ secrets: { keys: [SECRETS_KEY] }, blobs: { folder: own } }),
  });
  try {
    const account = await plain.newAccount('plain');
    for (const model of Object.values(HOSTS))
      for (const stream of [true, false])
        expect((await make({ model, input: CANARY, stream }, account.secret, plain)).status).toBe(200);
    const asked = await make({ input: CANARY, store: true }, account.secret, plain);
    expect([asked.json['store'], asked.headers.get('x-trivium-losses')]).toEqual([false, 'store']);
    for (const members of [
      { previous_response_id: 'resp_1' },
      { conversation: 'conv_1' },
      { input: [{ type: 'item_reference', id: 'msg_1' }] },
    ]) {
      const refused = await make(members, account.secret, plain);
      expect([refused.status, String(errorOf(refused)['message'])]).toEqual([
        400,
        expect.stringContaining('state.keepHours'),
      ]);
    }
    expect(await send(plain, account.secret, 'POST', '/conversations', {})).toMatchObject({
      status: 404,
      json: { error: { message: expect.stringContaining('state.keepHours') } },
    });
    expect(found((await everyRow(plain.database.url)) + (await everyFile(own)))).toEqual([]);
    expect(await query(plain.database.url, 'select from stored_totals')).toEqual([]);
  } finally {
    await plain.close();
    await rm(own, { recursive: true, force: true });
  }
});

test('erasing the content of an account deletes all of it, and copies put back cannot be read', async () => {
  const { secret } = await stand.newAccount('leaver');
  const id = idIn(await make({ input: CANARY }, secret));
  const conversation = idIn(
    await send(stand, secret, 'POST', '/conversations', { items: [{ role: 'user', content: CANARY }] }),
  );
  const behind = await makeBehind(CANARY, secret);
  const url = stand.database.url;
  const tables = ['stored_responses', 'conversations', 'conversation_items', 'background_jobs', 'background_events'];
  for (const table of tables)
    await query(url, `create table copy_of_${table} as select * from ${table} where account_id = 'leaver'`);
  expect((await stand.admin('DELETE', '/accounts/leaver/records')).status).toBe(200);
  expect(await totalOf(url, 'leaver')).toBe(0);
  for (const table of tables) expect(await query(url, `select from ${table} where account_id = 'leaver'`)).toEqual([]);
  // A new key, so that the copies have something to refer to.
  const later = idIn(await make({ input: 'later' }, secret));
  for (const table of tables) await query(url, `insert into ${table} select * from copy_of_${table}`);
  const tries = [
    `/responses/${id}`,
    `/responses/${id}/input_items`,
    `/responses/${behind}`,
    `/responses/${behind}?stream=true`,
    `/conversations/${conversation}`,
    `/conversations/${conversation}/items`,
  ];
  for (const path of tries) expect((await send(stand, secret, 'GET', path)).status).toBe(404);
  // Passed off as the new key's.
  for (const table of ['stored_responses', 'background_jobs', 'background_events'])
    await query(
      url,
      `update ${table} set data_key_id = (select id from capture_keys where account_id = 'leaver') where account_id = 'leaver'`,
    );
  for (const path of [id, behind, `${behind}?stream=true`])
    expect((await send(stand, secret, 'GET', `/responses/${path}`)).text).not.toContain(CANARY);
  expect((await make({ previous_response_id: id }, secret)).status).not.toBe(200);
  expect((await send(stand, secret, 'GET', `/responses/${later}`)).status).toBe(200);
  for (const table of tables) await query(url, `drop table copy_of_${table}`);
});

test('erasing the content of an account ends what is made of it in the background: no more is asked for, and what was used is charged', async () => {
  const { secret } = await stand.newAccount('eraser');
  const url = stand.database.url;
  const input = `${CANARY} @simulate scenario=text-long words=4000 tps=100`;
  const following = await fetch(`${stand.chatUrl}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'priced/flat', input, background: true, stream: true }),
  });
  let text = '';
  const decoder = new TextDecoder();
  const reading = (async () => {
    for await (const piece of following.body ?? []) text += decoder.decode(piece, { stream: true });
  })().catch((error: unknown) => error);
  await waitUntil('a part of the answer', () => text.includes('output_text.delta'));
  const id = /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? '';
  expect((await stand.admin('DELETE', '/accounts/eraser/records')).status).toBe(200);
  expect(await reading).toBeInstanceOf(Error);
  expect(text).not.toContain('event: response.completed');
  await waitUntil('the end of the upstream call', () => stand.gateway.gauges.upstreamExchanges === 0);
  const money = `select h.state, e.amount = u.cost_nano as "isExact", e.amount > 0 as "isCharged" from ledger_holds h
    left join ledger_entries e on e.id = h.id left join usage_events u on u.request_id = h.id where h.account_id = 'eraser'`;
  await vi.waitFor(
    async () => expect(await query(url, money)).toEqual([{ state: 'settled', isExact: true, isCharged: true }]),
    { timeout: 10_000 },
  );
  for (const table of ['capture_keys', 'background_jobs', 'background_events', 'stored_responses'])
    expect(await query(url, `select from ${table} where account_id = 'eraser'`)).toEqual([]);
  expect([await totalOf(url, 'eraser'), (await send(stand, secret, 'GET', `/responses/${id}`)).status]).toEqual([
    0, 404,
  ]);
});

test('a full account is told so before the call, by the name of the setting, until it deletes something', async () => {
  const small = await openStoredStand({ state: { keepHours: 1, accountBytes: 1_048_576 } });
  try {
    const { secret } = await small.newAccount('hoarder');
    const noise = Array.from({ length: 1_500_000 }, () =>
      String.fromCharCode(33 + Math.floor(Math.random() * 90)),
    ).join('');
    const large = idIn(await make({ input: noise }, secret, small));
    const before = small.simulator.truth.read().length;
    const refused = await make({}, secret, small);
    expect([refused.status, errorOf(refused)]).toEqual([
      413,
      expect.objectContaining({
        code: 'storage_quota_exceeded',
        param: 'store',
        message: expect.stringContaining('state.accountBytes'),
      }),
    ]);
    expect((await send(small, secret, 'POST', '/conversations', {})).status).toBe(413);
    expect(small.simulator.truth.read().length).toBe(before);
    expect((await make({ store: false }, secret, small)).status).toBe(200);
    expect((await send(small, secret, 'DELETE', `/responses/${large}`)).status).toBe(200);
    expect((await make({}, secret, small)).status).toBe(200);
  } finally {
    await small.close();
  }
});

test('expired content is not read, and its rows go', async () => {
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

test('[R-70] answers that race into one conversation are each added whole, and once', async () => {
  const conversation = idIn(await send(stand, acme, 'POST', '/conversations', {}));
  const names = Array.from({ length: 12 }, (_, at) => `racer-${at}-`);
  const replies = await Promise.all(
    names.map((name, at) =>
      make({ model: [CHAT, OWN, MESSAGES][at % 3], input: name, conversation, stream: at % 2 === 0 }),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(names.map(() => 200));
  const { json } = await send(stand, acme, 'GET', `/conversations/${conversation}/items?order=asc&limit=100`);
  const items = json['data'] as Json[];
  expect(items.map(({ role }) => role)).toEqual(names.flatMap(() => ['user', 'assistant']));
  expect(new Set(items.map(({ id }) => id)).size).toBe(2 * names.length);
  const asked = items.filter((_, at) => at % 2 === 0).map(({ content }) => (content as Json[])[0]?.['text']);
  expect(asked.toSorted()).toEqual(names.toSorted());
  // Each answer, which repeats what it was asked, follows its own question.
  for (const [at, name] of asked.entries()) expect(JSON.stringify(items[2 * at + 1])).toContain(String(name));
});

test('[R-65] a response is there for another node before its caller has the last event', async () => {
  const second = await startGateway({ config: stand.config() });
  try {
    for (const model of Object.values(HOSTS)) {
      const response = await fetch(`${stand.chatUrl}/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${acme}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: 'Hello there', stream: true }),
      });
      let text = '';
      let read: Reply | undefined;
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) {
        text += decoder.decode(piece, { stream: true });
        if (read !== undefined || !text.includes('event: response.completed')) continue;
        const id = /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? '';
        read = await send({ chatUrl: `${second.url}/api/v1` }, acme, 'GET', `/responses/${id}`);
      }
      expect([read?.status, read?.json['status']]).toEqual([200, 'completed']);
    }
  } finally {
    await second.close();
  }
});

test('[R-81] a frame that asks for a response in the background is refused by name, and the connection stays', async () => {
  const client = await SocketClient.open(`${stand.chatUrl}/responses`, { authorization: `Bearer ${acme}` });
  const before = upstreamCalls();
  for (const more of [{}, { generate: false }, { stream_id: 'a' }]) {
    const refused = await client.create({ model: OWN, input: 'Hello', background: true, ...more });
    const error = { type: 'invalid_request_error', param: 'background' };
    expect(refused).toMatchObject([{ type: 'error', status: 400, error }]);
  }
  expect(upstreamCalls()).toBe(before);
  for (const background of [false, null]) {
    const events = await client.create({ model: OWN, input: 'Hello', background });
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { background: false } });
  }
  await client.close();
});

test('sealed reasoning goes back to its owner only', async () => {
  const thinking = { input: 'Think. @simulate scenario=reasoning', reasoning: { effort: 'high', summary: 'auto' } };
  const first = await make({ model: OWN_THINKER, ...thinking });
  const item = (first.json['output'] as Json[]).find(({ type }) => type === 'reasoning');
  const seal = String(item?.['encrypted_content']);
  expect(seal.length).toBeGreaterThan(10);
  const previous_response_id = idIn(first);
  await make({ model: OWN_THINKER, input: 'Go on', previous_response_id });
  expect(sent()).toContain(seal);
  for (const model of [CHAT, MESSAGES, GOOGLE]) {
    expect((await make({ model, input: 'Go on', previous_response_id })).status).toBe(200);
    expect(sent()).not.toContain(seal);
    expect(sent()).toContain('Think.');
  }
});

test('a conversation too large for this thread is stored and goes on like any other', async () => {
  const input = Array.from({ length: 7000 }, (_, at) => ({
    role: 'user',
    content: `line ${at} of many in this long one`,
  }));
  const first = idIn(await make({ model: OWN, input }));
  expect((await make({ model: MESSAGES, input: 'And?', previous_response_id: first })).status).toBe(200);
  expect(sent()).toContain('line 6999');
});

// The large one is set aside while its request is read.
test.each([0, 600_000])('pictures with %d more characters are part of what is stored', async (more) => {
  const picture = `${PIXEL_URL.replace(/=+$/, '')}${'A'.repeat(more)}`;
  const image_url = picture + '='.repeat((4 - ((picture.split(',')[1] ?? '').length % 4)) % 4);
  const content = [
    { type: 'input_text', text: 'Look' },
    { type: 'input_image', image_url },
  ];
  const first = await make({ model: OWN, input: [{ role: 'user', content }] });
  const items = await send(stand, acme, 'GET', `/responses/${idIn(first)}/input_items`);
  expect(JSON.stringify(items.json).includes(image_url)).toBe(true);
  expect((await make({ model: OWN, input: 'What was it?', previous_response_id: idIn(first) })).status).toBe(200);
  expect(sent().includes(image_url.slice(-80))).toBe(true);
});

test('a repeated Idempotency-Key gets the response that was stored', async () => {
  const key = { 'idempotency-key': 'state-1' };
  const body = { model: CHAT, input: 'Once' };
  const [first, second] = [
    await send(stand, acme, 'POST', '/responses', body, key),
    await send(stand, acme, 'POST', '/responses', body, key),
  ];
  expect(second.text).toBe(first.text);
  expect((await send(stand, acme, 'GET', `/responses/${idIn(first)}`)).json).toEqual(first.json);
});

test('answers by Idempotency-Key lie encrypted, and cannot be read once the content of the account is erased', async () => {
  const { secret } = await stand.newAccount('repeater');
  const url = stand.database.url;
  const ask = (at: { readonly chatUrl: string } = stand): Promise<Reply> =>
    send(
      at,
      secret,
      'POST',
      '/responses',
      { model: CHAT, input: CANARY, store: false },
      { 'idempotency-key': 'sealed-1' },
    );
  const rowOf = (): Promise<Record<string, unknown>[]> =>
    query(url, "select state, answer, body, sealed is not null as sealed from repeats where account_id = 'repeater'");
  const first = await ask();
  expect(first.text).toContain(CANARY);
  const kept = { state: 'kept', answer: null, body: null, sealed: true };
  await vi.waitFor(async () => expect(await rowOf()).toEqual([kept]));
  expect(found(await everyRow(url))).toEqual([]);
  const second = await startGateway({ config: stand.config() });
  try {
    const calls = upstreamCalls();
    expect((await ask({ chatUrl: `${second.url}/api/v1` })).text).toBe(first.text);
    await query(url, "create table copy_of_repeats as select * from repeats where account_id = 'repeater'");
    expect((await stand.admin('DELETE', '/accounts/repeater/records')).status).toBe(200);
    expect(await rowOf()).toEqual([]);
    // A new key, which the copy is passed off as encrypted with.
    await make({ input: 'later' }, secret);
    await query(
      url,
      "update copy_of_repeats set data_key_id = (select id from capture_keys where account_id = 'repeater')",
    );
    await query(url, 'insert into repeats select * from copy_of_repeats');
    await query(url, 'drop table copy_of_repeats');
    const third = await startGateway({ config: stand.config() });
    try {
      const reply = await ask({ chatUrl: `${third.url}/api/v1` });
      expect([reply.status, reply.text.includes(CANARY)]).toEqual([503, false]);
    } finally {
      await third.close();
    }
    expect(upstreamCalls()).toBe(calls + 1);
  } finally {
    await second.close();
  }
});

test('an answer by Idempotency-Key is not repeated once it is erased, by the process that gave it either', async () => {
  const { secret } = await stand.newAccount('forgotten');
  const key = { 'idempotency-key': 'erased-1' };
  const ask = (): Promise<Reply> =>
    send(stand, secret, 'POST', '/responses', { model: CHAT, input: CANARY, store: false }, key);
  const first = await ask();
  expect((await ask()).text).toBe(first.text);
  const rows = "select state from repeats where account_id = 'forgotten'";
  await vi.waitFor(async () => expect(await query(stand.database.url, rows)).toEqual([{ state: 'kept' }]));
  expect((await stand.admin('DELETE', '/accounts/forgotten/records')).status).toBe(200);
  const calls = upstreamCalls();
  const again = await ask();
  expect([again.status, again.headers.get('x-trivium-replayed'), upstreamCalls()]).toEqual([200, null, calls + 1]);
});

test('captured content has the answer, although it waited for the store', async () => {
  const { secret } = await stand.newAccount('seen');
  await stand.admin('PATCH', '/accounts/seen/records', {
    bodies: 'all',
    until: new Date(Date.now() + 3_600_000).toISOString(),
  });
  for (const stream of [false, true]) {
    const { headers } = await make({ stream }, secret);
    const wire = await vi.waitFor(async () => {
      const { json } = await stand.admin('GET', `/requests/${headers.get('x-request-id')}/wire`);
      expect(json).toMatchObject({ captured: true });
      return JSON.stringify((json['panes'] as Json)['callerResponse']);
    });
    expect(wire).toContain('resp_');
    if (stream) expect(wire).toContain('response.completed');
  }
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

  test('its caller is refused before the call, and never answered without state', async () => {
    const first = idIn(await make({}, secret, proxied));
    const before = proxied.simulator.truth.read().length;
    isUp = false;
    for (const socket of sockets) socket.destroy();
    try {
      for (const members of [
        {},
        { stream: true },
        { previous_response_id: first },
        { previous_response_id: first, store: false },
      ]) {
        const reply = await make(members, secret, proxied);
        expect([reply.status, String(errorOf(reply)['message'])]).toEqual([
          503,
          expect.stringContaining('store: false'),
        ]);
      }
      expect((await send(proxied, secret, 'GET', `/responses/${first}`)).status).toBe(503);
      expect(proxied.simulator.truth.read().length).toBe(before);
      expect((await make({ store: false }, secret, proxied)).status).toBe(200);
    } finally {
      isUp = true;
    }
    expect((await make({ previous_response_id: first }, secret, proxied)).status).toBe(200);
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
