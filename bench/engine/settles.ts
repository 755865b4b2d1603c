/** Settles of some accounts under one lease each: a bare insert with the same chain of hashes, the ledger as it was, and as it is. */
import type { Command } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { BATCH, type Cost, interleaved, type Session } from './session.ts';

const COST_NANO = 12_345n;
const CREDIT_NANO = 1_000_000_000_000_000n;
const VERSION = 'dGVzdC12ZXJzaW9u';
const EPOCH = 'bench.1';

/** What any ledger must do: entries in a chain, a balance, both unique keys. No holds, no budgets, no checks. */
const BARE_TABLES = `
  create table bare_accounts (account_id text primary key, posted bigint not null, sequence bigint not null, head text not null);
  create table bare_entries (like ledger_entries including defaults);
  alter table bare_entries add primary key (account_id, sequence), add unique (account_id, id)`;

const BARE_SETTLES = `
  with given as materialized (
    select g.*, row_number() over (partition by account order by place) as number
    from unnest($1::text[], $2::text[], $3::bigint[]) with ordinality as g (account, request, amount, place)),
  mine as materialized (
    select account_id, sequence, head from bare_accounts where account_id in (select account from given) for update),
  hashed as materialized (
    select g.*, mine.sequence + g.number as sequence, mine.head as head_before,
      ledger_chain(case g.number when 1 then mine.head else '' end || '|' || g.account || '|' || mine.sequence + g.number || '|'
        || g.request || '|charge|' || g.account || '|house:revenue|' || g.amount || '|' || $4::text || '|false|' || $4::text)
        over (partition by g.account order by g.number) as hash
    from given g join mine on mine.account_id = g.account),
  written as (
    insert into bare_entries (account_id, sequence, id, kind, debit, credit, amount, price_version, estimated, memo, previous, hash)
    select account, sequence, request, 'charge', account, 'house:revenue', amount, $4, false, $4,
      coalesce(lag(hash) over (partition by account order by number), head_before), hash from hashed)
  update bare_accounts a set posted = posted + sums.amount, sequence = a.sequence + sums.count, head = sums.head
  from (select account, sum(amount)::bigint as amount, count(*) as count, (array_agg(hash order by number desc))[1] as head
    from hashed group by account) sums
  where a.account_id = sums.account`;

export type SettleSessions = { readonly bare: Session; readonly before: Session; readonly now: Session };

const toJson = (commands: readonly Command[]): string =>
  JSON.stringify(commands, (_, value) => (typeof value === 'bigint' ? `${value}` : value));

const accountsOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `of-${count}-account-${at}`);

async function openAccounts({ client }: Session, count: number): Promise<void> {
  const opened = accountsOf(count).flatMap((account): readonly Command[] => [
    { do: 'open-account', account, kind: 'prepaid', overdraft: 0n },
    { do: 'deposit', account, id: 'first', amount: CREDIT_NANO, memo: '' },
    { do: 'lease', account, lease: 'lease', epoch: EPOCH, wanted: CREDIT_NANO, least: 1n, scopes: [] },
  ]);
  await client.query('select ledger_apply($1)', [toJson([{ do: 'register', node: 'bench', epoch: EPOCH }, ...opened])]);
}

export async function furnishBare({ client }: Session): Promise<void> {
  await client.query(BARE_TABLES);
}

let requests = 0;

/** The same settles are never sent twice. */
const nextRequest = (): string => `01K${String(++requests).padStart(23, '0')}`;

export async function measureSettles(
  { bare, before, now }: SettleSessions,
  count: number,
  rounds: number,
): Promise<Readonly<Record<keyof SettleSessions, Cost[]>>> {
  const accounts = accountsOf(count);
  await bare.client.query(`insert into bare_accounts select account, 0, 0, '' from unnest($1::text[]) account`, [
    accounts,
  ]);
  for (const session of [before, now]) await openAccounts(session, count);
  const accountAt = (at: number): string => accounts[at % count] ?? '';
  const settles = (session: Session) => (): Promise<Cost> => {
    const run = Array.from({ length: BATCH }, (_, at): Command => {
      const of = { account: accountAt(at), request: nextRequest(), lease: 'lease', cost: COST_NANO };
      return { do: 'settle', ...of, priceVersion: VERSION, estimated: false, memo: VERSION };
    });
    return session.measure('select ledger_apply($1)', [toJson(run)]);
  };
  const costs = await interleaved(rounds, {
    bare: () => {
      const places = Array.from({ length: BATCH }, (_, at) => at);
      const values = [places.map(accountAt), places.map(nextRequest), places.map(() => COST_NANO), VERSION];
      return bare.measure(BARE_SETTLES, values);
    },
    before: settles(before),
    now: settles(now),
  });
  await requireSettled([before, now], count, rounds);
  return costs;
}

/** A figure of a ledger that lost something is worth nothing. */
async function requireSettled(sessions: readonly Session[], count: number, rounds: number): Promise<void> {
  const expected = BigInt((rounds + 1) * BATCH) * COST_NANO;
  for (const { client } of sessions) {
    const { rows } = await client.query(
      'select sum(posted)::text as posted from ledger_accounts where account_id = any($1)',
      [accountsOf(count)],
    );
    if (BigInt(rows[0].posted) !== expected) throw new Error(`posted ${rows[0].posted} of ${expected}`);
  }
}
