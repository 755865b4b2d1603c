/**
 * Budget templates on real PostgreSQL: members in a race at their last cent over four nodes; at night two
 * thousand of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Hold, HoldRequest } from '../../packages/gateway/src/kernel/admission.ts';
import { auditAccount } from '../../packages/gateway/src/money/ledger/audit.ts';
import {
  BudgetTemplates,
  type StoredTemplate,
  UnknownTimeZoneError,
} from '../../packages/gateway/src/money/ledger/budget-templates.ts';
import { Credits, OperatorsBudgetError } from '../../packages/gateway/src/money/ledger/credits.ts';
import { NodeLedger } from '../../packages/gateway/src/money/ledger/node-ledger.ts';
import { PostgresLedger } from '../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import { DatabaseEvents } from '../../packages/gateway/src/store/postgres/events.ts';
import { kyselyOn, openPool, Store } from '../../packages/gateway/src/store/postgres/store.ts';
import type { Tables } from '../../packages/gateway/src/store/postgres/tables.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { NIGHTLY } from '../support/nightly.ts';
import { balanceOf, bill, openPrepaid } from './money-stand.ts';

const MEMBERS = NIGHTLY ? 2_000 : 25;
const NODES = 4;
const COST = 1_000n;
/** Two requests fit, and half of one is left. */
const LIMIT = 2_500n;
const PATIENCE_MS = 30_000 + MEMBERS * 600;

let database: TestDatabase;
let store: Store;
let credits: Credits<unknown>;
let templates: BudgetTemplates<unknown>;
let folder: string;
let nodes: NodeLedger[];
let events: DatabaseEvents;
let ids = 0;

beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  credits = new Credits(store.writer) as unknown as Credits<unknown>;
  templates = new BudgetTemplates(store.writer) as unknown as BudgetTemplates<unknown>;
  folder = mkdtempSync(join(tmpdir(), 'trivium-templates-'));
});
afterAll(async () => {
  await store.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  nodes = await Promise.all(
    Array.from({ length: NODES }, () => {
      const node = `t${++ids}`;
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
        sizing: { least: 1n, first: 2n },
      });
    }),
  );
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

const TEMPLATE: StoredTemplate = {
  each: 'member',
  span: 'week',
  limit: LIMIT,
  timeZone: 'Europe/Berlin',
  weekStartsOn: 1,
  anchorDay: 1,
  missing: 'refuse',
  softPercent: [],
  setBy: 'operator',
};

const request = (accountId: string, memberId?: string, tags: Record<string, string> = {}): HoldRequest => ({
  requestId: `r${++ids}`,
  caller: { keyId: 'k', accountId, strict: false, mayUse: () => true, ...(memberId !== undefined && { memberId }) },
  modelId: 'm',
  maxOutputTokens: 1,
  tags,
  quote: { holdNanoUsd: COST, priceVersion: 'v1', unpriced: [] },
});

/** What is granted is settled at its full price; else the message of the refusal. */
async function ask(node: NodeLedger, asked: HoldRequest): Promise<true | string> {
  const hold = await node.hold(asked);
  if (!isHold(hold)) return (hold as { readonly message: string }).message;
  hold.settle(bill(COST));
  return true;
}

const pursesOf = async (account: string) =>
  (
    await sql<{ scope: string; span: string; posted: bigint; pending: bigint }>`
      select scope, span, posted, pending from ledger_purses where account_id = ${account} order by key collate "C"`.execute(
      store.writer,
    )
  ).rows;

test(
  `${MEMBERS} members spend their budgets over ${NODES} nodes completely, and never more`,
  async () => {
    await openPrepaid(store, 'race', 1_000_000_000n);
    await templates.set('race', TEMPLATE);
    const members = Array.from({ length: MEMBERS }, (_, at) => `m${at}`);
    const served = new Map<string, number>(members.map((member) => [member, 0]));
    const tryOnce = async (member: string, at: number): Promise<void> => {
      if ((await ask(nodes[at % NODES]!, request('race', member))) === true)
        served.set(member, (served.get(member) ?? 0) + 1);
    };
    await Promise.all(members.flatMap((member) => Array.from({ length: NODES }, (_, at) => tryOnce(member, at))));
    // What lay in the lease of another node for too long is asked for again.
    for (let round = 0; round < 8 && [...served.values()].some((count) => count < 2); round++)
      await Promise.all(
        members.map((member, at) => ((served.get(member) ?? 0) < 2 ? tryOnce(member, at + round) : undefined)),
      );
    await Promise.all(nodes.map((node) => node.close(30_000)));
    expect([...served].filter(([, count]) => count !== 2)).toEqual([]);
    const purses = await pursesOf('race');
    expect(purses).toHaveLength(MEMBERS);
    expect(purses.filter(({ posted, pending }) => posted !== 2n * COST || pending !== 0n)).toEqual([]);
    expect(await balanceOf(store, 'race')).toMatchObject({
      posted: BigInt(MEMBERS) * 2n * COST,
      pending: 0n,
      overrun: 0n,
    });
    expect(await auditAccount(store.writer, 'race')).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'members in a race at their last cent over all nodes: the model asked for stays within the limit, the named one within what it may exceed it by',
  async () => {
    await openPrepaid(store, 'beyond', 1_000_000_000n);
    const beyond = 700n;
    await templates.set('beyond', { ...TEMPLATE, onLimit: { model: 'small', beyond } });
    const members = Array.from({ length: MEMBERS }, (_, at) => `m${at}`);
    const asked = new Map<string, bigint>();
    /** Asks for a model of 1,000; where it does not fit, for the named one at 300, and what is free at the end. */
    const tryOnce = async (member: string, at: number): Promise<void> => {
      const node = nodes[at % NODES]!;
      const first = request('beyond', member);
      const hold = await node.hold(first);
      if (isHold(hold)) {
        hold.settle(bill(COST));
        asked.set(member, (asked.get(member) ?? 0n) + COST);
        return;
      }
      expect(node.onLimitOf(hold)).toEqual({ model: 'small', budget: 'each member per week' });
      for (const holdNanoUsd of [300n, 0n]) {
        const again = { ...first, quote: { ...first.quote!, holdNanoUsd }, instead: 'small' };
        const named = await node.hold(holdNanoUsd === 0n ? { ...again, requestId: `r${++ids}` } : again);
        if (isHold(named)) named.settle(bill(holdNanoUsd));
        else expect(holdNanoUsd).toBeGreaterThan(0n);
      }
    };
    for (let round = 0; round < 3; round++)
      await Promise.all(members.flatMap((member) => Array.from({ length: NODES }, (_, at) => tryOnce(member, at))));
    await Promise.all(nodes.map((node) => node.close(30_000)));
    const purses = await pursesOf('beyond');
    expect(purses).toHaveLength(MEMBERS);
    expect(purses.filter(({ posted, pending }) => posted > LIMIT + beyond || pending !== 0n)).toEqual([]);
    expect([...asked].filter(([, sum]) => sum > LIMIT)).toEqual([]);
    expect(purses.some(({ posted }) => posted > LIMIT)).toBe(true);
    expect(await balanceOf(store, 'beyond')).toMatchObject({ pending: 0n, overrun: 0n });
    expect(await auditAccount(store.writer, 'beyond')).toEqual([]);
    const [shown] = await templates.balances('beyond', 'member', 'week', '', 1);
    expect(shown?.onLimitMs).toEqual(expect.any(Number));
  },
  PATIENCE_MS,
);

test('a stream of the named model is extended to what that model may spend, and is then stopped', async () => {
  await openPrepaid(store, 'stream', 1_000_000_000n);
  await templates.set('stream', { ...TEMPLATE, limit: COST, onLimit: { model: 'small', beyond: 500n } });
  expect(await ask(nodes[0]!, request('stream', 'm'))).toBe(true);
  const refused = request('stream', 'm');
  expect(isHold(await nodes[0]!.hold(refused))).toBe(false);
  const quote = { holdNanoUsd: 400n, priceVersion: 'v1', unpriced: [] };
  const hold = await nodes[0]!.hold({ ...refused, quote, instead: 'small' });
  if (!isHold(hold)) throw new Error('the named model does not fit');
  // Extended by a quarter and one, which is more than what is left of 1,500.
  hold.meter!(bill(399n));
  await expect.poll(() => hold.meter!(bill(450n)), { timeout: 10_000 }).toBe('stop');
  hold.settle(bill(400n));
  const again = { ...request('stream', 'm'), quote: { ...quote, holdNanoUsd: 60n }, instead: 'small' };
  const last = await nodes[0]!.hold(again);
  if (!isHold(last)) throw new Error('the named model does not fit');
  // By 16 to 76 and then to 92.
  expect(last.meter!(bill(59n))).toBe('go');
  await expect.poll(() => last.meter!(bill(70n)), { timeout: 10_000 }).toBe('go');
  last.settle(bill(70n));
});

test('a request without a member is refused, or draws on one budget for all without', async () => {
  await openPrepaid(store, 'missing', 1_000_000n);
  await templates.set('missing', TEMPLATE);
  const refusal = 'The budget of requests without a member does not cover this request.';
  expect(await ask(nodes[0]!, request('missing'))).toBe(refusal);
  // As a node of the release before asks, which does not know templates.
  const hold = { do: 'hold', account: 'missing', request: 'old', epoch: 'e', amount: 0n, scopes: [] } as const;
  const results = await new PostgresLedger(store.writer).apply([
    { do: 'register', node: 'old', epoch: 'e' },
    { ...hold, priceVersion: 'v', idempotencyKey: '' },
  ]);
  expect(results[1]).toMatchObject({ is: 'refused', scope: 'member:' });
  await templates.set('missing', { ...TEMPLATE, missing: 'shared' });
  for (const expected of [true, true, refusal]) expect(await ask(nodes[1]!, request('missing'))).toBe(expected);
  expect(await ask(nodes[1]!, request('missing', 'm'))).toBe(true);
});

test('a node that has not heard of a new template learns of it before it refuses', async () => {
  await openPrepaid(store, 'unheard', 1_000_000n);
  expect(await ask(nodes[0]!, request('unheard', 'm'))).toBe(true);
  // Nothing of the database reaches the nodes.
  await events.close();
  await templates.set('unheard', TEMPLATE);
  // Leases of before are returned with a heartbeat, or used up.
  nodes[0]!.changed = () => undefined;
  nodes[0]!.recalled('unheard');
  for (const expected of [true, true]) expect(await ask(nodes[0]!, request('unheard', 'm'))).toBe(expected);
  expect(await ask(nodes[0]!, request('unheard', 'm'))).toBe('The budget of this member does not cover this request.');
  expect(await ask(nodes[0]!, request('unheard'))).toContain('requests without a member');
});

test('an unlimited account with a template needs a hold on every node, the old ones included', async () => {
  await credits.setTerms('free', 'unlimited', 0n);
  await templates.set('free', { ...TEMPLATE, each: 'tag:user', span: 'day' });
  const [terms] = await new PostgresLedger(store.writer).termsOf(['free']);
  expect(terms).toEqual({
    unlimited: true,
    budgeted: new Set(['account', 'each:tag:user']),
    each: new Set(['tag:user']),
  });
  expect(await ask(nodes[0]!, request('free', 'm'))).toBe(
    'The budget of requests without a tag user does not cover this request.',
  );
  for (const expected of [true, true])
    expect(await ask(nodes[0]!, request('free', 'm', { user: 'a=b' }))).toBe(expected);
  expect(await ask(nodes[1]!, request('free', 'm', { user: 'a=b' }))).toContain('the tag user=a=b');
  expect(await ask(nodes[1]!, request('free', 'm', { user: 'c' }))).toBe(true);
});

test('a budget, or a template of one member, replaces the template of all members for its span', async () => {
  await openPrepaid(store, 'own', 1_000_000n);
  await templates.set('own', { ...TEMPLATE, span: 'month', limit: COST });
  await templates.set('own', { ...TEMPLATE, each: 'member:large', span: 'month', limit: 3n * COST });
  await credits.setBudget('own', 'member:set', 'month', 2n * COST);
  const servedOf = async (member: string): Promise<number> => {
    let served = 0;
    for (let at = 0; at < 5; at++) if ((await ask(nodes[0]!, request('own', member))) === true) served++;
    return served;
  };
  expect([await servedOf('usual'), await servedOf('large'), await servedOf('set')]).toEqual([1, 3, 2]);
  await nodes[0]!.close(10_000);
  expect((await pursesOf('own')).map(({ scope, posted }) => [scope, posted])).toEqual([
    ['member:large', 3n * COST],
    ['member:set', 2n * COST],
    ['member:usual', COST],
  ]);
  const shown = await templates.balances('own', 'member', 'month', '', 10);
  expect(shown.map(({ scope, limit, posted }) => [scope, limit, posted])).toEqual([['member:usual', COST, COST]]);
});

test('members do not replace what the operator has set, in whatever order', async () => {
  await templates.set('rights', { ...TEMPLATE, span: 'day' });
  const limit = 1_000_000n;
  await expect(credits.setBudget('rights', 'member:m', 'day', limit, 'member')).rejects.toThrow(OperatorsBudgetError);
  for (const each of ['member', 'member:m'])
    await expect(templates.set('rights', { ...TEMPLATE, each, span: 'day', limit, setBy: 'member' })).rejects.toThrow(
      OperatorsBudgetError,
    );
  await expect(templates.remove('rights', 'member', 'day', 'member')).rejects.toThrow(OperatorsBudgetError);
  // What members have set before goes when the operator sets a template.
  await credits.setBudget('rights', 'member:m', 'month', limit, 'member');
  await templates.set('rights', { ...TEMPLATE, each: 'member:n', span: 'month', limit, setBy: 'member' });
  await templates.set('rights', { ...TEMPLATE, each: 'key', span: 'month', setBy: 'member' });
  await templates.set('rights', { ...TEMPLATE, span: 'month' });
  expect(await credits.budgets('rights')).toEqual([]);
  expect((await templates.list('rights')).map(({ each, span, setBy }) => `${each} ${span} ${setBy}`)).toEqual([
    'key month member',
    'member day operator',
    'member month operator',
  ]);
  expect(await templates.remove('rights', 'key', 'month', 'member')).toBe(true);
  expect(await templates.remove('rights', 'key', 'month', 'member')).toBe(false);
});

test('a time zone that the database does not know is refused when the template is set', async () => {
  await expect(templates.set('zone', { ...TEMPLATE, timeZone: 'Europe/Atlantis' })).rejects.toThrow(
    UnknownTimeZoneError,
  );
  expect(await templates.list('zone')).toEqual([]);
});

test('a hold without templates works out no window of one', async () => {
  await credits.setBudget('plain', 'account', 'day', 1_000_000n);
  const owner = kyselyOn(openPool(database.settings, undefined, () => undefined));
  try {
    await owner.transaction().execute(async (db) => {
      await sql`set local track_functions = 'all'`.execute(db);
      const of = { account: 'plain', epoch: 'plain', scopes: ['member:m'] };
      const results = await new PostgresLedger<Tables>(db).apply([
        { do: 'register', node: 'plain', epoch: 'plain' },
        { do: 'hold', ...of, request: 'r', amount: 5n, priceVersion: 'v', idempotencyKey: '' },
        { do: 'lease', ...of, lease: 'l', wanted: 5n, least: 1n },
      ]);
      expect(results.map(({ is }) => is)).toEqual(['done', 'granted', 'granted']);
      const { rows } = await sql<{ name: string; calls: bigint }>`
        select funcname as name, calls from pg_stat_xact_user_functions
        where funcname in ('ledger_reach', 'ledger_window', 'ledger_template_reach', 'ledger_template_limit', 'ledger_kind_of')`.execute(
        db,
      );
      expect(rows).toEqual([{ name: 'ledger_reach', calls: 2n }]);
    });
  } finally {
    await owner.destroy();
  }
});
