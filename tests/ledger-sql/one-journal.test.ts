/** A request's row of usage, its sums and its entry in the ledger: written by one line, posted by one transaction. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Hold, HoldRequest } from '../../packages/gateway/src/kernel/admission.ts';
import { lineOf, readLines } from '../../packages/gateway/src/money/journal/lines.ts';
import { LostUsageError, ParkedCommandError } from '../../packages/gateway/src/money/ledger/apply-in-parts.ts';
import type { Settle } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { NodeLedger, type NodeLedgerPorts } from '../../packages/gateway/src/money/ledger/node-ledger.ts';
import { PostgresLedger } from '../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import { type EncodedEvent, interruptedOf, keptOf } from '../../packages/gateway/src/money/usage/encoded-event.ts';
import type { UsageEvent } from '../../packages/gateway/src/money/usage/event.ts';
import { eventsInFormerJournal, interruptedIn } from '../../packages/gateway/src/money/usage/journal-format.ts';
import { BLAMED_OUTCOMES } from '../../packages/gateway/src/money/usage/outcome-class.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { bill, openPrepaid } from './money-stand.ts';

let database: TestDatabase;
let store: Store;
let folder: string;
let ids = 0;

beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  folder = mkdtempSync(join(tmpdir(), 'trivium-one-journal-'));
});
afterAll(async () => {
  await store.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

const fail = (error: unknown): never => {
  throw error;
};
const ledgerDatabase = () => new PostgresLedger(store.writer, BLAMED_OUTCOMES);

const start = (node: string, more: Partial<NodeLedgerPorts> = {}): Promise<NodeLedger> =>
  NodeLedger.start({
    database: ledgerDatabase(),
    node,
    journalFolder: join(folder, node),
    isOver: () => true,
    nextId: () => `${node}-${++ids}`,
    monotonicMs: () => performance.now(),
    usage: { interrupted: interruptedIn, inFormerJournal: eventsInFormerJournal },
    onTrouble: fail,
    ...more,
  });

const begun = { keyId: 'k', modelId: 'a/b', protocol: 'chat', receivedAtMs: Date.now(), tags: { team: 'search' } };

const holdOf = (accountId: string, requestId: string): HoldRequest => ({
  requestId,
  caller: { keyId: 'k', accountId, strict: false, mayUse: () => true },
  modelId: 'a/b',
  maxOutputTokens: 1,
  begun,
  quote: { holdNanoUsd: 1_000n, priceVersion: 'v1', unpriced: [] },
});

async function admitted(ledger: NodeLedger, accountId: string, requestId: string): Promise<Hold> {
  const hold = await ledger.hold(holdOf(accountId, requestId));
  if (!('settle' in hold)) throw new Error(hold.message);
  return hold;
}

const event = (accountId: string, requestId: string, members: Partial<UsageEvent> = {}): EncodedEvent =>
  keptOf({ ...interruptedOf({ ...begun, accountId, requestId }), outcome: 'ok', status: 200, ...members });

type Row = { readonly request_id: string; readonly outcome: string; readonly cost_nano: bigint };
const rowsOf = async (account: string): Promise<readonly Row[]> =>
  (
    await sql<Row>`select request_id, outcome, cost_nano from usage_events
      where account_id = ${account} order by request_id`.execute(store.writer)
  ).rows;
const row = (request_id: string, outcome: string, cost_nano: bigint): Row => ({ request_id, outcome, cost_nano });

/** Of rows, sums by the hour, by tag and by kind, and of what is charged. */
async function costs(account: string): Promise<readonly (bigint | undefined)[]> {
  const { rows } = await sql<{ nano: bigint }>`
    select coalesce(sum(cost_nano), 0)::bigint as nano from usage_events where account_id = ${account} union all
    select coalesce(sum(cost_nano), 0)::bigint from usage_hourly where account_id = ${account} union all
    select coalesce(sum(cost_nano), 0)::bigint from usage_tag_hourly where account_id = ${account} union all
    select coalesce(sum(cost_nano), 0)::bigint from usage_kind_hourly where account_id = ${account} union all
    select posted from ledger_accounts where account_id = ${account}`.execute(store.writer);
  return rows.map(({ nano }) => nano);
}

const everywhere = (nano: bigint): readonly bigint[] => Array.from({ length: 5 }, () => nano);

const linesIn = (node: string): string[] =>
  readdirSync(join(folder, node))
    .filter((name) => name.endsWith('.journal'))
    .flatMap((name) => [...readLines(readFileSync(join(folder, node, name), 'utf8'))]);

test('a request writes one journal line at its admission and one at its end; row, sums and entry appear together', async () => {
  await openPrepaid(store, 'together', 1_000_000n);
  let isAway = false;
  const away = ledgerDatabase();
  const apply = away.apply.bind(away);
  away.apply = (commands) =>
    isAway && commands.some((each) => each.do !== 'beat') ? Promise.reject(new Error('away')) : apply(commands);
  const ledger = await start('together', { database: away, onTrouble: () => undefined });
  const holds = [await admitted(ledger, 'together', 't1'), await admitted(ledger, 'together', 't2')];
  isAway = true;
  holds[0]!.settle(bill(600n));
  ledger.usage.keep(event('together', 't1', { costNano: '600' }));
  holds[1]!.release();
  ledger.usage.keep(event('together', 't2', { outcome: 'upstream-broken' }));
  // Refused before it was let in: it has no end that it could join.
  ledger.usage.keep(event('together', 't3', { outcome: 'over-rate', refused: true }));
  await expect.poll(() => linesIn('together').map((line) => JSON.parse(line).at)).toContain('usage');
  const lines = linesIn('together').map((line) => JSON.parse(line));
  expect(lines.map(({ at, request }) => `${at} ${request}`)).toEqual([
    'admit t1',
    'admit t2',
    'settle t1',
    'release t2',
    'usage t3',
  ]);
  expect(lines[2].usage).toMatchObject({ requestId: 't1', costNano: '600' });
  expect(ledger.usage.waiting).toBe(3);
  expect(JSON.parse(ledger.usage.find('t2')!)).toMatchObject({ outcome: 'upstream-broken' });
  expect(await rowsOf('together')).toEqual([]);
  expect(await costs('together')).toEqual(everywhere(0n));
  isAway = false;
  expect(await ledger.close(20_000)).toBe(true);
  expect(await rowsOf('together')).toEqual([
    row('t1', 'ok', 600n),
    row('t2', 'upstream-broken', 0n),
    row('t3', 'over-rate', 0n),
  ]);
  expect(await costs('together')).toEqual(everywhere(600n));
});

test('a failed transaction leaves neither a row nor an entry; a row that cannot be stored does not block its charge', async () => {
  await openPrepaid(store, 'odd', 1_000_000n);
  await openPrepaid(store, 'whole', 1_000_000n);
  const settle = (account: string, request: string, usage: EncodedEvent): Settle => ({
    ...({ do: 'settle', account, request, lease: 'gone', cost: 70n, priceVersion: 'v1', estimated: false } as const),
    memo: '',
    usage,
  });
  const bad = event('odd', 'o1', { costNano: '70', durationMs: 1e12 });
  const batch = [settle('whole', 'w1', event('whole', 'w1', { costNano: '70' })), settle('odd', 'o1', bad)];
  await expect(ledgerDatabase().apply(batch)).rejects.toThrow();
  expect([await costs('whole'), await costs('odd')]).toEqual([everywhere(0n), everywhere(0n)]);

  const troubles: unknown[] = [];
  const ledger = await start('odd', { onTrouble: (error) => troubles.push(error) });
  for (const [account, request, usage] of [
    ['odd', 'o2', { ...bad, requestId: 'o2' }],
    ['whole', 'w2', event('whole', 'w2', { costNano: '70' })],
  ] as const) {
    (await admitted(ledger, account, request)).settle(bill(70n));
    ledger.usage.keep(usage);
  }
  expect(await ledger.close(20_000)).toBe(true);
  expect(await costs('odd')).toEqual([...everywhere(0n).slice(1), 70n]);
  expect(await costs('whole')).toEqual(everywhere(70n));
  expect(troubles).toEqual([expect.any(LostUsageError)]);
  expect(ledger.usage.lost).toBe(1);
});

test('a charge that the database refuses is parked, and the usage row of its request is stored', async () => {
  const troubles: unknown[] = [];
  const ledger = await start('parked', { onTrouble: (error) => troubles.push(error) });
  await ledgerDatabase().openAccount('parked');
  const hold = await admitted(ledger, 'parked', 'p1');
  hold.settle(bill(2n ** 64n));
  ledger.usage.keep(event('parked', 'p1'));
  expect(await ledger.close(20_000)).toBe(true);
  expect(troubles).toEqual([expect.any(ParkedCommandError)]);
  expect(await rowsOf('parked')).toEqual([row('p1', 'ok', 0n)]);
});

test('finished requests of a killed process are posted once with their rows, and running ones are interrupted at their charge', async () => {
  await openPrepaid(store, 'killed', 1_000_000n);
  const dead = await start('killed', { database: ledgerDatabase(), onTrouble: () => undefined });
  const [ended, ran, idle] = [
    await admitted(dead, 'killed', 'k1'),
    await admitted(dead, 'killed', 'k2'),
    await admitted(dead, 'killed', 'k3'),
  ];
  expect(ran.meter?.(bill(400n))).toBe('go');
  expect(idle.id).toBe('k3');
  ended.settle(bill(600n));
  dead.usage.keep(event('killed', 'k1', { costNano: '600' }));
  await expect.poll(() => linesIn('killed').length).toBe(5);
  for (const heir of ['first', 'second']) {
    const next = await start('killed', { node: `killed.${heir}`, isOver: (epoch) => !epoch.includes(heir) });
    expect(await rowsOf('killed')).toEqual([
      row('k1', 'ok', 600n),
      row('k2', 'interrupted', 400n),
      row('k3', 'interrupted', 0n),
    ]);
    expect(await costs('killed')).toEqual(everywhere(1_000n));
    await next.close(10_000);
  }
});

test('a usage row has the ledger’s charge where the node recorded another', async () => {
  await openPrepaid(store, 'late', 10_000n);
  const figures = { account: 'late', priceVersion: 'v1' };
  const settle = { do: 'settle', ...figures, lease: '', estimated: false, memo: '' } as const;
  const hold = { do: 'hold', ...figures, epoch: 'stalled', amount: 900n, scopes: [], idempotencyKey: '' } as const;
  await ledgerDatabase().apply([{ do: 'register', node: 'stalled', epoch: 'stalled' }]);
  for (const request of ['l1', 'l2'])
    await ledgerDatabase().apply([
      { ...hold, request },
      { do: 'checkpoint', ...figures, request, lease: '', cost: 700n },
    ]);
  await ledgerDatabase().apply([
    { do: 'end', epoch: 'stalled' },
    { do: 'bury', account: 'late' },
  ]);
  await ledgerDatabase().apply([
    { ...settle, request: 'l1', cost: 850n, usage: event('late', 'l1', { costNano: '1' }) },
    // From a journal that lacks the last checkpoint the ledger database knows of.
    { ...settle, request: 'l2', cost: 300n, estimated: true, usage: interruptedIn(begun, 'l2', 'late', 300n) },
  ]);
  expect(await rowsOf('late')).toEqual([row('l1', 'ok', 850n), row('l2', 'interrupted', 700n)]);
  expect(await costs('late')).toEqual(everywhere(1_550n));
  const listed = await sql`select from usage_unmatched where account_id = 'late'`.execute(store.writer);
  expect(listed.rows).toEqual([]);
});

test('the two journals of the previous release, for charges and for usage, are posted completely', async () => {
  await openPrepaid(store, 'before', 1_000_000n);
  const epoch = 'before.1.old';
  const admit = { at: 'admit', account: 'before', lease: '', amount: '1000', priceVersion: 'v1' };
  const money = [
    { ...admit, request: 'b1' },
    { ...admit, request: 'b2', lease: 'l-old' },
    { ...admit, request: 'b3' },
    { at: 'settle', request: 'b1', cost: '600', estimated: false, memo: 'v1' },
    { at: 'checkpoint', request: 'b2', cost: '250' },
    { at: 'release', request: 'b3' },
    { ...admit, request: 'b4' },
    { at: 'settle', request: 'b4', cost: '40', estimated: false, memo: 'v1' },
  ];
  const begin = (requestId: string): string => JSON.stringify({ begun: { ...begun, requestId, accountId: 'before' } });
  const usage = [
    ...['b1', 'b2', 'b3', 'b4'].map(begin),
    event('before', 'b1', { costNano: '600' }).json,
    event('before', 'b3', { outcome: 'upstream-broken' }).json,
    event('before', 'b4', { costNano: '40' }).json,
  ];
  const write = (path: string, name: string, lines: readonly string[]): void => {
    mkdirSync(path, { recursive: true });
    // Cut where the machine stopped.
    writeFileSync(join(path, name), `${lines.map(lineOf).join('')}0badf00d {"at":"sett`);
  };
  const journals = join(folder, 'before');
  write(
    journals,
    `${epoch}.000001.journal`,
    money.slice(0, 5).map((line) => JSON.stringify(line)),
  );
  write(
    journals,
    `${epoch}.000002.journal`,
    money.slice(5).map((line) => JSON.stringify(line)),
  );
  write(join(journals, 'usage'), `before.1.usage.000001.journal`, usage.slice(0, 5));
  write(join(journals, 'usage'), `before.1.usage.000002.journal`, usage.slice(5));
  const ledger = await start('before', { isOver: (each) => each.startsWith('before.1.') });
  expect(await rowsOf('before')).toEqual([
    row('b1', 'ok', 600n),
    row('b2', 'interrupted', 250n),
    row('b3', 'upstream-broken', 0n),
    row('b4', 'ok', 40n),
  ]);
  expect(await costs('before')).toEqual(everywhere(890n));
  expect(readdirSync(join(journals, 'usage'))).toEqual([]);
  expect(readdirSync(journals).filter((name) => name.startsWith(epoch))).toEqual([]);
  await ledger.close(10_000);
});
