/** What waits for what in a tree of accounts: only what shares a budget of a group, and what makes or ends such a budget. */
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Command, Result, SetParent } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let one: Client;
let other: Client;
let watcher: Client;
let otherPid: number;
let tree = 0;

const connect = async (): Promise<Client> => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  return client;
};

beforeAll(async () => {
  database = await freshDatabase();
  [one, other, watcher] = [await connect(), await connect(), await connect()];
  otherPid = (await other.query('select pg_backend_pid() as pid')).rows[0].pid;
});
afterAll(async () => {
  for (const client of [one, other, watcher]) await client.end();
  await database.drop();
});

const toJson = (commands: readonly (Command | SetParent)[]): string =>
  JSON.stringify(commands, (_, value) => (typeof value === 'bigint' ? `${value}` : value));

async function apply(client: Client, ...commands: readonly (Command | SetParent)[]): Promise<readonly Result[]> {
  const { rows } = await client.query('select ledger_apply($1) as results', [toJson(commands)]);
  return rows[0].results;
}

const settle = (account: string, request: string): Command => ({
  do: 'settle',
  account,
  request,
  lease: 'first',
  cost: 10n,
  priceVersion: 'v',
  estimated: false,
  memo: '',
});
const settles = (account: string, count: number): readonly Command[] =>
  Array.from({ length: count }, (_, at) => settle(account, `${account}-${at}`));
const lease = (account: string, name: string): Command => ({
  do: 'lease',
  account,
  lease: name,
  epoch: 'e',
  wanted: 1_000n,
  least: 1n,
  scopes: [],
});
const setGroupBudget = (account: string, limit: bigint | null): Command => ({
  do: 'set-budget',
  account,
  scope: 'group',
  span: 'total',
  limit,
});

/** A company above a division above a team, and another team; names sort the other way round than the tree. */
let company: string;
let division: string;
let team: string;
let otherTeam: string;
beforeEach(async () => {
  tree++;
  [company, division, team, otherTeam] = [`z${tree}`, `y${tree}`, `m${tree}`, `n${tree}`];
  for (const account of [company, division, team, otherTeam])
    await apply(
      one,
      { do: 'register', node: 'n', epoch: 'e' },
      { do: 'open-account', account, kind: 'prepaid', overdraft: 0n },
      { do: 'deposit', account, id: 'paid', amount: 1_000_000n, memo: '' },
      lease(account, 'first'),
    );
  for (const [account, parent] of [
    [division, company],
    [team, division],
    [otherTeam, company],
  ] as const)
    await apply(one, { do: 'set-parent', account, parent });
});

/** Whether the command is refused a lock within a moment, while the transaction of `one` is open. */
async function waits(...commands: readonly (Command | SetParent)[]): Promise<boolean> {
  await other.query("begin; set local lock_timeout = '300ms'");
  try {
    await apply(other, ...commands);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: '55P03' });
    return true;
  } finally {
    await other.query('rollback');
  }
}

async function inTransaction<T>(commands: readonly (Command | SetParent)[], work: () => Promise<T>): Promise<T> {
  await one.query('begin');
  try {
    await apply(one, ...commands);
    return await work();
  } finally {
    await one.query('commit');
  }
}

/** Resolves when the statement of `other` waits for a lock. */
async function untilOtherWaits(): Promise<void> {
  for (;;) {
    const { rowCount } = await watcher.query('select from pg_locks where pid = $1 and not granted', [otherPid]);
    if (rowCount !== 0) return;
  }
}

const pursesOf = async (account: string, name: string): Promise<readonly string[]> => {
  const { rows } = await watcher.query('select purses from ledger_holds where account_id = $1 and id = $2', [
    account,
    name,
  ]);
  return rows[0].purses;
};

test.each([1, 8])(
  '%i settles of a team do not wait for those of another team below the same company',
  async (count) => {
    await inTransaction(settles(team, count), async () => {
      expect(await waits(...settles(otherTeam, count))).toBe(false);
      expect(await waits(...settles(company, count))).toBe(false);
      expect(await waits(...settles(team, count))).toBe(true);
    });
  },
);

test('teams below a company with a group budget take turns', async () => {
  await apply(one, setGroupBudget(company, 5_000n));
  await inTransaction(settles(team, 8), async () => {
    expect(await waits(...settles(otherTeam, 8))).toBe(true);
    expect(await waits(settle(otherTeam, 'r'))).toBe(true);
  });
  await apply(one, setGroupBudget(company, null));
  await inTransaction([settle(team, 'later')], async () => {
    expect(await waits(...settles(otherTeam, 8))).toBe(false);
  });
});

describe('the first group budget of a tree', () => {
  test('waits for batches below, whose leases it then recalls', async () => {
    await inTransaction([lease(team, 'new')], async () => {
      expect(await waits(setGroupBudget(company, 5_000n))).toBe(true);
    });
    await apply(one, setGroupBudget(company, 5_000n));
    const { rows } = await watcher.query(`select recall from ledger_holds where account_id = $1 and id = 'new'`, [
      team,
    ]);
    expect(rows).toEqual([{ recall: 'asked' }]);
  });

  test.each([
    ['a lease', () => [lease(team, 'new')]],
    ['a lease behind settles', () => [...settles(team, 8), lease(team, 'new')]],
  ])('binds %s that waited for it', async (_what, commands) => {
    const taken = await inTransaction([setGroupBudget(company, 5_000n)], async () => {
      const applied = apply(other, ...commands());
      await untilOtherWaits();
      return { applied };
    });
    expect((await taken.applied).at(-1)).toMatchObject({ is: 'granted' });
    expect(await pursesOf(team, 'new')).toEqual([`@${company} group total 0`]);
  });
});

test('an account that was moved below a group budget takes those below it along, also those that waited', async () => {
  const holding = `h${tree}`;
  await apply(one, { do: 'open-account', account: holding, kind: 'prepaid', overdraft: 0n });
  await apply(one, setGroupBudget(holding, 5_000n));
  const taken = await inTransaction([{ do: 'set-parent', account: division, parent: holding }], async () => {
    const applied = apply(other, lease(team, 'new'));
    await untilOtherWaits();
    return { applied };
  });
  expect(await taken.applied).toMatchObject([{ is: 'granted' }]);
  expect(await pursesOf(team, 'new')).toEqual([`@${holding} group total 0`]);
});
