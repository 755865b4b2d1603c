/**
 * `npm run bench:ledger [-- --rounds N]`: settles of one account under one lease, posted in one database by `ledger_apply` as it was
 * and as it is, in turn. Prints milliseconds per batch and settles per second; the last line is JSON.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import type { Command, Settle } from '../packages/gateway/src/money/ledger/core/commands.ts';
import { LAST_BEFORE } from '../packages/gateway/src/store/baseline.ts';
import { MIGRATIONS, openPreviousRelease } from '../scripts/previous-release.ts';
import { freshDatabase } from '../tests/support/database.ts';
import { spreadOf } from './statistics.ts';

const BATCHES = [64, 256, 1024] as const;
const WAYS = ['before', 'now'] as const;
const ACCOUNT = 'hot';
const LEASE = 'lease';
const COST_NANO = 12_345n;
const CREDIT_NANO = 1_000_000_000_000_000n;

type Way = (typeof WAYS)[number];

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } });
const rounds = Number(values.rounds);

/** The function as the first migration of the ledger made it: each command alone, with two updates of the account for each settle. */
function bodyBefore(): string {
  const before = openPreviousRelease(LAST_BEFORE, [MIGRATIONS]);
  const text = readFileSync(join(before.folder, MIGRATIONS, '0030-ledger.sql'), 'utf8');
  before.close();
  const [body] = /create function ledger_apply_at\(.*?end \$\$;/s.exec(text) ?? [];
  if (body === undefined) throw new Error('0030-ledger.sql has no ledger_apply_at');
  return body.replace('ledger_apply_at', 'ledger_apply_before');
}

const FUNCTIONS: Readonly<Record<Way, string>> = { before: 'ledger_apply_before', now: 'ledger_apply_at' };

async function apply(client: Client, way: Way, commands: readonly Command[]): Promise<number> {
  const json = JSON.stringify(commands, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  const began = performance.now();
  const { rows } = await client.query(`select ${FUNCTIONS[way]}($1, $2, 0) as results`, [json, Date.now()]);
  const tookMs = performance.now() - began;
  const results: readonly { is: string }[] = rows[0].results;
  const other = results.find(({ is }) => is !== 'done' && is !== 'granted');
  if (results.length !== commands.length || other !== undefined) throw new Error(`answered ${JSON.stringify(other)}`);
  return tookMs;
}

let settled = 0;
const settle = (): Settle => ({
  do: 'settle',
  account: ACCOUNT,
  request: `01K${String(++settled).padStart(23, '0')}`,
  lease: LEASE,
  cost: COST_NANO,
  priceVersion: 'dGVzdC12ZXJzaW9u',
  estimated: false,
  memo: 'dGVzdC12ZXJzaW9u',
});

async function furnish(client: Client): Promise<void> {
  await client.query(bodyBefore());
  await apply(client, 'now', [
    { do: 'register', node: 'n', epoch: 'n.1' },
    { do: 'open-account', account: ACCOUNT, kind: 'prepaid', overdraft: 0n },
    { do: 'deposit', account: ACCOUNT, id: 'first', amount: CREDIT_NANO, memo: '' },
    { do: 'lease', account: ACCOUNT, lease: LEASE, epoch: 'n.1', wanted: CREDIT_NANO, least: 1n, scopes: [] },
  ]);
}

const database = await freshDatabase();
const client = new Client({ connectionString: database.url });
await client.connect();
try {
  await furnish(client);
  const took = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++)
    for (const batch of BATCHES)
      for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) {
        const commands = Array.from({ length: batch }, settle);
        const name = `${way} ${batch}`;
        took.set(name, [...(took.get(name) ?? []), await apply(client, way, commands)]);
      }
  const { rows } = await client.query('select posted, sequence from ledger_accounts where account_id = $1', [ACCOUNT]);
  if (BigInt(rows[0].posted) !== BigInt(settled) * COST_NANO || Number(rows[0].sequence) !== settled + 1)
    throw new Error(`${settled} settles, and the account has ${JSON.stringify(rows[0])}`);
  const figures = BATCHES.flatMap((batch) =>
    WAYS.map((way) => {
      const { median, min } = spreadOf(took.get(`${way} ${batch}`) ?? []);
      return { batch, way, ms: median, fewestMs: min, perSecond: Math.round((batch / median) * 1000) };
    }),
  );
  for (const { batch, way, ms, fewestMs, perSecond } of figures)
    console.log(
      `${String(batch).padStart(5)} ${way.padEnd(7)} ${ms.toFixed(1).padStart(8)} ms (min ${fewestMs.toFixed(1)}) ${perSecond} settles/s`,
    );
  console.log(JSON.stringify({ rounds, settled, figures }));
} finally {
  await client.end();
  await database.drop();
}
