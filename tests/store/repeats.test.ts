// One Idempotency-Key makes one call, across nodes that share only the database.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { AnswerSeals } from '../../packages/gateway/src/calls/idempotency/answer-seals.ts';
import { PostgresIdempotencyStore } from '../../packages/gateway/src/calls/idempotency/postgres-store.ts';
import { StoredCaptures } from '../../packages/gateway/src/control/wire/rows.ts';
import type { IdempotencyClaim, Reservation, StoredAnswer } from '../../packages/gateway/src/kernel/idempotency.ts';
import { Vault } from '../../packages/gateway/src/people/secrets/vault.ts';
import { RepeatRows } from '../../packages/gateway/src/store/postgres/repeat-rows.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const ANSWER: StoredAnswer = {
  status: 200,
  headers: ['content-type', 'application/json'],
  body: '{"said":"hëllo \\u0000"}',
  streamed: true,
  trailers: { 'x-trivium-losses': 'seed' },
  complete: true,
};
/** Accounts of the configuration file have no key. */
const UNSEALED = new AnswerSeals({
  isReady: false,
  dataKeyFor: () => Promise.reject(new Error('there is no key')),
  findDataKey: () => Promise.resolve(undefined),
});
const VAULT = new Vault(['a-key-for-answers-0123456789abcdefghijkl']);
/** In ms: long enough that no live node on a slow machine counts as crashed. */
const ALIVE_MS = 60_000;

let database: TestDatabase;
let store: Store;
const nodes: PostgresIdempotencyStore[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
});
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.close()));
});
afterAll(async () => {
  await store.close();
  await database.drop();
});

type NodeOptions = {
  readonly seals?: AnswerSeals;
  readonly aliveMs?: number;
  readonly renewMs?: number;
  readonly waitMs?: number;
  readonly ttlMs?: number;
};
function node(
  name: string,
  { seals = UNSEALED, aliveMs = ALIVE_MS, renewMs = ALIVE_MS, waitMs = 20_000, ttlMs = 86_400_000 }: NodeOptions = {},
) {
  const repeats = new PostgresIdempotencyStore({
    rows: new RepeatRows(store, name, aliveMs),
    seals,
    bounds: () => ({ maxAnswerBytes: 1000, maxEntries: 10, maxBytes: 10_000, ttlMs, waitMs }),
    renewMs,
    nowMs: () => performance.now(),
    onTrouble: (error) => {
      throw error;
    },
  });
  nodes.push(repeats);
  return repeats;
}
let keys = 0;
const newKey = (): string => `key-${keys++}`;
const request = (key: string, requestId = 'r1', more: object = {}) => ({
  accountId: 'a',
  key,
  content: 'body',
  requestId,
  ...more,
});
function keepingOf(claim: IdempotencyClaim): Reservation {
  if (claim.kind !== 'first') throw new Error(`is ${claim.kind}`);
  return claim.keeping;
}
const rowsOf = (key: string) =>
  store.within(OPERATOR, (db) =>
    db.selectFrom('repeats').select(['request_id', 'state']).where('key', '=', key).execute(),
  );

test('of forty concurrent requests on two nodes exactly one makes the call, and all get its answer', async () => {
  const key = newKey();
  const pair = [node('a'), node('b')];
  let made = 0;
  const claims = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const claim = await pair[n % 2]!.claim(request(key, `r${n}`));
      if (claim.kind !== 'first') return claim;
      made += 1;
      claim.keeping.keep(ANSWER);
      return { kind: 'kept', answer: ANSWER };
    }),
  );
  expect(made).toBe(1);
  expect(claims).toEqual(claims.map(() => ({ kind: 'kept', answer: ANSWER })));
});

test('a different body with the same key is refused on every node', async () => {
  const key = newKey();
  await node('a').claim(request(key));
  expect(await node('b').claim(request(key, 'r2', { content: 'other' }))).toEqual({ kind: 'other-content' });
});

test('an answer too long to store is reported on every node', async () => {
  const key = newKey();
  const first = node('a');
  keepingOf(await first.claim(request(key))).tooLong();
  await first.close();
  expect(await node('b').claim(request(key, 'r2'))).toEqual({ kind: 'too-long', requestId: 'r1' });
});

test('where answers are encrypted, those of accounts of the configuration file are stored as they are, and repeated', async () => {
  const seals = new AnswerSeals(new StoredCaptures(store, () => VAULT));
  await store.within(OPERATOR, (db) =>
    db.insertInto('accounts').values({ id: 'stored', name: 'stored', kind: 'unlimited' }).execute(),
  );
  for (const [accountId, isSealed] of [
    ['of-a-file', false],
    ['stored', true],
  ] as const) {
    const [first, second] = [request(newKey(), 'r1', { accountId }), node('b', { seals })];
    keepingOf(await node('a', { seals }).claim(first)).keep(ANSWER);
    expect(await second.claim({ ...first, requestId: 'r2' })).toEqual({ kind: 'kept', answer: ANSWER });
    const row = await store.within(OPERATOR, (db) =>
      db.selectFrom('repeats').select(['sealed', 'body']).where('key', '=', first.key).executeTakeFirst(),
    );
    expect([row?.sealed != null, row?.body != null]).toEqual([isSealed, !isSealed]);
  }
});

test('a released key goes to a waiting request', async () => {
  const key = newKey();
  const keeping = keepingOf(await node('a').claim(request(key)));
  const waiting = node('b').claim(request(key, 'r2'));
  keeping.forget();
  expect(await waiting).toMatchObject({ kind: 'first' });
});

describe('a node that crashes', () => {
  test('a crashed node loses its keys to a waiting request, and its late writes are ignored', async () => {
    const key = newKey();
    const dead = node('dead', { aliveMs: 1 });
    const keeping = keepingOf(await dead.claim(request(key)));
    const takenOver = keepingOf(await node('b').claim(request(key, 'r2')));
    keeping.keep({ ...ANSWER, body: 'late' });
    await dead.close();
    expect(await rowsOf(key)).toEqual([{ request_id: 'r2', state: 'running' }]);
    takenOver.keep(ANSWER);
    expect(await node('c').claim(request(key, 'r3'))).toEqual({ kind: 'kept', answer: ANSWER });
  });

  test('a node keeps its keys while it renews them', async () => {
    const key = newKey();
    await node('alive', { aliveMs: 2000, renewMs: 100 }).claim(request(key));
    await expect(node('b', { waitMs: 3000 }).claim(request(key, 'r2'))).rejects.toMatchObject({
      fault: { kind: 'overloaded' },
    });
    expect(await rowsOf(key)).toEqual([{ request_id: 'r1', state: 'running' }]);
  });
});

test('an expired key is free again, and is swept', async () => {
  const key = newKey();
  // A key of 0 ms has expired for every later transaction, however fast that one follows.
  const first = node('a', { ttlMs: 0 });
  keepingOf(await first.claim(request(key))).keep(ANSWER);
  await first.close();
  expect(await node('b', { ttlMs: 0 }).claim(request(key, 'r2'))).toMatchObject({ kind: 'first' });
  await new RepeatRows(store, 'sweeper', ALIVE_MS).sweep();
  expect(await rowsOf(key)).toEqual([]);
});

test("accounts do not see each other's keys", async () => {
  const key = newKey();
  await node('a').claim(request(key));
  expect(await node('b').claim(request(key, 'r2', { accountId: 'other' }))).toMatchObject({ kind: 'first' });
  const seen = await store.within('other', (db) => db.selectFrom('repeats').select('request_id').execute());
  expect(seen).toEqual([{ request_id: 'r2' }]);
});

test('without the database a request with a key is refused, and no call is made', async () => {
  const unreachable = new Store({ ...database.settings, url: 'postgres://nobody@127.0.0.1:1/none', connectMs: 200 });
  const repeats = new PostgresIdempotencyStore({
    rows: new RepeatRows(unreachable, 'a', ALIVE_MS),
    seals: UNSEALED,
    bounds: () => ({ maxAnswerBytes: 1000, maxEntries: 10, maxBytes: 10_000, ttlMs: 1000, waitMs: 1000 }),
    renewMs: ALIVE_MS,
    nowMs: () => performance.now(),
    onTrouble: () => undefined,
  });
  await expect(repeats.claim(request(newKey()))).rejects.toMatchObject({ fault: { kind: 'overloaded' } });
  await repeats.close();
  await unreachable.close();
});
