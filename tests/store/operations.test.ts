import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OperationRows } from '../../packages/gateway/src/control/operations/rows.ts';
import type { NewOperation } from '../../packages/gateway/src/media/operations/operation.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const ACCOUNT = 'studio';
const SPANS = { submitMs: 60_000, deadlineMs: 600_000, keepMs: 600_000 };
const HOLD = { nanoUsd: 1_000n, priceVersion: 'p1', scopes: [], unpriced: [] };
const order = (name: string, idempotencyKey: string): NewOperation => ({
  id: `operation-of-the-test-${name}`,
  accountId: ACCOUNT,
  keyId: 'k',
  requestId: `request-${name}`,
  protocol: 'genai',
  idempotencyKey,
  content: 'a clip',
  model: 'm',
  modelId: 'o/m',
  provider: 'p',
  dialect: 'google-operations',
  routeKey: 'p o/m',
  ordered: {} as NewOperation['ordered'],
  receivedAtMs: Date.now(),
});

let database: TestDatabase;
let client: Client;
let store: Store;
let operations: OperationRows;
beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  store = new Store(database.settings);
  operations = await OperationRows.open(store, { send: async () => undefined });
  await client.query(`insert into ledger_accounts (account_id, kind, overdraft) values ($1, 'prepaid', 0)`, [ACCOUNT]);
});
afterAll(async () => {
  await client.end();
  await store.close();
  await database.drop();
});

const stored = async (): Promise<readonly string[]> =>
  (await client.query('select id from operations order by id')).rows.map(({ id }) => id);

test('an order the account cannot pay for leaves no operation, and its idempotency key free', async () => {
  expect(await operations.open(order('poor', 'free'), HOLD, SPANS)).toMatchObject({ kind: 'too-poor' });
  expect(await stored()).toEqual([]);
  await client.query('select ledger_apply($1::jsonb)', [
    JSON.stringify([{ do: 'deposit', account: ACCOUNT, id: 'd', amount: 1_000_000, memo: '' }]),
  ]);
  expect(await operations.open(order('rich', 'free'), HOLD, SPANS)).toEqual({ kind: 'opened' });
  expect(await stored()).toEqual([order('rich', 'free').id]);
});

test('an order that waits for another under the same idempotency key holds no lock on the account', async () => {
  const first = order('first', 'same');
  await client.query('begin');
  await client.query(
    `insert into operations (id, account_id, key_id, request_id, protocol, idempotency_key, content, model, model_id,
        provider, dialect, route_key, ordered, state, received_at, next_at, deadline_at, expires_at)
      values ($1, $2, 'k', 'request-first', 'genai', 'same', $3, 'm', 'o/m', 'p', 'google-operations', 'p o/m', '{}',
        'submitting', now(), now(), now(), now() + interval '1 hour')`,
    [first.id, ACCOUNT, createHash('sha256').update(first.content).digest()],
  );
  const second = operations.open(order('second', 'same'), HOLD, SPANS);
  const isWaiting = async (): Promise<void> => {
    const { rows } = await client.query(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    expect(rows).toHaveLength(1);
  };
  await vi.waitFor(isWaiting, { timeout: 20_000 });
  // What the end of an operation does: charge the account in the transaction that changes the operation.
  await client.query('select from ledger_accounts where account_id = $1 for update', [ACCOUNT]);
  await client.query('commit');
  expect(await second).toMatchObject({ kind: 'repeated', operation: { id: first.id }, isSame: true });
});

test('polls without progress, and denials among them, are counted in the row, and any node reads the counts', async () => {
  const { id } = order('polled', 'polled');
  expect(await operations.open(order('polled', 'polled'), HOLD, SPANS)).toEqual({ kind: 'opened' });
  const accepted = await operations.move(id, { name: 'accepted', task: { id: 't', path: '/tasks' }, nextInMs: 0 });
  expect(accepted).toMatchObject({ unanswered: 0, denials: 0 });
  const seenNextAt = accepted?.nextAt ?? '';
  await operations.move(id, { name: 'waited', seenNextAt, unanswered: 5, denials: 2, nextInMs: 0 });
  expect(await operations.read(id)).toMatchObject({ unanswered: 5, denials: 2 });
});

test('a page of operations is without the bytes of their clips, which may be megabytes each', async () => {
  const { id } = order('inline', 'inline');
  await operations.open(order('inline', 'inline'), HOLD, SPANS);
  const clips = [
    { mimeType: 'video/mp4', base64: 'AAAA' },
    { mimeType: 'video/mp4', url: 'https://host/clip' },
  ];
  const result = { clips, blocked: [], bill: { usage: {}, estimated: false, nanoUsd: '0' } };
  await client.query(`update operations set state = 'done', finished_at = now(), result = $1 where id = $2`, [
    JSON.stringify(result),
    id,
  ]);
  expect((await operations.find(ACCOUNT, id))?.result).toEqual(result);
  const listed = (await operations.list(ACCOUNT, { limit: 10 })).find((one) => one.id === id);
  expect(listed?.result).toEqual({ ...result, clips: [{ mimeType: 'video/mp4' }, clips[1]] });
  await operations.remove(ACCOUNT, id);
});
