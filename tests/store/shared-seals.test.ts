// A seal issued on one node is restored on another through the shared database.
import { startGateway } from '@trivium/gateway';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type OpenSealMemory, openSealMemory } from '../../packages/gateway/src/calls/seals/open-seal-memory.ts';
import { KeptTurnRows } from '../../packages/gateway/src/store/postgres/kept-turn-rows.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { chatRoad } from '../support/chat-road.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { converse, type Road } from '../support/roads.ts';
import { openStand, type Stand, standConfig } from '../support/stand.ts';

const CLAUDE = 'anthropic/claude-sonnet-4-5';
const SEAL_KEY = 'a key that all nodes share, 0123456789';
const OPTIONS = { tools: ['weather', 'clock'], thinking: true, stream: false };

let database: TestDatabase;
let store: Store;
let one: Stand;
/** Both nodes use the same upstream: seals belong to the host that issued them. */
let other: Stand;
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  const config = () => ({ database: { url: database.url }, seals: { keys: [SEAL_KEY] } });
  one = await openStand({ config });
  const gateway = await startGateway({ config: standConfig(one.simulator.url, { config }) });
  other = { ...one, gateway, url: gateway.url, close: () => gateway.close() };
});
afterAll(async () => {
  await other.close();
  await one.close();
  await store.close();
  await database.drop();
});

const question = (road: Road) => road.user('Look around. @simulate scenario=reasoning-tools');
const keptRows = () => store.within(OPERATOR, (db) => db.selectFrom('kept_turns').selectAll().execute());

test('a caller that does not return seals may continue on another node', async () => {
  const asked = await converse(one, chatRoad, CLAUDE, [question(chatRoad)], OPTIONS);
  expect(asked.calls.length).toBeGreaterThan(0);
  await vi.waitFor(async () => expect(await keptRows()).toHaveLength(asked.calls.length), 10_000);
  const forgetful = { role: 'assistant', content: null, tool_calls: asked.turn['tool_calls'] };
  const results = chatRoad.results(
    asked.calls,
    asked.calls.map(() => 'fine'),
  );
  await converse(other, chatRoad, CLAUDE, [question(chatRoad), forgetful, ...results], OPTIONS);
  const sent = other.simulator.truth.read().at(-1)?.bodyText ?? '';
  expect(sent).toContain('"signature"');
  const rows = await keptRows();
  for (const { sealed } of rows) expect(sealed.includes('signature')).toBe(false);
});

const memory = (at: Store): OpenSealMemory =>
  openSealMemory(
    () => ({ keys: [SEAL_KEY], memory: { maxEntries: 10, maxBytes: 100_000, ttlMs: 60_000 } }),
    () => performance.now(),
    at,
    () => undefined,
  );

test("another account's call id finds no seal", async () => {
  const one = memory(store);
  one.keep('a', [{ call: { id: 'call_x', name: 'weather', argumentsJson: '{}' } }]);
  await one.close();
  const other = memory(store);
  expect((await other.recall('a', ['call_x'])).size).toBe(1);
  expect((await other.recall('b', ['call_x'])).size).toBe(0);
  await other.close();
});

test('call ids without seals are looked up at most once, and found ones never again', async () => {
  const counting = Object.create(store) as Store;
  let asked = 0;
  counting.within = (tenant, work) => {
    asked++;
    return store.within(tenant, work);
  };
  const one = memory(store);
  one.keep('loop', [{ call: { id: 'call_sealed', name: 'weather', argumentsJson: '{}' } }]);
  await one.close();
  const other = memory(counting);
  for (let turn = 0; turn < 5; turn++)
    expect([...(await other.recall('loop', ['call_sealed', 'call_bare'])).keys()]).toEqual(['call_sealed']);
  expect(asked).toBe(1);
  // Nor those of answers that this node has seen without seals.
  other.nothingToKeep?.('loop', ['call_next']);
  expect(await other.recall('loop', ['call_bare', 'call_next'])).toEqual(new Map());
  expect(asked).toBe(1);
  await other.close();
});

test('expired seals are not found, and are swept', async () => {
  const rows = new KeptTurnRows(store);
  await rows.keep('c', [{ callId: 'call_old', sealed: Buffer.alloc(40) }], -1);
  expect(await rows.find('c', ['call_old'])).toEqual([]);
  await rows.sweep();
  expect((await keptRows()).filter(({ account_id }) => account_id === 'c')).toEqual([]);
});

test('without the database only the local node has seals, and no request fails', async () => {
  const unreachable = new Store({ ...database.settings, url: 'postgres://nobody@127.0.0.1:1/none', connectMs: 200 });
  const alone = memory(unreachable);
  alone.keep('a', [{ call: { id: 'call_y', name: 'weather', argumentsJson: '{}' } }]);
  expect([...(await alone.recall('a', ['call_y', 'call_z'])).keys()]).toEqual(['call_y']);
  await alone.close();
  await unreachable.close();
});
