/** Plays the same commands in the core and in PostgreSQL, and compares every answer and every row. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { violationsOf } from '../../packages/gateway/src/money/ledger/core/invariants.ts';
import { emptyLedger, type LedgerState } from '../../packages/gateway/src/money/ledger/core/ledger-state.ts';
import { apply } from '../ledger-model/reference/apply.ts';
import { type Batch, drawSequence, UP_SINCE_MS } from './sequences.ts';

/** One round trip for a whole sequence. */
const PLAY = `create function pg_temp.play(batches jsonb, up_since_ms bigint, one_by_one boolean) returns jsonb language plpgsql as $$
declare batch jsonb; command jsonb; results jsonb := '[]';
begin
  for batch in select jsonb_array_elements(batches) loop
    if one_by_one then
      for command in select jsonb_array_elements(batch -> 'commands') loop
        results := results || ledger_apply_at(jsonb_build_array(command), (batch ->> 'nowMs')::bigint, up_since_ms);
      end loop;
    else
      results := results || ledger_apply_at(batch -> 'commands', (batch ->> 'nowMs')::bigint, up_since_ms);
    end if;
  end loop;
  return jsonb_build_object('results', results,
    'accounts', (select jsonb_agg(jsonb_build_array(account_id, kind, overdraft::text, credit::text, posted::text, pending::text,
      overrun::text, sequence, head) order by account_id) from ledger_accounts),
    'holds', (select jsonb_agg(jsonb_build_array(account_id, id, kind, epoch, lease, granted::text, drawn::text, state,
      checkpoint::text, price_version, to_jsonb(purses), version, recall, idempotency_key, forgone::text,
      coalesce(to_jsonb(ledger_holds) ->> 'instead', '')) order by account_id, id) from ledger_holds),
    'entries', (select jsonb_agg(jsonb_build_array(account_id, sequence, id, kind, debit, credit, amount::text, price_version,
      estimated, memo, previous, hash) order by account_id, sequence) from ledger_entries),
    'purses', (select jsonb_agg(jsonb_build_array(account_id, key, posted::text, pending::text,
      to_jsonb(ledger_purses) -> 'on_limit_ms') order by account_id, key)
      from ledger_purses where posted <> 0 or pending <> 0 or to_jsonb(ledger_purses) ->> 'on_limit_ms' is not null),
    'nodes', (select jsonb_agg(jsonb_build_array(epoch, node, beat_at_ms, state) order by epoch) from ledger_nodes),
    'unmatched', (select jsonb_agg(jsonb_build_array(account_id, request_id) order by account_id, request_id) from usage_unmatched));
end $$`;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}` : member));

type Rows = readonly (readonly unknown[])[];
const sorted = (rows: Rows): Rows | null => {
  const key = ([first, second]: readonly unknown[]): string =>
    `${first} ${typeof second === 'number' ? String(second).padStart(20) : second}`;
  return rows.length === 0 ? null : [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
};

function stateOf(state: LedgerState): Record<string, unknown> {
  const purseKey = (key: string): string => key.slice(key.indexOf(' ') + 1);
  const holds = [...state.holds.values()].map((hold) => [
    hold.account,
    hold.id,
    hold.kind,
    hold.epoch,
    hold.lease,
    hold.granted,
    hold.drawn,
    hold.state,
    hold.checkpoint,
    hold.priceVersion,
    hold.purses.map(purseKey),
    hold.version,
    hold.recall,
    hold.idempotencyKey,
    hold.forgone,
    hold.instead,
  ]);
  const entries = [...state.entries.values()].map((entry) => [
    entry.account,
    entry.sequence,
    entry.id,
    entry.kind,
    entry.debit,
    entry.credit,
    entry.amount,
    entry.priceVersion,
    entry.estimated,
    entry.memo,
    entry.previous,
    entry.hash,
  ]);
  const accounts = [...state.accounts.values()].map((account) => [
    account.id,
    account.kind,
    account.overdraft,
    account.credit,
    account.posted,
    account.pending,
    account.overrun,
    account.sequence,
    account.head,
  ]);
  const purses = [...state.purses.entries()]
    .filter(([, { posted, pending, onLimitMs }]) => posted !== 0n || pending !== 0n || onLimitMs !== undefined)
    .map(([key, { account, posted, pending, onLimitMs = null }]) => [
      account,
      purseKey(key),
      posted,
      pending,
      onLimitMs,
    ]);
  const nodes = [...state.nodes.values()].map(({ epoch, node, beatAtMs, state }) => [epoch, node, beatAtMs, state]);
  return {
    accounts: sorted(accounts),
    holds: sorted(holds),
    entries: sorted(entries),
    purses: sorted(purses),
    nodes: sorted(nodes),
  };
}

function playInCore(batches: readonly Batch[]): Record<string, unknown> {
  const state = emptyLedger(sha256);
  const results = batches.flatMap(({ nowMs, commands }) =>
    commands.map((command) => apply(state, command, { nowMs, upSinceMs: UP_SINCE_MS })),
  );
  const [violation] = violationsOf(state);
  if (violation !== undefined) throw new Error(`${violation.invariant}: ${violation.says}`);
  return { results, ...stateOf(state) };
}

export type Compared = {
  readonly sequences: number;
  readonly commands: number;
  readonly difference?: { readonly seed: number; readonly core: string; readonly sql: string };
};

const WAYS = ['in batches', 'one by one'] as const;
type Way = (typeof WAYS)[number];
type State = Readonly<Record<string, unknown>>;

/** Of each sequence three are compared: the reference ledger, SQL in batches, and SQL one command after the other. */
export async function compareSequences(databaseUrl: string, from: number, to: number): Promise<Compared> {
  let commands = 0;
  return withPlayer(databaseUrl, async (play) => {
    for (let seed = from; seed < to; seed++) {
      const batches = drawSequence(seed);
      for (const batch of batches) commands += batch.commands.length;
      const core = JSON.parse(toJson(playInCore(batches)));
      for (const way of WAYS) {
        const sql = await play(batches, way);
        for (const part of Object.keys(core))
          if (!isDeepStrictEqual(core[part], sql[part])) {
            const difference = {
              seed,
              core: `${part} ${toJson(core[part])}`,
              sql: `${part} ${way} ${toJson(sql[part])}`,
            };
            return { sequences: seed - from, commands, difference };
          }
      }
    }
    return { sequences: to - from, commands };
  });
}

/** For commands that no node sends, and that the reference ledger need not agree on. */
export const statesInSql = (databaseUrl: string, batches: readonly Batch[]): Promise<Readonly<Record<Way, State>>> =>
  withPlayer(databaseUrl, async (play) => ({
    'in batches': await play(batches, 'in batches'),
    'one by one': await play(batches, 'one by one'),
  }));

export type Player = (batches: readonly Batch[], way: Way) => Promise<State>;

/** Rolled back, so that each sequence starts with an empty state. */
export async function withPlayer<T>(databaseUrl: string, work: (play: Player) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(PLAY);
    return await work(async (batches, way) => {
      await client.query('begin');
      try {
        const { rows } = await client.query('select pg_temp.play($1, $2, $3) as played', [
          toJson(batches),
          UP_SINCE_MS,
          way === 'one by one',
        ]);
        return rows[0].played;
      } finally {
        await client.query('rollback');
      }
    });
  } finally {
    await client.end();
  }
}
