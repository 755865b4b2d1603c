/** Budgets of tags and of account groups: 300 concurrent requests on four nodes and two accounts spend all of them, and no more. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Hold, HoldRequest } from '../../packages/gateway/src/kernel/admission.ts';
import { auditAccount } from '../../packages/gateway/src/money/ledger/audit.ts';
import { Credits } from '../../packages/gateway/src/money/ledger/credits.ts';
import { NodeLedger } from '../../packages/gateway/src/money/ledger/node-ledger.ts';
import { PostgresLedger } from '../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import { DatabaseEvents } from '../../packages/gateway/src/store/postgres/events.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { balanceOf, bill, openPrepaid } from './money-stand.ts';

const NODES = 4;
const REQUESTS = 300;
const COST = 1_000n;

let database: TestDatabase;
let store: Store;
let credits: Credits<unknown>;
let folder: string;
let nodes: NodeLedger[];
let events: DatabaseEvents;
let ids = 0;

beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  credits = new Credits(store.writer) as unknown as Credits<unknown>;
  folder = mkdtempSync(join(tmpdir(), 'trivium-groups-'));
});
afterAll(async () => {
  await store.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  nodes = await Promise.all(
    Array.from({ length: NODES }, () => {
      const node = `g${++ids}`;
      return NodeLedger.start({
        database: new PostgresLedger(store.writer),
        node,
        journalFolder: join(folder, node),
        isOver: () => true,
        nextId: () => `${node}-${++ids}`,
        monotonicMs: () => performance.now(),
        onTrouble: (error) => {
          throw error;
        },
        sizing: { least: 2n, first: 4n },
      });
    }),
  );
  // As in production: notifications of the database reach every node.
  const recalled = (account: string): void => {
    for (const node of nodes) node.recalled(account);
  };
  events = new DatabaseEvents(database.url, new Map([['trivium_ledger', recalled]]), {
    onUp: () => undefined,
    onDown: () => undefined,
  });
  await events.start();
});
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.close(10_000)));
  await events.close();
});

const isHold = (value: unknown): value is Hold => typeof value === 'object' && value !== null && 'settle' in value;

const request = (accountId: string, tags: Record<string, string> = {}): HoldRequest => ({
  requestId: `r${++ids}`,
  caller: { keyId: 'k', accountId, strict: false, mayUse: () => true },
  modelId: 'm',
  maxOutputTokens: 1,
  tags,
  quote: { holdNanoUsd: COST, priceVersion: 'v1', unpriced: [] },
});

type Asked = (at: number) => HoldRequest;

/** What is granted is settled at its full price. */
async function ask(node: NodeLedger, asked: HoldRequest): Promise<boolean> {
  const hold = await node.hold(asked);
  if (isHold(hold)) hold.settle(bill(COST));
  else expect(hold).toMatchObject({ kind: 'over-budget' });
  return isHold(hold);
}

/**
 * All at once, to the nodes in turn; gives how many were served. A slow machine refuses some that wait too long for what lies in the
 * leases of other nodes: those ask again, until the budget is used up.
 */
async function rush(asked: Asked, most: bigint): Promise<number> {
  const replies = await Promise.all(Array.from({ length: REQUESTS }, (_, at) => ask(nodes[at % NODES]!, asked(at))));
  let served = replies.filter(Boolean).length;
  const fitting = Number(most / COST);
  for (let at = 0; served < fitting && at < REQUESTS; at++) if (await ask(nodes[at % NODES]!, asked(at))) served++;
  for (let at = 0; at < NODES * 2; at++) expect(await ask(nodes[at % NODES]!, asked(at))).toBe(false);
  return served;
}

async function spentOf(account: string, scope: string): Promise<{ posted: bigint; pending: bigint }> {
  const { rows } = await sql<{ posted: bigint; pending: bigint }>`
    select posted, pending from ledger_purses where account_id = ${account} and scope = ${scope}`.execute(store.writer);
  return rows[0]!;
}

/** Whatever the order of things was: the budget is used up to the last request that fits, and nothing is left behind. */
async function expectSpent(served: number, owner: string, scope: string, most: bigint, accounts: readonly string[]) {
  expect(BigInt(served)).toBe(most / COST);
  await Promise.all(nodes.map((node) => node.close(10_000)));
  expect(await spentOf(owner, scope)).toEqual({ posted: (most / COST) * COST, pending: 0n });
  for (const account of new Set([owner, ...accounts])) {
    expect(await auditAccount(store.writer, account)).toEqual([]);
    expect(await balanceOf(store, account)).toMatchObject({ pending: 0n, overrun: 0n });
  }
}

const MOST = 120_500n;

test('the budget of a tag is spent completely and never exceeded', async () => {
  await openPrepaid(store, 'tagged', 10_000_000n);
  await credits.setBudget('tagged', 'tag:team=search', 'total', MOST);
  const served = await rush(() => request('tagged', { team: 'search' }), MOST);
  const other = await nodes[0]!.hold(request('tagged', { team: 'ads' }));
  expect(isHold(other)).toBe(true);
  if (isHold(other)) other.release();
  await expectSpent(served, 'tagged', 'tag:team=search', MOST, []);
});

test.each(['prepaid', 'unlimited'] as const)(
  'the budget of a company over two %s accounts is spent completely and never exceeded',
  async (kind) => {
    const [company, ...teams] = [`company-${kind}`, `search-${kind}`, `ads-${kind}`] as const;
    for (const team of teams) {
      await openPrepaid(store, team, 10_000_000n);
      await credits.setTerms(team, kind, 0n);
      expect(await credits.setParent(team, company)).toBeUndefined();
    }
    await credits.setBudget(company, 'group', 'month', MOST);
    const served = await rush((at) => request(teams[(at >> 2) % 2]!), MOST);
    await expectSpent(served, company, 'group', MOST, teams);
  },
);

test('with budgets at each level the tightest one applies', async () => {
  for (const account of ['division', 'team-1', 'team-2']) await openPrepaid(store, account, 10_000_000n);
  await credits.setParent('division', 'holding');
  for (const team of ['team-1', 'team-2']) await credits.setParent(team, 'division');
  await credits.setBudget('holding', 'group', 'total', 90_000n);
  await credits.setBudget('division', 'group', 'total', 60_000n);
  await credits.setBudget('team-1', 'account', 'total', 10_000n);
  const served = await rush((at) => request(at % 2 === 0 ? 'team-1' : 'team-2'), 60_000n);
  expect((await balanceOf(store, 'team-1'))!.posted).toBeLessThanOrEqual(10_000n);
  await expectSpent(served, 'division', 'group', 60_000n, ['team-1', 'team-2']);
  expect(await spentOf('holding', 'group')).toEqual({ posted: 60_000n, pending: 0n });
  // The division itself is in its group.
  expect(await auditAccount(store.writer, 'holding')).toEqual([]);
});

test('moving an account applies to new requests at once, and running ones keep their group', async () => {
  await openPrepaid(store, 'mover', 10_000_000n);
  for (const company of ['old', 'new']) await credits.setBudget(company, 'group', 'total', 5_000n);
  await credits.setParent('mover', 'old');
  const running = await nodes[0]!.hold(request('mover'));
  await credits.setParent('mover', 'new');
  const later = await nodes[1]!.hold(request('mover'));
  if (!isHold(running) || !isHold(later)) throw new Error('refused');
  running.settle(bill(COST));
  later.settle(bill(COST));
  await Promise.all(nodes.map((node) => node.close(10_000)));
  expect([await spentOf('old', 'group'), await spentOf('new', 'group')]).toEqual([
    { posted: COST, pending: 0n },
    { posted: COST, pending: 0n },
  ]);
});

test('cycles and trees of more than four levels are refused', async () => {
  for (const [child, parent] of [
    ['l2', 'l1'],
    ['l3', 'l2'],
    ['l4', 'l3'],
  ] as const)
    expect(await credits.setParent(child, parent)).toBeUndefined();
  expect(await credits.setParent('l1', 'l4')).toBe('cycle');
  expect(await credits.setParent('l1', 'l1')).toBe('cycle');
  expect(await credits.setParent('l5', 'l4')).toBe('depth');
  expect(await credits.setParent('l1', 'l0')).toBe('depth');
  expect(await credits.familyOf('l3')).toEqual({ above: ['l2', 'l1'], children: ['l4'] });
  expect(await credits.setParent('l4', null)).toBeUndefined();
  expect(await credits.familyOf('l4')).toEqual({ above: [], children: [] });
});
