// Workers of responses in the background that die, freeze or shut down, and what comes too late from them.
import type { JsonObject } from '@trivium/protocol/canonical';
import { failedMembers } from '@trivium/protocol/dialects';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { EPOCH, moneyIn } from '../../packages/gateway/src/app/background/background-money.ts';
import { insertAccount } from '../../packages/gateway/src/control/accounts/rows.ts';
import { StoredCaptures } from '../../packages/gateway/src/control/wire/rows.ts';
import { systemClock } from '../../packages/gateway/src/kernel/clock.ts';
import type { RequestRecord } from '../../packages/gateway/src/kernel/record.ts';
import { BackgroundService } from '../../packages/gateway/src/media/responses/background/background-service.ts';
import type { GatheringReply } from '../../packages/gateway/src/media/responses/background/gathering-reply.ts';
import type { BackgroundPorts, Executed } from '../../packages/gateway/src/media/responses/background/ports.ts';
import { BackgroundRows, type ClaimedJob } from '../../packages/gateway/src/media/responses/background/rows.ts';
import { BackgroundRunner, LEASE_MS } from '../../packages/gateway/src/media/responses/background/runner.ts';
import { StoredContent } from '../../packages/gateway/src/media/responses/content.ts';
import { StoredRows } from '../../packages/gateway/src/media/responses/rows.ts';
import { Vault } from '../../packages/gateway/src/people/secrets/vault.ts';
import { OPERATOR, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { balanceOf, bill, openPrepaid } from '../ledger-sql/money-stand.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const HELD = 1_000n;
const CREDIT = 10_000n;
const MANY_AT_ONCE = 1000;
const VAULT = new Vault(['a key of thirty-two characters, no more']);

let database: TestDatabase;
let store: Store;
let rows: BackgroundRows;
/** As the owner of the database. */
let db: Client;
beforeAll(async () => {
  database = await freshDatabase();
  db = new Client({ connectionString: database.url });
  await db.connect();
  store = new Store(database.settings);
  rows = new BackgroundRows(store);
  await rows.enlist(EPOCH);
});
afterAll(async () => {
  await db.end();
  await store.close();
  await database.drop();
});

let account: string;
let accounts = 0;
beforeEach(async () => {
  // What an earlier test left would be claimed first.
  await db.query('delete from background_jobs');
  account = `account-${accounts++}`;
  await store.within(OPERATOR, (own) => insertAccount(own, { id: account, name: account, kind: 'prepaid' }));
  await openPrepaid(store, account, CREDIT);
});

/** A process with a host that answers as the test says. */
class Worker {
  readonly runner: BackgroundRunner;
  readonly service: BackgroundService;
  readonly begun: { readonly job: ClaimedJob; readonly reply: GatheringReply; end(executed: Executed): void }[] = [];
  readonly ended: RequestRecord[] = [];
  readonly troubles: unknown[] = [];
  #waiting: (() => void)[] = [];

  constructor(keepMs = 3_600_000) {
    const ports: BackgroundPorts = {
      store,
      rows,
      stored: new StoredRows(store),
      content: new StoredContent(new StoredCaptures(store, () => VAULT)),
      money: moneyIn(store, { redact: (text) => text }),
      clock: systemClock,
      after: (_ms, run) => {
        this.#waiting.push(run);
        return () => {
          this.#waiting = this.#waiting.filter((one) => one !== run);
        };
      },
      settings: () => ({
        isOffered: true,
        atOnce: MANY_AT_ONCE,
        perAccount: MANY_AT_ONCE,
        queue: MANY_AT_ONCE,
        durationMs: 3_600_000,
        keepMs,
        maxEventLength: 100_000,
        maxCharacters: 100_000,
      }),
      requireRoom: async () => undefined,
      execute: (_job, job, reply) =>
        new Promise((resolve) => {
          this.begun.push({ job, reply, end: resolve });
        }),
      announce: async () => undefined,
      onOver: (record) => void this.ended.push(record),
      failedMembers,
      onTrouble: (error) => void this.troubles.push(error),
    };
    this.runner = new BackgroundRunner(ports);
    this.service = new BackgroundService(ports, this.runner);
  }

  queue(id: string, isStreamed: boolean): Promise<void> {
    return queueOf(this.service, id, isStreamed);
  }

  /** Claims the next; resolves once its host is asked. */
  async begin() {
    const before = this.begun.length;
    const job = await rows.claim(LEASE_MS, MANY_AT_ONCE);
    if (job === undefined) throw new Error('nothing to claim');
    const over = this.runner.run(job);
    await Promise.race([over, vi.waitFor(() => expect(this.begun.length).toBe(before + 1), WAIT)]);
    return { job, over, host: this.begun[before] };
  }

  /** What waits for its time comes now: events that are gathered. */
  passTime(): void {
    for (const run of this.#waiting.splice(1)) run();
  }
}

const WAIT = { timeout: 20_000, interval: 1 };
const HELD_BACK = 4711;

async function queueOf(service: BackgroundService, id: string, isStreamed: boolean): Promise<void> {
  // A service wakes its runner, which would claim at once.
  vi.spyOn(BackgroundRunner.prototype, 'wake').mockReturnValueOnce();
  await service.queue({
    turn: { accountId: account, id, input: '[]' },
    requestId: requestOf(id),
    keyId: 'key',
    modelId: 'any/model',
    quote: { holdNanoUsd: HELD, priceVersion: 'v1', unpriced: [] },
    scopes: [],
    isStreamed,
    shown: { id, status: 'queued' },
    job: 'to be done',
  });
}

const requestOf = (id: string): string => `${account}-${id}`;

const declareDead = (id: string): Promise<unknown> =>
  db.query(`update background_jobs set lease_until = now() - interval '1 second' where id = '${id}'`);

const event = (type: string, members: JsonObject): string => `data: ${JSON.stringify({ type, ...members })}\n\n`;
const delta = (text: string): string => event('response.output_text.delta', { delta: text });
const completed = (id: string, text: string): string =>
  event('response.completed', { response: { id, status: 'completed', output: [], text } });

const done = (id: string, nano: bigint): Executed => ({
  record: {
    how: 'done',
    requestId: requestOf(id),
    protocol: 'responses',
    accountId: account,
    keyId: 'key',
    modelId: 'any/model',
    provider: 'east',
    stream: true,
    attempts: [],
    receivedAtMs: Date.now(),
    durationMs: 250,
    firstByteMs: 200,
    metadata: undefined,
    bill: bill(nano),
    chargedNanoUsd: nano,
  },
});

async function stateOf(id: string) {
  const { rows: found } = await db.query(`
    select state, run,
      (select count(*)::int from stored_responses s where s.account_id = j.account_id and s.id = j.id) as stored,
      array(select amount::text from ledger_entries e where e.account_id = j.account_id and kind = 'charge') as charges,
      (select count(*)::int from usage_events u where u.request_id = j.request_id) as records
    from background_jobs j where account_id = '${account}' and id = '${id}'`);
  const balance = await balanceOf(store, account);
  return { ...found[0], pending: balance?.pending, events: await spansOf(id) };
}

async function storedBytes(): Promise<number> {
  const { rows: found } = await db.query(`select bytes from stored_totals where account_id = '${account}'`);
  return Number(found[0]?.bytes ?? 0);
}

async function spansOf(id: string): Promise<[number, number][]> {
  const { rows: batches } = await db.query(`
    select first, last from background_events where account_id = '${account}' and id = '${id}' order by first`);
  return batches.map(({ first, last }) => [first, last]);
}

test.each([true, false])('nothing stored: it runs again, ends once, and is charged once (streamed: %s)', async (is) => {
  const [dead, heir] = [new Worker(), new Worker()];
  await heir.queue('resp_again', is);
  const first = await dead.begin();
  await declareDead('resp_again');
  const second = await heir.begin();
  expect([first.job.run, second.job.run]).toEqual([1, 2]);
  const finish = async ({ host, over }: typeof first, text: string, nano: bigint) => {
    host!.reply.write(delta(text) + completed('resp_again', text));
    host!.reply.finish();
    host!.end(done('resp_again', nano));
    await over;
  };
  // The dead one wakes up, before the other has ended.
  await finish(first, 'too late', 999n);
  expect(await stateOf('resp_again')).toMatchObject({
    state: 'running',
    run: 2,
    stored: 0,
    charges: [],
    records: 0,
    pending: HELD,
    events: [],
  });
  await finish(second, 'in time', 700n);
  const all = { state: 'completed', run: 2, stored: 1, charges: ['700'], records: 1, pending: 0n };
  expect(await stateOf('resp_again')).toMatchObject({ ...all, events: is ? [[2, 3]] : [] });
  expect([dead.ended.length, heir.ended.length]).toEqual([0, 1]);
});

test('an event was stored: it fails, is not charged, and its hold is released', async () => {
  const [dead, heir] = [new Worker(), new Worker()];
  await heir.queue('resp_seen', true);
  const first = await dead.begin();
  first.host!.reply.write(delta('a beginning'));
  dead.passTime();
  await vi.waitFor(async () => expect(await spansOf('resp_seen')).toEqual([[2, 2]]), WAIT);
  await declareDead('resp_seen');
  const second = await heir.begin();
  await second.over;
  expect(second.host).toBeUndefined();
  const failed = { state: 'failed', run: 2, stored: 1, charges: [], pending: 0n };
  expect(await stateOf('resp_seen')).toMatchObject({
    ...failed,
    events: [
      [2, 2],
      [3, 3],
    ],
  });
  // Events and an end of the dead one, too late.
  first.host!.reply.write(delta('too late'));
  dead.passTime();
  first.host!.reply.write(completed('resp_seen', 'too late'));
  first.host!.reply.finish();
  first.host!.end(done('resp_seen', 999n));
  await first.over;
  expect(await stateOf('resp_seen')).toMatchObject({
    ...failed,
    records: 0,
    events: [
      [2, 2],
      [3, 3],
    ],
  });
  expect(dead.ended).toEqual([]);
});

test('a process that stood still and takes its own over stops its first run', async () => {
  const worker = new Worker();
  await worker.queue('resp_own', true);
  const first = await worker.begin();
  await declareDead('resp_own');
  const second = await worker.begin();
  expect([first.host!.reply.gone, second.host!.reply.gone]).toEqual([true, false]);
  first.host!.end(done('resp_own', 999n));
  await first.over;
  second.host!.reply.write(completed('resp_own', 'whole'));
  second.host!.reply.finish();
  second.host!.end(done('resp_own', 700n));
  await second.over;
  expect(await stateOf('resp_own')).toMatchObject({ state: 'completed', run: 2, charges: ['700'], pending: 0n });
});

test('a shutdown hands over at once, and nothing of it is stored afterwards', async () => {
  const [closing, heir] = [new Worker(), new Worker()];
  await heir.queue('resp_handed', true);
  const first = await closing.begin();
  // Gathered, not stored yet.
  first.host!.reply.write(delta('nobody saw this'));
  await closing.runner.stop(0);
  closing.passTime();
  first.host!.end(done('resp_handed', 999n));
  await first.over;
  expect(first.host!.reply.gone).toBe(true);
  expect(await spansOf('resp_handed')).toEqual([]);
  const second = await heir.begin();
  second.host!.reply.write(completed('resp_handed', 'whole'));
  second.host!.reply.finish();
  second.host!.end(done('resp_handed', 700n));
  await second.over;
  const all = { state: 'completed', run: 2, stored: 1, charges: ['700'], pending: 0n };
  expect(await stateOf('resp_handed')).toMatchObject({ ...all, events: [[2, 2]] });
});

test('whoever claims sees the last event, even one that is stored while it claims', async () => {
  const worker = new Worker();
  await worker.queue('resp_seen_late', true);
  const old = await rows.claim(LEASE_MS, MANY_AT_ONCE);
  expect(old?.id).toBe('resp_seen_late');
  await declareDead('resp_seen_late');
  const batch = { first: 2, last: 2, dataKeyId: old!.dataKeyId, sealed: Buffer.of(1) };
  // A claim waits between what it sees and what it locks, for as long as this holds the lock.
  await db.query(`create function wait_while_claiming() returns boolean language plpgsql as $$ begin
      if current_query() like '%skip locked%' then perform pg_advisory_xact_lock_shared(${HELD_BACK}); end if;
      return true;
    end $$;
    create policy held_back on background_jobs as restrictive for update using (wait_while_claiming());
    select pg_advisory_lock(${HELD_BACK})`);
  const claiming = rows.claim(LEASE_MS, MANY_AT_ONCE);
  await vi.waitFor(async () => {
    const { rows: found } = await db.query(`select from pg_stat_activity where datname = current_database()
      and wait_event = 'advisory' and query like '%for update skip locked%'`);
    expect(found.length).toBe(1);
  }, WAIT);
  const isStored = await rows.append(old!, batch);
  await db.query(`select pg_advisory_unlock(${HELD_BACK})`);
  const claimed = await claiming;
  expect(claimed?.id).toBe('resp_seen_late');
  expect([isStored, claimed?.lastEvent]).toEqual([true, 2]);
  await db.query('drop policy held_back on background_jobs; drop function wait_while_claiming()');
});

test('an account at its limit leaves the place to others, and what it queued waits until one of its own has ended', async () => {
  const worker = new Worker();
  for (const id of ['resp_1', 'resp_2', 'resp_3']) await worker.queue(id, false);
  const other = `${account}-other`;
  await db.query(`insert into background_jobs
    select (jsonb_populate_record(j, jsonb_build_object('account_id', '${other}', 'id', 'resp_4',
      'created_at', now() + interval '1 second'))).* from background_jobs j where id = 'resp_3'`);
  const claimed = async () => {
    const job = await rows.claim(LEASE_MS, 1);
    return job && `${job.accountId} ${job.id}`;
  };
  expect([await claimed(), await claimed(), await claimed()]).toEqual([
    `${account} resp_1`,
    `${other} resp_4`,
    undefined,
  ]);
  await declareDead('resp_1');
  expect(await claimed()).toBe(`${account} resp_1`);
});

test.each(['', ', and the account stores again'])(
  'content erased while it is made%s: nothing of it is stored, what it used is charged',
  async (more) => {
    const [worker, keys] = [new Worker(), new StoredCaptures(store, () => VAULT)];
    await worker.queue('resp_erased', true);
    const { host, over } = await worker.begin();
    host!.reply.write(delta('of what was asked'));
    worker.passTime();
    await vi.waitFor(async () => expect(await spansOf('resp_erased')).toEqual([[2, 2]]), WAIT);
    await keys.erase(account);
    if (more !== '') await keys.dataKeyFor(account);
    host!.reply.write(delta('of what was erased'));
    worker.passTime();
    host!.reply.write(completed('resp_erased', 'of what was erased'));
    host!.reply.finish();
    host!.end(done('resp_erased', 700n));
    await over;
    const { rows: charges } = await db.query(
      `select amount from ledger_entries where account_id = '${account}' and kind = 'charge'`,
    );
    expect(charges).toEqual([{ amount: '700' }]);
    expect(await stateOf('resp_erased')).toEqual({ pending: 0n, events: [] });
    const { rows: left } = await db.query(`select from stored_responses where account_id = '${account}'`);
    expect([left, await storedBytes(), worker.ended.length]).toEqual([[], 0, 1]);
    expect((await keys.findDataKey(account)) === undefined).toBe(more === '');
  },
);

test('it is readable, with its events, for as long as what is stored from its end on, however long it might have taken', async () => {
  const worker = new Worker(0);
  await worker.queue('resp_over', true);
  const { host, over } = await worker.begin();
  host!.reply.write(delta('so far') + completed('resp_over', 'so far'));
  host!.reply.finish();
  host!.end(done('resp_over', 700n));
  await over;
  expect(await stateOf('resp_over')).toMatchObject({ state: 'completed', stored: 1, events: [[2, 3]] });
  expect(await rows.find(account, 'resp_over')).toBeUndefined();
  expect(await rows.events([{ accountId: account, id: 'resp_over', after: -1 }])).toEqual([undefined]);
  while ((await rows.sweep()) > 0);
  expect(await stateOf('resp_over')).toEqual({ pending: 0n, events: [] });
  while ((await new StoredRows(store).sweep()) > 0);
  expect(await storedBytes()).toBe(0);
});
