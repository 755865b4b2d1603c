/** More concurrent requests on two nodes than an account can pay for: all of its credit can be spent, and not a cent more. */
import { freshDatabase } from '../../support/database.ts';
import { KillableRedis } from '../parts/killable-redis.ts';
import { moneyConfig, Purser, paidQuestion, REQUEST_NANO } from '../parts/money.ts';
import { rush, tallyOf } from '../parts/rush.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, exactly, type Outcome, scenario } from '../scenario.ts';

type Round = { readonly credit: bigint; readonly requests: number; readonly atOnce: number };
type Parameters = { readonly rounds: number; readonly strict: Round; readonly leased: Round };

const PATIENCE_MS = 60_000;

async function play({ rounds, strict, leased }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const redis = await KillableRedis.start(stage);
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  const accounts = Array.from({ length: rounds }, (_, index) => [`strict-${index}`, `leased-${index}`]).flat();
  for (const account of accounts) await purser.open(account, (account.startsWith('strict') ? strict : leased).credit);
  const simulator = await stage.simulator();
  const config = moneyConfig(simulator, accounts, {
    database: { url: database.url },
    redis: { url: redis.url },
    ledger: { journal: `${stage.folder}/journal` },
  });
  const nodes = [await stage.gateway(config, { name: 'one' }), await stage.gateway(config, { name: 'other' })];

  const admitted = async (): Promise<number> => {
    const counts = await Promise.all(nodes.map((node) => node.metric('trivium_lease_admissions')));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const sums = { overspent: 0, unspent: 0, unexplained: 0, violations: 0, served: 0, requests: 0 };
  let [leaseAdmissions, leaseless, redisKills, busy] = [0, 0, 0, 0];
  for (const [index, account] of accounts.entries()) {
    const isLeased = account.startsWith('leased');
    const round = isLeased ? leased : strict;
    // Redis is killed in the middle of every other pair of rounds.
    const losesRedis = index % 4 >= 2;
    await redis.restart();
    await simulator.forget();
    const before = await admitted();
    const kill = (): void => void redis.kill();
    const question = (number: number) => paidQuestion(nodes[number % nodes.length]!.url, account, number);
    const replies = await rush(round, question, { half: losesRedis ? kill : undefined, busy: () => void busy++ });
    if (losesRedis) redisKills++;
    const admissions = (await admitted()) - before;
    leaseAdmissions += admissions;
    if (isLeased && admissions === 0) leaseless++;
    const served = replies.filter(({ status }) => status === 200).length;
    const calls = (await simulator.truth()).length;
    const spent = BigInt(calls) * REQUEST_NANO;
    await waitFor(
      'the ledger database knows every call',
      async () => (await purser.account(account)).posted >= spent,
      PATIENCE_MS,
    );
    const { posted, overrun } = await purser.account(account);
    const affordable = Number(round.credit / REQUEST_NANO);
    stage.say(`${account}: ${JSON.stringify(tallyOf(replies))}, ${calls} calls, ${affordable} affordable`);
    if (posted > round.credit || overrun > 0n || spent > round.credit) sums.overspent++;
    sums.unspent += Math.max(0, affordable - served);
    sums.unexplained += replies.filter(({ status }) => status !== 200 && status !== 402).length;
    sums.violations += await purser.violations(account);
    sums.served += served;
    sums.requests += replies.length;
  }
  return {
    figures: { rounds, ...sums, busy, leaseAdmissions, redisKills },
    checks: [
      exactly('rounds in which more was spent than there was', sums.overspent, 0),
      exactly('requests refused though they could have been paid for', sums.unspent, 0),
      exactly('requests that ended neither with 200 nor with 402', sums.unexplained, 0),
      exactly('violations of invariants in the ledger database', sums.violations, 0),
      exactly('rounds with leases without an admission from one', leaseless, 0),
      atLeast('rounds in which Redis was killed midway', redisKills, rounds),
    ],
  };
}

export const overrun = scenario<Parameters>({
  name: 'overrun',
  nodes: 2,
  shows:
    'parallel requests over two nodes spend all the credit there is and never more, with leases and without, Redis or not',
  short: {
    rounds: 2,
    strict: { credit: 20n * REQUEST_NANO, requests: 200, atOnce: 200 },
    leased: { credit: 600n * REQUEST_NANO, requests: 800, atOnce: 60 },
  },
  full: {
    rounds: 20,
    strict: { credit: 20n * REQUEST_NANO, requests: 500, atOnce: 500 },
    leased: { credit: 4_000n * REQUEST_NANO, requests: 5_000, atOnce: 100 },
  },
  run: play,
});
