import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { logTrouble } from '../../packages/gateway/src/app/open-ledger.ts';
import type { Hold, HoldRequest } from '../../packages/gateway/src/kernel/admission.ts';
import type { Caller } from '../../packages/gateway/src/kernel/caller.ts';
import type { ExactPriceItem } from '../../packages/gateway/src/kernel/price.ts';
import { ParkedCommandError } from '../../packages/gateway/src/money/ledger/apply-in-parts.ts';
import { auditAccount } from '../../packages/gateway/src/money/ledger/audit.ts';
import { NodeLedger, type NodeLedgerPorts } from '../../packages/gateway/src/money/ledger/node-ledger.ts';
import { PostgresLedger } from '../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import { costOf } from '../../packages/gateway/src/money/prices/cost.ts';
import { holdNanoUsd } from '../../packages/gateway/src/money/prices/hold.ts';
import { EndpointRates } from '../../packages/gateway/src/money/prices/rates.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { createLog } from '../../packages/gateway/src/telemetry/log.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { balanceOf, bill, openPrepaid, reachedBy } from './money-stand.ts';

let database: TestDatabase;
let store: Store;
let folder: string;
let ids = 0;

beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  folder = mkdtempSync(join(tmpdir(), 'trivium-journal-'));
});
afterAll(async () => {
  await store.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

const start = (node: string, more: Partial<NodeLedgerPorts> = {}): Promise<NodeLedger> =>
  NodeLedger.start({
    database: new PostgresLedger(store.writer),
    node,
    journalFolder: join(folder, node),
    isOver: () => true,
    nextId: () => `${node}-${++ids}`,
    monotonicMs: () => performance.now(),
    onTrouble: (error) => {
      throw error;
    },
    ...more,
  });

const request = (accountId: string, holdNanoUsd: bigint, of: Partial<Caller> = {}): HoldRequest => ({
  requestId: `r${++ids}`,
  caller: { keyId: 'k', accountId, strict: false, mayUse: () => true, ...of },
  modelId: 'm',
  maxOutputTokens: 1,
  quote: { holdNanoUsd, priceVersion: 'v1', unpriced: [] },
});

const isHold = (value: unknown): value is Hold => typeof value === 'object' && value !== null && 'settle' in value;

test('the first request takes the strict path, the next ones a lease; closing releases everything', async () => {
  await openPrepaid(store, 'rich', 1_000_000n);
  const ledger = await start('n1');
  const first = await ledger.hold(request('rich', 1_000n));
  if (!isHold(first)) throw new Error('refused');
  first.settle(bill(600n));
  await expect
    .poll(() => balanceOf(store, 'rich'), { timeout: 10_000 })
    .toMatchObject({ posted: 600n, pending: 32_000n });
  for (let count = 0; count < 5; count++) {
    const hold = await ledger.hold(request('rich', 1_000n));
    if (!isHold(hold)) throw new Error('refused');
    if (count === 4) hold.release();
    else hold.settle(bill(100n));
  }
  expect(ledger.leaseAdmissions).toBe(5);
  expect(ledger.openHolds).toBe(0);
  expect(await ledger.close(10_000)).toBe(true);
  expect(await balanceOf(store, 'rich')).toMatchObject({ posted: 1_000n, pending: 0n });
});

test('parallel requests over two nodes never spend more than there is, and all of it can be spent', async () => {
  await openPrepaid(store, 'poor', 10_500n);
  const nodes = [await start('n2'), await start('n3')];
  const holds = await Promise.all(
    Array.from({ length: 60 }, (_, index) => nodes[index % 2]!.hold(request('poor', 1_000n))),
  );
  const granted = holds.filter(isHold);
  expect(granted).toHaveLength(10);
  expect(holds.find((hold) => !isHold(hold))).toMatchObject({ kind: 'over-budget' });
  for (const hold of granted) hold.settle(bill(1_000n));
  for (const node of nodes) await node.close(10_000);
  expect(await balanceOf(store, 'poor')).toMatchObject({ posted: 10_000n, pending: 0n, overrun: 0n });
});

test('idle amounts in the lease of another node are recalled before a request is refused', async () => {
  await openPrepaid(store, 'shared', 100_000n);
  const [here, there] = [await start('n4'), await start('n5')];
  const first = await here.hold(request('shared', 100n));
  if (!isHold(first)) throw new Error('refused');
  first.settle(bill(0n));
  await expect.poll(() => balanceOf(store, 'shared'), { timeout: 10_000 }).toMatchObject({ pending: 3_200n });
  const asking = there.hold(request('shared', 99_000n));
  // Notifications reach every node; here the test delivers them.
  const carrying = setInterval(() => here.recalled('shared'), 20);
  const hold = await asking;
  clearInterval(carrying);
  expect(isHold(hold)).toBe(true);
  if (isHold(hold)) hold.release();
  await Promise.all([here.close(10_000), there.close(10_000)]);
  expect(await balanceOf(store, 'shared')).toMatchObject({ pending: 0n });
});

test('a restarted node replays its journal once, and releases its leases', async () => {
  await openPrepaid(store, 'crashed', 1_000_000n);
  // No posting ever arrives: as if the process had died before the first flush.
  const ledgerDatabase = new PostgresLedger(store.writer);
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  const dying: NodeLedgerPorts['database'] = {
    apply: (commands) =>
      isDead || commands.some((command) => command.do === 'settle') ? never : ledgerDatabase.apply(commands),
    isRefusal: (error) => ledgerDatabase.isRefusal(error),
    park: (command, problem) => ledgerDatabase.park(command, problem),
    standing: (epoch) => (isDead ? never : ledgerDatabase.standing(epoch)),
    openAccount: (account) => (isDead ? never : ledgerDatabase.openAccount(account)),
    // Its timers outlive the test; the dead ask nothing, least of all a database that is gone by then.
    termsOf: (accounts) => (isDead ? never : ledgerDatabase.termsOf(accounts)),
  };
  const before = await start('n6', {
    database: dying,
    // Its journal is deleted under it once it was replayed.
    onTrouble: (error) => {
      if (!isDead) throw error;
    },
  });
  const strict = await before.hold(request('crashed', 1_000n));
  if (!isHold(strict)) throw new Error('refused');
  await expect.poll(() => balanceOf(store, 'crashed'), { timeout: 10_000 }).toMatchObject({ pending: 33_000n });
  // The database has the lease a moment before the node knows of it.
  const fromLease = async () => {
    for (;;) {
      const admissions = before.leaseAdmissions;
      const hold = await before.hold(request('crashed', 1_000n));
      if (!isHold(hold)) throw new Error('refused');
      if (before.leaseAdmissions > admissions) return hold;
      hold.release();
    }
  };
  const leased = await fromLease();
  const running = await fromLease();
  running.meter?.(bill(250n));
  strict.settle(bill(700n));
  leased.settle(bill(40n));
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  isDead = true;
  const after = await start('n6');
  expect(await balanceOf(store, 'crashed')).toMatchObject({ posted: 990n, pending: 0n, overrun: 0n });
  await after.close(10_000);
});

// S1
test('a fenced node that is still alive posts what ended afterwards, exactly and once, and keeps serving', async () => {
  await openPrepaid(store, 'stalled', 1_000_000n);
  const ledgerDatabase = new PostgresLedger(store.writer);
  const epochs = async (): Promise<readonly string[]> =>
    (
      await sql<{ epoch: string }>`select epoch from ledger_nodes where node = 'n10' order by beat_at_ms desc`.execute(
        store.writer,
      )
    ).rows.map(({ epoch }) => epoch);
  const ledger = await start('n10');
  const strict = await ledger.hold(request('stalled', 1_000n));
  await expect.poll(() => balanceOf(store, 'stalled'), { timeout: 10_000 }).toMatchObject({ pending: 33_000n });
  const [leased, overcounted, free] = [
    await ledger.hold(request('stalled', 1_000n)),
    await ledger.hold(request('stalled', 1_000n)),
    await ledger.hold(request('boundless', 1_000n)),
  ];
  if (!isHold(strict) || !isHold(leased) || !isHold(overcounted) || !isHold(free)) throw new Error('refused');
  strict.meter?.(bill(250n));
  overcounted.meter?.(bill(400n));
  await expect.poll(() => reachedBy(store, 'stalled'), { timeout: 10_000 }).toBe(650n);
  const [epoch = ''] = await epochs();
  await ledgerDatabase.apply([
    { do: 'end', epoch },
    { do: 'bury', account: 'stalled' },
  ]);
  expect(await balanceOf(store, 'stalled')).toMatchObject({ posted: 650n, pending: 0n });
  strict.settle(bill(700n));
  leased.settle(bill(40n));
  overcounted.settle(bill(300n));
  free.settle(bill(9n));
  await expect
    .poll(() => balanceOf(store, 'stalled'), { timeout: 10_000 })
    .toMatchObject({ posted: 1_040n, overrun: 0n });
  await expect.poll(async () => (await epochs()).length, { timeout: 20_000 }).toBe(2);
  // The new epoch is in the database before the node knows it, and until then it admits no request.
  let after = await ledger.hold(request('stalled', 1_000n));
  await expect
    .poll(
      async () => {
        if (!isHold(after)) after = await ledger.hold(request('stalled', 1_000n));
        return isHold(after);
      },
      { timeout: 10_000 },
    )
    .toBe(true);
  if (!isHold(after)) throw new Error('refused');
  after.settle(bill(5n));
  expect(await ledger.close(10_000)).toBe(true);
  expect(await balanceOf(store, 'stalled')).toMatchObject({ posted: 1_045n, pending: 0n, overrun: 0n });
  expect(await balanceOf(store, 'boundless')).toMatchObject({ posted: 9n });
  expect(await auditAccount(store.writer, 'stalled')).toEqual([]);
});

test('a request that runs while its account becomes metered is charged by the terms of its admission', async () => {
  const ledger = await start('n11');
  const hold = await ledger.hold(request('changing', 1_000n));
  if (!isHold(hold)) throw new Error('refused');
  await new PostgresLedger(store.writer).apply([
    { do: 'open-account', account: 'changing', kind: 'prepaid', overdraft: 0n },
  ]);
  hold.settle(bill(800n));
  expect(await ledger.close(10_000)).toBe(true);
  expect(await balanceOf(store, 'changing')).toMatchObject({ posted: 800n, overrun: 800n });
});

test('an unmetered account needs no hold, is served while the ledger database is down, and is charged afterwards', async () => {
  const ledgerDatabase = new PostgresLedger(store.writer);
  let isAway = false;
  const flaky: NodeLedgerPorts['database'] = {
    apply: (commands) => (isAway ? Promise.reject(new Error('away')) : ledgerDatabase.apply(commands)),
    isRefusal: (error) => ledgerDatabase.isRefusal(error),
    park: (command, problem) => ledgerDatabase.park(command, problem),
    standing: (epoch) => (isAway ? Promise.reject(new Error('away')) : ledgerDatabase.standing(epoch)),
    openAccount: (account) => ledgerDatabase.openAccount(account),
    termsOf: (accounts) => (isAway ? Promise.reject(new Error('away')) : ledgerDatabase.termsOf(accounts)),
  };
  const ledger = await start('n7', { database: flaky, onTrouble: () => undefined });
  const first = await ledger.hold(request('team', 1_000n));
  isAway = true;
  const second = await ledger.hold(request('team', 1_000n));
  if (!isHold(first) || !isHold(second)) throw new Error('refused');
  expect(await ledger.hold(request('stranger', 1_000n))).toMatchObject({ kind: 'overloaded' });
  first.settle(bill(5_000n));
  second.settle(bill(7n));
  isAway = false;
  expect(await ledger.close(10_000)).toBe(true);
  expect(await balanceOf(store, 'team')).toMatchObject({ posted: 5_007n, pending: 0n, overrun: 0n });
});

test('a settlement that the database refuses is parked, and blocks no other settlement or hold', async () => {
  await Promise.all(['bad', 'good'].map((account) => openPrepaid(store, account, 1_000_000n)));
  const troubles: unknown[] = [];
  const ledger = await start('n12', { onTrouble: (error) => troubles.push(error) });
  const first = [await ledger.hold(request('bad', 1_000n)), await ledger.hold(request('good', 1_000n))];
  const more = await Promise.all(Array.from({ length: 9 }, () => ledger.hold(request('good', 1_000n))));
  const [bad, ...good] = [...first, ...more];
  if (!isHold(bad) || !good.every(isHold)) throw new Error('refused');
  bad.settle(bill(1n << 63n));
  for (const hold of good) hold.settle(bill(10n));
  expect(await ledger.close(10_000)).toBe(true);
  expect(await balanceOf(store, 'good')).toMatchObject({ posted: 100n, pending: 0n });
  const { rows } = await sql<{ account_id: string; command: string; problem: string }>`
    select account_id, command, problem from ledger_parked`.execute(store.writer);
  expect(rows).toMatchObject([{ account_id: 'bad', problem: expect.stringContaining('out of range') }]);
  expect(JSON.parse(rows[0]!.command)).toMatchObject({ do: 'settle', request: bad.id, cost: String(1n << 63n) });
  expect(troubles).toEqual([expect.any(ParkedCommandError)]);
});

test('a key budget applies from the next request on, beside the credit of its account', async () => {
  await openPrepaid(store, 'budgeted', 1_000_000n);
  const ledgerDatabase = new PostgresLedger(store.writer);
  await ledgerDatabase.apply([{ do: 'set-budget', account: 'budgeted', scope: 'key:k', span: 'total', limit: 2_500n }]);
  const ledger = await start('n8');
  const holds = [];
  for (let count = 0; count < 3; count++) holds.push(await ledger.hold(request('budgeted', 1_000n)));
  expect(holds.map(isHold)).toEqual([true, true, false]);
  expect(holds[2]).toMatchObject({
    kind: 'over-budget',
    message: 'The budget of this key does not cover this request.',
  });
  for (const hold of holds) if (isHold(hold)) hold.settle(bill(900n));
  expect(await ledger.close(10_000)).toBe(true);
  expect(await balanceOf(store, 'budgeted')).toMatchObject({ posted: 1_800n, pending: 0n });
});

test('a member budget applies to all keys of the member together, with leases too, and to no others', async () => {
  await openPrepaid(store, 'family', 1_000_000n);
  const ledgerDatabase = new PostgresLedger(store.writer);
  await ledgerDatabase.apply([
    { do: 'set-budget', account: 'family', scope: 'member:m', span: 'total', limit: 50_000n },
  ]);
  const ledger = await start('n9');
  const ask = async (keyId: string, memberId?: string): Promise<unknown> =>
    ledger.hold(request('family', 1_000n, { keyId, ...(memberId !== undefined && { memberId }) }));
  const settleAt = (hold: unknown): void => {
    if (!isHold(hold)) throw new Error('refused');
    hold.settle(bill(1_000n));
  };
  settleAt(await ask('first', 'm'));
  await expect.poll(() => balanceOf(store, 'family'), { timeout: 10_000 }).toMatchObject({ pending: 12_250n });
  for (let count = 1; count < 50; count++) settleAt(await ask(count % 2 === 0 ? 'first' : 'second', 'm'));
  expect(ledger.leaseAdmissions).toBeGreaterThan(0);
  expect(await ask('second', 'm')).toMatchObject({ message: 'The budget of this member does not cover this request.' });
  settleAt(await ask('first', 'another'));
  settleAt(await ask('first'));
  expect(await ledger.close(10_000)).toBe(true);
  expect(await balanceOf(store, 'family')).toMatchObject({ posted: 52_000n, pending: 0n, overrun: 0n });
});

test('neither a request for unlimited output nor an upstream that reports it blocks the charges of others', async () => {
  const perMTokens = (usd: bigint): ExactPriceItem[] => [{ picoUsd: usd * 10n ** 12n, unit: 'perMTokens' }];
  const prices = { prompt: perMTokens(15n), completion: perMTokens(75n) };
  const rates = new EndpointRates({ prices, otherPrices: [] }, 'v1').rates();
  await Promise.all(['asks', 'reported', 'others'].map((account) => openPrepaid(store, account, 100_000n)));
  const troubles: unknown[] = [];
  const ledger = await start('n9', { onTrouble: (error) => troubles.push(error) });
  const endless = holdNanoUsd(rates, { inputTokens: 1, outputTokens: Number.MAX_SAFE_INTEGER });
  expect(await ledger.hold(request('asks', endless))).toMatchObject({ kind: 'over-budget' });
  const [reported, other] = [
    await ledger.hold(request('reported', 1_000n)),
    await ledger.hold(request('others', 1_000n)),
  ];
  if (!isHold(reported) || !isHold(other)) throw new Error('refused');
  reported.settle(bill(costOf({ completion: Number.MAX_SAFE_INTEGER }, rates).nanoUsd));
  other.settle(bill(600n));
  expect(await ledger.close(10_000)).toBe(true);
  expect(troubles).toEqual([]);
  expect(await balanceOf(store, 'others')).toMatchObject({ posted: 600n, pending: 0n });
  expect(await balanceOf(store, 'asks')).toMatchObject({ posted: 0n, pending: 0n });
});

const WENT_BACK = [
  {
    // S12
    title: 'a promoted server that lacks the latest commits',
    account: 'moved',
    level: 'warn',
    msg: 'another ledger database server has taken over: posting all journals again',
    problem: 'timeline 1 became 2',
  },
  {
    title: 'a database that was set back to an earlier copy on the same timeline',
    account: 'set-back',
    level: 'error',
    msg: 'ledger database was set back to an earlier copy: posting all journals again',
    problem: expect.stringMatching(/^heartbeat \d+ of .* was confirmed, and the database has \d+$/),
  },
];

test.each(WENT_BACK)('the journal is replayed once to $title', async ({ account, level, msg, problem }) => {
  await openPrepaid(store, account, 1_000_000n);
  const ledgerDatabase = new PostgresLedger(store.writer);
  let timeline = '1';
  let isForgetful = false;
  let forgotten = 0;
  let beats = 0;
  const forgetful: NodeLedgerPorts['database'] = {
    // Like a primary that crashes before its standby has the committed data.
    apply: async (commands) => {
      if (!isForgetful || commands.every(({ do: what }) => what !== 'settle' && what !== 'beat'))
        return ledgerDatabase.apply(commands);
      if (commands[0]?.do === 'beat') beats++;
      else forgotten += commands.length;
      return commands.map(({ do: what }) =>
        what === 'beat' ? { is: 'alive', recalled: [] } : { is: 'done' as const },
      );
    },
    isRefusal: (error) => ledgerDatabase.isRefusal(error),
    park: (command, problem) => ledgerDatabase.park(command, problem),
    standing: async (epoch) => ({ ...(await ledgerDatabase.standing(epoch)), timeline }),
    openAccount: (account) => ledgerDatabase.openAccount(account),
    termsOf: (accounts) => ledgerDatabase.termsOf(accounts),
  };
  const lines: { readonly level: string; readonly msg: string; readonly problem: string }[] = [];
  const log = createLog({ level: 'info', write: (line) => void lines.push(JSON.parse(line)) });
  const ledger = await start(`n9-${account}`, { database: forgetful, onTrouble: (error) => logTrouble(log, error) });
  const serve = async (cost: bigint): Promise<void> => {
    const hold = await ledger.hold(request(account, 1_000n));
    if (!isHold(hold)) throw new Error('refused');
    hold.settle(bill(cost));
  };
  await serve(600n);
  await expect.poll(() => balanceOf(store, account), { timeout: 10_000 }).toMatchObject({ posted: 600n });
  isForgetful = true;
  for (let count = 0; count < 3; count++) await serve(100n);
  const running = await ledger.hold(request(account, 1_000n));
  if (!isHold(running)) throw new Error('refused');
  await expect.poll(() => forgotten, { timeout: 10_000 }).toBeGreaterThanOrEqual(3);
  await expect.poll(() => beats, { timeout: 10_000 }).toBeGreaterThanOrEqual(1);
  isForgetful = false;
  if (account === 'moved') timeline = '2';
  await expect.poll(() => balanceOf(store, account), { timeout: 20_000 }).toMatchObject({ posted: 900n, overrun: 0n });
  expect(lines).toEqual([expect.objectContaining({ level, msg, problem })]);
  running.settle(bill(50n));
  const serves = async (): Promise<boolean> => {
    const hold = await ledger.hold(request(account, 1_000n));
    if (isHold(hold)) hold.release();
    return isHold(hold);
  };
  await expect.poll(serves, { timeout: 10_000 }).toBe(true);
  expect(await ledger.close(10_000)).toBe(true);
  expect(await balanceOf(store, account)).toMatchObject({ posted: 950n, pending: 0n, overrun: 0n });
});
