/**
 * Keys, limits, leases and usage with high latency to their stores: a request of an account with a lease is not slower. Measured in
 * turn with a gateway without stores, so that a slow machine slows both alike.
 */
import { startServices } from '../../../scripts/services/services.ts';
import { freshDatabase } from '../../support/database.ts';
import { ask, chatQuestion, keepingAgent, type Reply } from '../parts/ask.ts';
import { atDistance } from '../parts/distance.ts';
import { type GatewayProcess, KEY } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import { percentile, rounded, succeeded } from '../parts/load.ts';
import { moneyConfig, Purser, REQUEST_NANO, TOKENS } from '../parts/money.ts';
import { newKey } from '../parts/operator.ts';
import type { Stage } from '../parts/stage.ts';
import { atLeast, atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly pairs: number };

/** One-way latency (ms) to PostgreSQL and Redis; a round trip takes twice as long. */
const ONE_WAY_MS = 50;
/** The promised difference (ms) of the medians. */
const ADDED_MS = 1;
const WARMING_PAIRS = 60;
/** While a lease grows, now and then a request finds nothing left in it. */
const MAX_ASKED_SHARE = 0.02;
const PLENTY = 1_000_000n * REQUEST_NANO;
/** Credit for the few requests that are sent, and too little for a lease. */
const STRICT_REQUESTS = 5;
const LITTLE = 7n * REQUEST_NANO;
const RATE_LIMITS = {
  perKey: { requestsPerMinute: 100_000, tokensPerMinute: 100_000_000, inFlight: 1000 },
  perAccount: { requestsPerMinute: 100_000, usdPerMinute: 1_000_000 },
};

type Caller = () => Promise<Reply>;

function callerOf({ url }: GatewayProcess, secret: string, stage: Stage): Caller {
  const agent = keepingAgent();
  stage.atEnd(() => agent.destroy());
  const headers = { authorization: `Bearer ${secret}` };
  const words = `Hello @simulate scenario=text-long words=${TOKENS}`;
  return () => ask({ ...chatQuestion(url, MODEL, words, { max_tokens: TOKENS }), headers, agent });
}

/** One after the other, never both at once; which goes first changes from pair to pair. */
async function askInTurn(one: Caller, other: Caller, pairs: number): Promise<readonly [Reply[], Reply[]]> {
  const replies: [Reply[], Reply[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++)
    for (const which of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      replies[which].push(await (which === 0 ? one() : other()));
  return replies;
}

const median = (replies: readonly Reply[]): number =>
  percentile(
    replies.map(({ totalMs }) => totalMs),
    0.5,
  );

/** The gateway under test: all its stores have high latency. */
async function distantGateway(stage: Stage, config: object): Promise<GatewayProcess> {
  const { redisUrl } = await startServices();
  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  await purser.open('rich', PLENTY);
  await purser.open('poor', LITTLE);
  return stage.gateway(
    {
      ...config,
      database: { url: await atDistance(stage, database.url, ONE_WAY_MS) },
      redis: { url: await atDistance(stage, redisUrl, ONE_WAY_MS) },
      ledger: { journal: `${stage.folder}/journal` },
      rateLimits: RATE_LIMITS,
    },
    { name: 'distant' },
  );
}

async function play({ pairs }: Parameters, stage: Stage): Promise<Outcome> {
  const { keys: _, ...config } = moneyConfig(await stage.simulator(), [], {});
  const plain = callerOf(await stage.gateway(config, { name: 'plain' }), KEY, stage);
  const gateway = await distantGateway(stage, config);
  const [rich, poor] = [await newKey(gateway, 'rich'), await newKey(gateway, 'poor')];
  const leased = callerOf(gateway, rich.secret, stage);
  const strict = callerOf(gateway, poor.secret, stage);

  await askInTurn(plain, leased, WARMING_PAIRS);
  const before = await gateway.metric('trivium_strict_admissions');
  const [without, withAll] = await askInTurn(plain, leased, pairs);
  const asked = (await gateway.metric('trivium_strict_admissions')) - before;
  const small: Reply[] = [];
  for (let request = 0; request < STRICT_REQUESTS; request++) small.push(await strict());

  const replies = [...without, ...withAll, ...small];
  const addedMs = rounded(median(withAll) - median(without), 3);
  const strictMs = rounded(median(small), 1);
  return {
    figures: {
      pairs,
      oneWayMs: ONE_WAY_MS,
      p50WithoutMs: rounded(median(without), 3),
      p50LeasedMs: rounded(median(withAll), 3),
      addedMs,
      p50StrictMs: strictMs,
      leaseAdmissions: await gateway.metric('trivium_lease_admissions'),
    },
    checks: [
      exactly('requests that failed', replies.filter((reply) => !succeeded(reply)).length, 0),
      atMost('ms added to a leased request, median', addedMs, ADDED_MS),
      atMost('leased requests for which the database was asked', asked, pairs * MAX_ASKED_SHARE),
      // Without this the latency itself would be unproven.
      atLeast('ms of a request that must ask the database, median', strictMs, 2 * ONE_WAY_MS),
    ],
  };
}

export const hotPath = scenario<Parameters>({
  name: 'hot-path',
  shows: 'with PostgreSQL and Redis 50 ms away, keys, limits, a lease and usage add less than 1 ms to a request',
  short: { pairs: 300 },
  full: { pairs: 3000 },
  run: play,
});
