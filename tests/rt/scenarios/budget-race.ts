/**
 * Budgets of a tag and of a company above its teams: more requests at once than they cover, over the workers of one gateway. All of a
 * budget can be spent, and no request more.
 */
import { freshDatabase } from '../../support/database.ts';
import type { Question } from '../parts/ask.ts';
import { moneyConfig, Purser, paidQuestion, REQUEST_NANO } from '../parts/money.ts';
import { rush, tallyOf } from '../parts/rush.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly rounds: number;
  readonly workers: number;
  readonly requests: number;
  readonly affordable: number;
};

type Race = {
  readonly name: string;
  /** The owner of the budget. */
  readonly owner: string;
  readonly scope: string;
  readonly accounts: readonly string[];
  readonly tags?: string;
};

const CREDIT = 1_000_000n * REQUEST_NANO;
const PATIENCE_MS = 60_000;

const racesOf = (round: number): readonly Race[] => [
  {
    name: `tag ${round}`,
    owner: `tagged-${round}`,
    scope: 'tag:team=search',
    accounts: [`tagged-${round}`],
    tags: 'team=search',
  },
  {
    name: `company ${round}`,
    owner: `company-${round}`,
    scope: 'group',
    accounts: [`search-${round}`, `ads-${round}`],
  },
];

async function prepare(purser: Purser, races: readonly Race[], affordable: number): Promise<void> {
  for (const { owner, scope, accounts } of races) {
    for (const account of accounts) {
      await purser.open(account, CREDIT);
      await purser.declareTag(account, 'team');
      if (account !== owner) await purser.credits.setParent(account, owner);
    }
    // Half a request is left in the end: it must not be spent.
    await purser.credits.setBudget(owner, scope, 'total', BigInt(affordable) * REQUEST_NANO + REQUEST_NANO / 2n);
  }
}

async function play({ rounds, workers, requests, affordable }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  const races = Array.from({ length: rounds }, (_, round) => racesOf(round)).flat();
  await prepare(purser, races, affordable);
  const simulator = await stage.simulator();
  const config = moneyConfig(
    simulator,
    races.flatMap(({ accounts }) => accounts),
    { database: { url: database.url }, ledger: { journal: `${stage.folder}/journal` } },
  );
  const gateway = await stage.gateway(config, { args: ['--workers', String(workers)] });
  const isServing = async () => (await gateway.metric('trivium_workers{state="serving"}').catch(() => 0)) === workers;
  await waitFor('all workers serve', isServing, PATIENCE_MS);

  const sums = { overspent: 0, unspent: 0, unexplained: 0, violations: 0, served: 0, requests: 0 };
  let busy = 0;
  for (const { name, owner, scope, accounts, tags } of races) {
    await simulator.forget();
    const question = (number: number): Question => {
      const paid = paidQuestion(gateway.url, accounts[number % accounts.length]!, number);
      return tags === undefined ? paid : { ...paid, headers: { ...paid.headers, 'x-trivium-tags': tags } };
    };
    const onBusy = { busy: () => void busy++ };
    const replies = [...(await rush({ requests, atOnce: requests }, question, onBusy))];
    // An amount in the lease of another worker is refused after a while: retried one at a time, all of it can be spent.
    replies.push(...(await rush({ requests: affordable, atOnce: 1 }, question, onBusy)));
    const calls = (await simulator.truth()).length;
    const spent = BigInt(calls) * REQUEST_NANO;
    const budget = async () => (await purser.credits.budgets(owner)).find((one) => one.scope === scope)!;
    await waitFor('the ledger knows every call', async () => (await budget()).posted >= spent, PATIENCE_MS);
    const { posted, most } = await budget();
    stage.say(`${name}: ${JSON.stringify(tallyOf(replies))}, ${calls} calls, ${affordable} affordable`);
    if (posted > most || spent > most) sums.overspent++;
    for (const account of accounts) {
      if ((await purser.account(account)).overrun > 0n) sums.overspent++;
      sums.violations += await purser.violations(account);
    }
    sums.violations += await purser.violations(owner);
    sums.unspent += affordable - calls;
    sums.unexplained += replies.filter(({ status }) => status !== 200 && status !== 402).length;
    sums.served += replies.filter(({ status }) => status === 200).length;
    sums.requests += replies.length;
  }
  return {
    figures: { rounds, workers, ...sums, busy },
    checks: [
      exactly('races in which more was spent than the budget', sums.overspent, 0),
      exactly('requests of the budgets that could not be spent', sums.unspent, 0),
      exactly('requests that ended neither with 200 nor with 402', sums.unexplained, 0),
      exactly('violations of invariants in the ledger', sums.violations, 0),
    ],
  };
}

export const budgetRace = scenario<Parameters>({
  name: 'budget-race',
  shows:
    'parallel requests over four workers spend the budget of a tag, and of a company over two accounts, and never more',
  short: { rounds: 1, workers: 4, requests: 300, affordable: 120 },
  full: { rounds: 10, workers: 4, requests: 300, affordable: 120 },
  run: play,
});
