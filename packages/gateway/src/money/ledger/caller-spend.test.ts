import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { expect, test, vi } from 'vitest';
import type { Caller } from '../../kernel/caller.ts';
import { CallerSpend } from './caller-spend.ts';
import { OVER_BUDGET, overBudgetOf } from './refusals.ts';

const CENT = 10_000_000n;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 10, 19);

type Asked = { readonly account: string; readonly scopes: readonly string[] };
type Row = { scope: string; span: string; most: bigint; posted: bigint; pending: bigint; endMs: number };

const caller = (name: string): Caller => ({
  keyId: name,
  memberId: name,
  accountId: 'acme',
  strict: false,
  mayUse: () => true,
  grant: { id: name, client: 'claude-code', groups: [] },
});
const row = (scope: string, span: string, spentCents: number, endMs = START_MS + DAY_MS): Row => ({
  scope,
  span,
  most: 100n * CENT,
  posted: BigInt(spentCents) * CENT,
  pending: 0n,
  endMs,
});

/** A database that answers with these bounds to all questions, and keeps them. */
function stand(bounds: (asked: Asked) => readonly Row[]) {
  const queries: (readonly Asked[])[] = [];
  const state = { nowMs: START_MS, isDown: false };
  class Answering extends DummyDriver {
    override async acquireConnection() {
      return {
        executeQuery: async ({ parameters }: { readonly parameters: readonly unknown[] }) => {
          if (state.isDown) throw new Error('the database is down');
          const asked = JSON.parse(String(parameters[0])) as Asked[];
          queries.push(asked);
          const rows = asked.flatMap((one, at) => bounds(one).map((bound) => ({ place: at + 1, ...bound })));
          return { rows: rows as never[] };
        },
        streamQuery: () => {
          throw new Error('nothing is streamed');
        },
      };
    }
  }
  const writer = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Answering(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const troubles: unknown[] = [];
  const spend = new CallerSpend({
    writer,
    nowMs: () => state.nowMs,
    monotonicMs: () => state.nowMs,
    spent: async () => ({ daily: 1, weekly: 2, monthly: 3 }),
    nextStep: () => 'ask.',
    onTrouble: (error) => troubles.push(error),
  });
  return { spend, queries, state, troubles };
}

test('calls ask nothing while figures are known, and many people are read together', async () => {
  const { spend, queries, state } = stand(() => [row('account', 'day', 50)]);
  const people = Array.from({ length: 50 }, (_, at) => caller(`p${at}`));
  for (const one of people) for (let time = 0; time < 20; time++) expect(spend.shown(one)).toBeUndefined();
  await vi.waitFor(() => expect(spend.shown(people[0]!)?.used).toBe(0.5));
  expect(queries.map((asked) => asked.length)).toEqual([50]);
  expect(queries[0]?.[1]).toEqual({ account: 'acme', scopes: ['key:p1', 'member:p1'] });
  state.nowMs += 14_000;
  for (const one of people) expect(spend.shown(one)?.spentCents).toBe(50);
  expect(queries).toHaveLength(1);
  state.nowMs += 2000;
  // Nothing waits for newer ones: what is known is shown meanwhile.
  for (const one of people) expect(spend.shown(one)?.spentCents).toBe(50);
  await vi.waitFor(() => expect(queries).toHaveLength(2));
});

test('the fullest limit is shown, of equal ones the one that resets last, and none whose window is over', async () => {
  const bounds = [
    row('account', 'day', 60),
    row('member:p', 'month', 80, START_MS + 12 * DAY_MS),
    row('key:p', 'week', 80, START_MS + 4 * DAY_MS),
    row('member:p', 'total', 99),
    row('group', 'month', 99),
    row('tag:team=', 'month', 99),
  ];
  const { spend, state } = stand(() => bounds);
  const report = await spend.report(caller('p'));
  expect(report['extra_usage']).toMatchObject({ monthly_limit: 100, used_credits: 80, utilization: 80 });
  expect(report['limits']).toMatchObject([
    { group: 'daily', percent: 60, severity: 'normal', is_active: false },
    { group: 'monthly', percent: 80, severity: 'warning', is_active: true },
    { group: 'weekly', percent: 80, is_active: false },
  ]);
  expect(spend.shown(caller('p'))?.period).toBe('monthly');
  state.nowMs = START_MS + 13 * DAY_MS;
  expect(spend.shown(caller('p'))).toBeUndefined();
});

test('a database that is down changes neither answers nor refusals', async () => {
  const { spend, state, troubles } = stand(() => [row('member:p', 'day', 100)]);
  await spend.report(caller('p'));
  state.isDown = true;
  state.nowMs += 60_000;
  expect(spend.shown(caller('p'))?.used).toBe(1);
  const refusal = overBudgetOf('member:p');
  expect(await spend.refusal(caller('p'), refusal)).toBe(refusal);
  expect(troubles.length).toBeGreaterThan(0);
  state.isDown = false;
  expect(await spend.refusal(caller('p'), refusal)).toMatchObject({
    kind: 'over-cap',
    message: 'Your daily budget of $1.00 is used up until Nov 20, 2026, 00:00 UTC; ask.',
    retryAfterMs: DAY_MS - 60_000,
    retry: false,
  });
  // Credit has no window, and a limit of another scope is not the one that refused.
  expect(await spend.refusal(caller('p'), OVER_BUDGET)).toBe(OVER_BUDGET);
  const other = overBudgetOf('key:p');
  expect(await spend.refusal(caller('p'), other)).toBe(other);
});
