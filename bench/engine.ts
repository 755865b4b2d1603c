/**
 * `npm run bench:engine [-- --rounds N] [--json] [--equal BATCHES]`: what a settle and a record cost PostgreSQL, beside the bare statements that store the
 * same, and beside the SQL as it was before settles were posted in one pass; and a shared limit in Redis by the number of its holders.
 * CPU time of the backend, medians of interleaved rounds, batches of 1,024 in one transaction. The last line is JSON. With `--equal`, as many random batches
 * are first applied by both, and every answer, row and hash is compared.
 */
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { startServices } from '../scripts/services/services.ts';
import { BEFORE_ONE_PASS, compareWithBefore } from '../tests/ledger-sql/as-before.ts';
import { databaseAsOf, freshDatabase } from '../tests/support/database.ts';
import { furnishRecords, measureRecords, ONE_KEY, storedBytes, WIDE } from './engine/records.ts';
import { type Cost, openSession } from './engine/session.ts';
import { furnishBare, measureSettles } from './engine/settles.ts';
import { shareLimit } from './engine/shared-limit.ts';
import { ratioOf, spreadOf } from './statistics.ts';

const WRITER = 'trivium_writer';
const HOLDERS = [8, 1000] as const;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    json: { type: 'boolean', default: false },
    equal: { type: 'string', default: '0' },
  },
});
const rounds = Number(values.rounds);
const say = (text: string): void => void (values.json || console.log(text));

const micros = (costs: readonly Cost[]): readonly number[] => costs.map((cost) => cost.micros);
const rounded = (figure: number): number => Math.round(figure * 100) / 100;
const ratio = (costs: readonly Cost[], to: readonly Cost[]): number =>
  rounded(ratioOf(micros(costs), micros(to)).median);
const medianOf = (figures: readonly number[]): number => rounded(spreadOf(figures).median);
const walOf = (costs: readonly Cost[]): number => Math.round(spreadOf(costs.map((cost) => cost.walBytes)).median);

function tell(what: string, costs: Readonly<Record<string, readonly Cost[]>>): Readonly<Record<string, number>> {
  const figures = Object.entries(costs).map(([way, each]): [string, number] => [way, medianOf(micros(each))]);
  say(`${what.padEnd(22)} ${figures.map(([way, figure]) => `${way} ${figure.toFixed(1)} µs`).join('   ')}`);
  return Object.fromEntries(figures);
}

async function redisByHolders(): Promise<Readonly<Record<string, number>>> {
  const { redisUrl } = await startServices();
  const redis = new Redis(redisUrl);
  const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  const limits = await Promise.all(HOLDERS.map((holders) => shareLimit(redisUrl, pid, holders)));
  try {
    const costs: number[][] = limits.map(() => []);
    for (let round = 0; round < rounds; round++)
      for (const [at, limit] of limits.entries()) costs[at]?.push(await limit.microsPerCall());
    return Object.fromEntries(HOLDERS.map((holders, at) => [String(holders), medianOf(costs[at] ?? [])]));
  } finally {
    for (const limit of limits) limit.close();
    redis.disconnect();
  }
}

const [before, now] = [await databaseAsOf(BEFORE_ONE_PASS), await freshDatabase()];
if (values.equal !== '0') {
  const { batches, difference } = await compareWithBefore(before.url, now.url, Number(values.equal));
  if (difference !== undefined) throw new Error(difference);
  say(`${batches} random batches: the same answers, rows and hashes as before`);
}
const sessions = {
  bare: await openSession(now.url),
  before: await openSession(before.url, WRITER),
  now: await openSession(now.url, WRITER),
};
try {
  await furnishBare(sessions.bare);
  const one = await measureSettles(sessions, 1, rounds);
  const many = await measureSettles(sessions, 64, rounds);
  const wide = await measureSettles(sessions, 1000, rounds);
  const recorders = { insert: sessions.bare, before: sessions.before, now: sessions.now };
  await furnishRecords(recorders);
  const records = await measureRecords(recorders, WIDE, rounds);
  const stored = { before: await storedBytes(sessions.before), now: await storedBytes(sessions.now) };
  const oneKey = await measureRecords(recorders, ONE_KEY, rounds);
  const figures = {
    settle: tell('settle, one account', one),
    settle64: tell('settle, 64 accounts', many),
    settle1000: tell('settle, 1,000 accounts', wide),
    record: tell('record, 3 per group', records),
    oneKey: tell('record, one key', oneKey),
    redis: await redisByHolders(),
  };
  const bytes = Object.fromEntries(
    (['before', 'now'] as const).map((way) => [
      way,
      { ...stored[way], walPerSettle: walOf(many[way]), walPerRecord: walOf(records[way]) },
    ]),
  );
  for (const [way, { record, sums, settle, walPerSettle, walPerRecord }] of Object.entries(bytes))
    say(
      `${`bytes, ${way}`.padEnd(22)} record ${record}, sums ${sums}, settle ${settle}; log: settle ${walPerSettle}, record ${walPerRecord}`,
    );
  say(`${'redis, per call'.padEnd(22)} 8 holders ${figures.redis['8']} µs   1,000 holders ${figures.redis['1000']} µs`);
  console.log(
    JSON.stringify({
      rounds,
      settleVsBare: ratio(one.now, one.bare),
      settle64VsBare: ratio(many.now, many.bare),
      settle1000VsBefore: ratio(wide.now, wide.before),
      recordVsInsert: ratio(records.now, records.insert),
      oneKeyVsBefore: ratio(oneKey.now, oneKey.before),
      redis1000VsRedis8: rounded((figures.redis['1000'] ?? 0) / (figures.redis['8'] ?? 0)),
      micros: figures,
      bytes,
    }),
  );
} finally {
  for (const { client } of Object.values(sessions)) await client.end();
  await before.drop();
  await now.drop();
}
