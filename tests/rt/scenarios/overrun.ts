/** More requests than an account can pay for, at once, over two nodes: all of its credit can be spent, and not a cent more. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/services/free-port.ts';
import { startRedis } from '../../../scripts/services/redis.ts';
import { freshDatabase } from '../../support/database.ts';
import { ask, chatQuestion, keepingAgent, type Reply } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import { keyFor, moneyConfig, Purser, REQUEST_NANO, TOKENS } from '../parts/money.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, exactly, type Outcome, scenario } from '../scenario.ts';

type Round = { readonly credit: bigint; readonly requests: number; readonly atOnce: number };
type Parameters = { readonly rounds: number; readonly strict: Round; readonly leased: Round };

const PATIENCE_MS = 60_000;

/** Sends the requests, so many at once, to the nodes in turn. */
async function rush(
  nodes: readonly GatewayProcess[],
  account: string,
  round: Round,
  onHalf: () => void,
): Promise<Reply[]> {
  const agent = keepingAgent();
  const replies: Reply[] = [];
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (sent < round.requests) {
      const number = sent++;
      if (number === round.requests >> 1) onHalf();
      const words = `Hello @simulate scenario=text-long words=${TOKENS} ttft=${number % 30}`;
      const question = chatQuestion(nodes[number % nodes.length]!.url, MODEL, words, { max_tokens: TOKENS });
      const headers = { authorization: `Bearer ${keyFor(account)}` };
      replies.push(await ask({ ...question, headers, agent, limitMs: PATIENCE_MS }));
    }
  };
  await Promise.all(Array.from({ length: round.atOnce }, worker));
  agent.destroy();
  return replies;
}

async function play({ rounds, strict, leased }: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const redisFolder = mkdtempSync(join(tmpdir(), 'trivium-rt-redis-'));
  stage.atEnd(() => rmSync(redisFolder, { recursive: true, force: true }));
  const redis = await startRedis(redisFolder, await freePort());
  let redisLives = true;
  const killRedis = (): void => {
    if (redisLives) process.kill(redis.pid, 'SIGKILL');
    redisLives = false;
  };
  stage.atEnd(killRedis);
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

  const sums = { overspent: 0, unspent: 0, unexplained: 0, violations: 0, served: 0, requests: 0 };
  for (const account of accounts) {
    const round = account.startsWith('strict') ? strict : leased;
    await simulator.forget();
    const replies = await rush(nodes, account, round, account.endsWith('-0') ? () => undefined : killRedis);
    const served = replies.filter(({ status }) => status === 200).length;
    const calls = (await simulator.truth()).length;
    const spent = BigInt(calls) * REQUEST_NANO;
    await waitFor(
      'the book knows every call',
      async () => (await purser.account(account)).posted >= spent,
      PATIENCE_MS,
    );
    const { posted, overrun } = await purser.account(account);
    const affordable = Number(round.credit / REQUEST_NANO);
    const statuses = new Map<number, number>();
    for (const { status } of replies) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    stage.say(`${account}: ${JSON.stringify(Object.fromEntries(statuses))}, ${calls} calls, ${affordable} affordable`);
    if (posted > round.credit || overrun > 0n || spent > round.credit) sums.overspent++;
    sums.unspent += Math.max(0, affordable - served);
    sums.unexplained += replies.filter(({ status }) => status !== 200 && status !== 402).length;
    sums.violations += await purser.violations(account);
    sums.served += served;
    sums.requests += replies.length;
  }
  const admitted = await Promise.all(nodes.map((node) => node.metric('trivium_lease_admissions')));
  const leaseAdmissions = admitted.reduce((sum, count) => sum + count, 0);
  return {
    figures: { rounds, ...sums, leaseAdmissions },
    checks: [
      exactly('rounds in which more was spent than there was', sums.overspent, 0),
      exactly('requests refused though they could have been paid for', sums.unspent, 0),
      exactly('answers that are neither 200 nor 402', sums.unexplained, 0),
      exactly('violations of invariants in the book', sums.violations, 0),
      atLeast('admissions from leases', leaseAdmissions, 1),
    ],
  };
}

export const overrun = scenario<Parameters>({
  name: 'overrun',
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
