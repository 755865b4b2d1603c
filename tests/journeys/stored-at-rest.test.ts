// How stored content lies there: encrypted or not at all, and unreadable once its account is erased.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '@trivium/gateway';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { withConverse } from '../support/converse-host.ts';
import { CHAT, GOOGLE, type Json, MESSAGES, OWN, responsesHosts } from '../support/responses-probe.ts';
import {
  type At,
  CANARY,
  errorOf,
  everyFile,
  everyRow,
  found,
  idIn,
  makeAt,
  makeBehind,
  query,
  type Reply,
  send,
  totalOf,
} from '../support/stored-calls.ts';
import { HOSTS, openStoredStand, SECRETS_KEY } from '../support/stored-checks.ts';

let stand: AdminStand;
let acme: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trivium-state-'));
  stand = await openStoredStand({ blobs: { folder } });
  ({ secret: acme } = await stand.newAccount('acme'));
});
afterAll(async () => {
  await stand.close();
  await rm(folder, { recursive: true, force: true });
});

const make = (body: Json, secret = acme, at: At = stand): Promise<Reply> => makeAt(at, secret, body);
const upstreamCalls = (): number => stand.simulator.truth.read().length;

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
  const behind = await makeBehind(stand, acme, said);
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
  const behind = await makeBehind(stand, secret, CANARY);
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
