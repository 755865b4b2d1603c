/**
 * All load on one prepaid account of one process: settlements are posted as fast as they come or callers get 503 with retry-after, leases
 * are renewed meanwhile, and every answer is charged exactly and once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase } from '../../support/database.ts';
import { ask, chatQuestion, keepingAgent, type Reply } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import { percentile, rounded, succeeded } from '../parts/load.ts';
import { keyFor, moneyConfig, Purser, REQUEST_NANO, TOKENS } from '../parts/money.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly requests: number; readonly atOnce: number };

const ACCOUNT = 'hot';
const CREDIT = 10_000_000n * REQUEST_NANO;
const PATIENCE_MS = 60_000;
const LOOK_MS = 200;
/** Queue length above which requests of the account get 503. */
const MOST_UNPOSTED = 10_000;
/** The first requests find no lease, and while it grows some find nothing left in it. */
const LEAST_LEASED_SHARE = 0.5;

type Answered = { readonly reply: Reply; readonly atMs: number };

/** Concurrent callers, each one request after the other; after a 503 a caller retries. */
async function rush(url: string, { requests, atOnce }: Parameters): Promise<{ answered: Answered[]; busy: number }> {
  const agent = keepingAgent();
  const headers = { authorization: `Bearer ${keyFor(ACCOUNT)}` };
  const words = `Hello @simulate scenario=text-long words=${TOKENS}`;
  const question = { ...chatQuestion(url, MODEL, words, { max_tokens: TOKENS }), headers, agent, limitMs: PATIENCE_MS };
  const answered: Answered[] = [];
  let [sent, busy] = [0, 0];
  const caller = async (): Promise<void> => {
    while (sent < requests) {
      sent++;
      let reply = await ask(question);
      for (; reply.status === 503 && reply.headers['retry-after'] !== undefined; reply = await ask(question)) {
        busy++;
        await sleep(Number(reply.headers['retry-after']) * 1000);
      }
      answered.push({ reply, atMs: performance.now() });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  agent.destroy();
  return { answered, busy };
}

/** The longest queue of settlements, and the longest wait, by sampling. */
function watchBacklog(gateway: GatewayProcess): { stop(): Promise<{ settlements: number; seconds: number }> } {
  const most = { settlements: 0, seconds: 0 };
  let stopped = false;
  const watching = (async (): Promise<void> => {
    while (!stopped) {
      most.settlements = Math.max(most.settlements, await gateway.metric('trivium_settlements_unposted'));
      most.seconds = Math.max(most.seconds, await gateway.metric('trivium_settlements_unposted_seconds'));
      await sleep(LOOK_MS);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await watching;
      return most;
    },
  };
}

const longestGapMs = (answered: readonly Answered[]): number =>
  answered.reduce((longest, { atMs }, at) => Math.max(longest, at === 0 ? 0 : atMs - answered[at - 1]!.atMs), 0);

async function play(parameters: Parameters, stage: Stage): Promise<Outcome> {
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  await purser.open(ACCOUNT, CREDIT);
  const config = moneyConfig(await stage.simulator(), [ACCOUNT], {
    database: { url: database.url },
    ledger: { journal: `${stage.folder}/journal` },
  });
  const gateway = await stage.gateway(config);
  const backlog = watchBacklog(gateway);
  const beganMs = performance.now();
  const { answered, busy } = await rush(gateway.url, parameters);
  const tookMs = performance.now() - beganMs;
  const most = await backlog.stop();
  const served = answered.filter(({ reply }) => succeeded(reply));
  const spent = BigInt(served.length) * REQUEST_NANO;
  const isPosted = async (): Promise<boolean> => (await purser.account(ACCOUNT)).posted >= spent;
  await waitFor('every answer is posted', isPosted, PATIENCE_MS, LOOK_MS);
  await waitFor(
    'nothing waits to be posted',
    async () => (await gateway.metric('trivium_settlements_unposted')) === 0,
    PATIENCE_MS,
  );
  const charges = await purser.charges(ACCOUNT);
  const wrong = served.filter(({ reply }) => {
    const charge = charges.get(String(reply.headers['x-request-id']));
    return charge?.amount !== REQUEST_NANO || charge.estimated;
  });
  const { posted, overrun } = await purser.account(ACCOUNT);
  const leased = await gateway.metric('trivium_lease_admissions');
  const times = served.map(({ reply }) => reply.totalMs);
  return {
    figures: {
      requests: parameters.requests,
      perSecond: rounded((answered.length * 1000) / tookMs, 0),
      longestGapMs: rounded(longestGapMs(answered), 0),
      p50Ms: rounded(percentile(times, 0.5), 1),
      p99Ms: rounded(percentile(times, 0.99), 1),
      busy,
      leased,
      strict: await gateway.metric('trivium_strict_admissions'),
      mostUnposted: most.settlements,
      longestUnpostedSeconds: rounded(most.seconds, 2),
    },
    checks: [
      exactly('requests without a whole answer', answered.length - served.length, 0),
      exactly('answers not charged exactly and once', wrong.length, 0),
      exactly('charges without an answer', charges.size - served.length, 0),
      exactly('nano-USD charged beside those of the answers', Number(posted - spent), 0),
      exactly('nano-USD charged beyond what was set aside', Number(overrun), 0),
      exactly('violations of invariants in the ledger database', await purser.violations(ACCOUNT), 0),
      atMost('settlements that waited at once', most.settlements, MOST_UNPOSTED + parameters.atOnce),
      atLeast('requests admitted from a lease', leased, parameters.requests * LEAST_LEASED_SHARE),
    ],
  };
}

export const hotAccount = scenario<Parameters>({
  name: 'hot-account',
  shows:
    'all load on one paying account is charged exactly and once, from leases, with a bounded number of settlements waiting',
  short: { requests: 1_200, atOnce: 32 },
  full: { requests: 60_000, atOnce: 64 },
  run: play,
});
