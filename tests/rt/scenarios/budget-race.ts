/**
 * Budgets of a tag and of a company above its teams: more requests at once than they cover, over the workers of one gateway. All of a
 * budget can be spent, and no request more.
 */
import { freshDatabase } from '../../support/database.ts';
import type { Question } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { moneyConfig, Purser, paidQuestion, REQUEST_NANO } from '../parts/money.ts';
import { childrenOf } from '../parts/process-facts.ts';
import { rush, tallyOf } from '../parts/rush.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly rounds: number;
  readonly workers: number;
  readonly requests: number;
  readonly affordable: number;
  /** Values of a tag with a template: each asks twice as often as it can pay for. */
  readonly users: number;
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

const USERS = 'users';
const EACH_AFFORDS = 2;
/** Half a request is left. */
const EACH_LIMIT = BigInt(EACH_AFFORDS) * REQUEST_NANO + REQUEST_NANO / 2n;

async function prepareUsers(purser: Purser): Promise<void> {
  await purser.open(USERS, CREDIT);
  await purser.declareTag(USERS, 'user');
  await purser.templates.set(USERS, {
    each: 'tag:user',
    span: 'total',
    limit: EACH_LIMIT,
    timeZone: 'UTC',
    weekStartsOn: 1,
    anchorDay: 1,
    missing: 'refuse',
    softPercent: [],
    setBy: 'operator',
  });
}

type Users = {
  readonly gateway: GatewayProcess;
  readonly simulator: SimulatorProcess;
  readonly purser: Purser;
  readonly stage: Stage;
  readonly users: number;
};

/** All users at their last cent at once, and one of the workers is killed in the middle. */
async function raceUsers({ gateway, simulator, purser, stage, users }: Users) {
  await simulator.forget();
  const question = (number: number): Question => {
    const paid = paidQuestion(gateway.url, USERS, number);
    return { ...paid, headers: { ...paid.headers, 'x-trivium-tags': `user=u${number % users}` } };
  };
  const [victim] = childrenOf(gateway.child.pid);
  const half = (): void => void process.kill(victim!, 'SIGKILL');
  const replies = await rush({ requests: users * EACH_AFFORDS * 2, atOnce: 100 }, question, {
    half,
    busy: () => undefined,
  });
  const idle = async () => (await purser.account(USERS)).pending === 0n;
  await waitFor('what the killed worker held is settled', idle, PATIENCE_MS);
  // What lay with a worker for too long, or died with one, is spent now, one user after the other.
  const later = await rush({ requests: users * EACH_AFFORDS, atOnce: 20 }, question, { busy: () => undefined });
  await waitFor('everything is settled', idle, PATIENCE_MS);
  const calls = (await simulator.truth()).length;
  const { budgets, posted, most } = await purser.budgetsOf(USERS);
  const account = await purser.account(USERS);
  const full = posted / REQUEST_NANO;
  stage.say(`users: ${JSON.stringify(tallyOf([...replies, ...later]))}, ${calls} calls, ${budgets} balances`);
  return {
    users: budgets,
    userRequests: replies.length + later.length,
    usersOverspent:
      Number(most > EACH_LIMIT) + Number(account.overrun > 0n) + Number(full > BigInt(users * EACH_AFFORDS)),
    usersWithout: Math.max(0, users - budgets),
    userDifference: Number(account.posted - posted),
    userViolations: await purser.violations(USERS),
  };
}

async function play({ rounds, workers, requests, affordable, users }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  const races = Array.from({ length: rounds }, (_, round) => racesOf(round)).flat();
  await prepare(purser, races, affordable);
  await prepareUsers(purser);
  const simulator = await stage.simulator();
  const config = moneyConfig(simulator, [...races.flatMap(({ accounts }) => accounts), USERS], {
    database: { url: database.url },
    ledger: { journal: `${stage.folder}/journal` },
  });
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
  const raced = await raceUsers({ gateway, simulator, purser, stage, users });
  return {
    figures: { rounds, workers, ...sums, busy, ...raced },
    checks: [
      exactly('races in which more was spent than the budget', sums.overspent, 0),
      exactly('requests of the budgets that could not be spent', sums.unspent, 0),
      exactly('requests that ended neither with 200 nor with 402', sums.unexplained, 0),
      exactly('violations of invariants in the ledger', sums.violations + raced.userViolations, 0),
      exactly('users who spent more than their template gives them', raced.usersOverspent, 0),
      exactly('users without a balance of their own', raced.usersWithout, 0),
      exactly('nano-USD between the balances of users and that of their account', raced.userDifference, 0),
    ],
  };
}

export const budgetRace = scenario<Parameters>({
  name: 'budget-race',
  shows:
    'parallel requests over four workers spend the budget of a tag, of a company over two accounts, and of each user by a template while a worker is killed, and never more',
  short: { rounds: 1, workers: 4, requests: 300, affordable: 120, users: 60 },
  full: { rounds: 10, workers: 4, requests: 300, affordable: 120, users: 2_000 },
  run: play,
});
