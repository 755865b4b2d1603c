// How stored content lies there: encrypted or not at all, and unreadable once its account is erased.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '@trivium/gateway';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AdminStand, openAdminStand } from '../support/admin-stand.ts';
import { callEverywhere } from '../support/canary-calls.ts';
import { withConverse } from '../support/converse-host.ts';
import { CHAT, GOOGLE, type Json, MESSAGES, OWN, responsesHosts } from '../support/responses-probe.ts';
import {
  type At,
  CANARY,
  errorOf,
  everyFile,
  everyRow,
  found,
  foundInPages,
  idIn,
  logOf,
  makeAt,
  makeBehind,
  query,
  type Reply,
  send,
  totalOf,
} from '../support/stored-calls.ts';
import { openStoredStand, SECRETS_KEY } from '../support/stored-checks.ts';
import { waitUntil } from '../support/wait-until.ts';

let stand: AdminStand;
let acme: string;
let folder: string;
let log: string;
const foldersIn = (own: string) => ({
  blobs: { folder: join(own, 'blobs') },
  ledger: { journal: join(own, 'journal') },
});
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trivium-state-'));
  stand = await openStoredStand({ state: { keepHours: 1, backgroundPerAccount: 1 }, ...foldersIn(folder) });
  log = await logOf(stand.database.url);
  ({ secret: acme } = await stand.newAccount('acme'));
});
afterAll(async () => {
  await stand.close();
  await rm(folder, { recursive: true, force: true });
});

const make = (body: Json, secret = acme, at: At = stand): Promise<Reply> => makeAt(at, secret, body);
const upstreamCalls = (): number => stand.simulator.truth.read().length;

const WITHIN = { timeout: 20_000 };

/** Spellings of the canary in rows, in folders, and in the database's own files, once all records are written. */
async function leftOf(at: AdminStand, account: string, kept: string, since: string): Promise<readonly string[]> {
  const url = at.database.url;
  const during = await everyFile(kept);
  const records = at.records.filter(({ accountId }) => accountId === account).length;
  expect(records).toBeGreaterThan(0);
  await vi.waitFor(async () => {
    const written = await query(url, `select from usage_events where account_id = '${account}'`);
    // Refused calls may have records, too.
    expect(written.length).toBeGreaterThanOrEqual(records);
  }, WITHIN);
  expect(during.length).toBeGreaterThan(1000);
  const rows = await everyRow(url);
  expect(rows.length).toBeGreaterThan(10_000);
  return [...found(during), ...found(rows), ...found(await everyFile(kept)), ...(await foundInPages(url, since))];
}

test('nothing of it lies in plain text in the database, its files, the journal, or the folder of blobs', async () => {
  const said = `${CANARY} ${'a'.repeat(200)}`;
  for (const model of [OWN, CHAT, MESSAGES, GOOGLE]) {
    const first = idIn(await make({ model, input: said, instructions: CANARY }));
    expect((await make({ model, input: said, previous_response_id: first })).text).toContain(CANARY);
  }
  await callEverywhere(stand, acme, CANARY);
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
  expect(await leftOf(stand, 'acme', folder, log)).toEqual([]);
});

test('nothing of it does while a response is queued or made in the background, either', async () => {
  const { secret } = await stand.newAccount('waiting');
  const url = stand.database.url;
  const input = `${CANARY} @simulate scenario=text-long words=4000 tps=100`;
  const body = { input, instructions: CANARY, background: true };
  const response = await fetch(`${stand.chatUrl}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, model: OWN, stream: true }),
  });
  const events = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const running = /"id":"(resp_[^"]+)"/.exec(String((await events?.read())?.value))?.[1];
  await events?.cancel();
  // One at once of an account: the other waits.
  const ids = [running, idIn(await make({ ...body, model: CHAT }, secret))];
  await vi.waitFor(async () => {
    const jobs = await query(
      url,
      `select state, sealed is not null as "isSealed",
         exists (select from background_events e where e.id = j.id) as "hasEvents"
       from background_jobs j where account_id = 'waiting' order by state`,
    );
    expect(jobs).toEqual([
      { state: 'queued', isSealed: true, hasEvents: false },
      { state: 'running', isSealed: true, hasEvents: true },
    ]);
  }, WITHIN);
  const everything = (await everyRow(url)) + (await everyFile(folder));
  for (const id of ids) expect(everything).toContain(id);
  expect([...found(everything), ...(await foundInPages(url, log))]).toEqual([]);
  for (const id of ids) {
    const { json } = await send(stand, secret, 'POST', `/responses/${id}/cancel`);
    expect(json['status']).toBe('cancelled');
  }
});

test('[R-65] with store: false nothing is stored, over a WebSocket or any other way', async () => {
  const { secret } = await stand.newAccount('frugal');
  const mine = await make({ input: CANARY, store: false }, secret);
  expect([mine.json['store'], (await send(stand, secret, 'GET', `/responses/${idIn(mine)}`)).status]).toEqual([
    false,
    404,
  ]);
  await callEverywhere(stand, secret, CANARY, { store: false });
  expect(await totalOf(stand.database.url, 'frugal')).toBe(0);
  expect(await query(stand.database.url, "select from capture_keys where account_id = 'frugal'")).toEqual([]);
  expect(await leftOf(stand, 'frugal', folder, log)).toEqual([]);
});

test('[R-65] a gateway that was not told to stores nothing, whatever is called', async () => {
  const own = await mkdtemp(join(tmpdir(), 'trivium-state-'));
  const plain = await openAdminStand({
    alsoHosts: withConverse(responsesHosts),
    config: () => ({ secrets: { keys: [SECRETS_KEY] }, ...foldersIn(own) }),
  });
  try {
    const began = await logOf(plain.database.url);
    const account = await plain.newAccount('plain');
    await callEverywhere(plain, account.secret, CANARY);
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
    expect(await leftOf(plain, 'plain', own, began)).toEqual([]);
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
