/**
 * Limits shared by several processes: two nodes with Redis, two workers without. Each key sends far more than it may
 * use; the accepted requests are checked against burst and rate, from above and below, while Redis is flushed and killed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { rateOfRequests } from '../../../packages/gateway/src/money/limits/gcra.ts';
import { leaseOf } from '../../../packages/gateway/src/money/limits/leases.ts';
import { freshDatabase } from '../../support/database.ts';
import { ask, chatQuestion, type Reply } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import { KillableRedis } from '../parts/killable-redis.ts';
import { startLoad } from '../parts/load.ts';
import { keyFor, moneyConfig, Purser, REQUEST_NANO, TOKENS } from '../parts/money.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, atMost, type Check, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly seconds: number; readonly perSecond: number };

const PROCESSES = 2;
const PER_MINUTE = 480;
const RATE = rateOfRequests(PER_MINUTE);
const SLICE = leaseOf(RATE.burst);
const AT_ONCE = 5;
/** Documented excess while leases are reported and refusals are cached; plus one second of the rate for a busy machine. */
const EARLY = (PROCESSES - 1) * SLICE + PER_MINUTE / 60;
const CREDIT = 100_000n * REQUEST_NANO;
const PATIENCE_MS = 30_000;
const ACCOUNTS = ['warm', 'even', 'uneven', 'places', 'flushed', 'killed'] as const;
type Account = (typeof ACCOUNTS)[number];

const rateLimits = { perKey: { requestsPerMinute: PER_MINUTE }, keys: { places: { inFlight: AT_ONCE } } };

const send = ({ url }: GatewayProcess, account: Account, waitMs = 0): Promise<Reply> =>
  ask({
    ...chatQuestion(url, MODEL, `Hello @simulate scenario=text-long words=${TOKENS} ttft=${waitMs}`, {
      max_tokens: TOKENS,
    }),
    headers: { authorization: `Bearer ${keyFor(account)}` },
    limitMs: PATIENCE_MS,
  });

type Taken = { readonly taken: number; readonly least: number; readonly most: number; readonly odd: number };

/** Sends far more than a key may use, to all nodes in turn, and returns how much was accepted and how much was allowed. */
async function press(
  nodes: readonly GatewayProcess[],
  account: Account,
  { seconds, perSecond }: Parameters,
  halfway: () => Promise<void> = async () => undefined,
): Promise<Taken> {
  const startedMs = performance.now();
  const load = startLoad(perSecond, (index) => send(nodes[index % nodes.length]!, account));
  await sleep((seconds * 1000) / 2);
  await halfway();
  await sleep((seconds * 1000) / 2);
  const offeredMs = performance.now() - startedMs;
  const shots = await load.stop();
  const endedMs = performance.now() - startedMs;
  return {
    taken: shots.filter(({ status }) => status === 200).length,
    least: RATE.burst + (offeredMs * PER_MINUTE) / 60_000 - EARLY,
    most: RATE.burst + (endedMs * PER_MINUTE) / 60_000,
    odd: shots.filter(
      ({ status, headers }) => status !== 200 && !(status === 429 && Number(headers['retry-after']) >= 1),
    ).length,
  };
}

/** Many slow concurrent requests: returns how many of them run. */
async function crowd(nodes: readonly GatewayProcess[]): Promise<number> {
  const replies = await Promise.all(
    Array.from({ length: 6 * AT_ONCE }, (_, index) => send(nodes[index % nodes.length]!, 'places', 2000)),
  );
  return replies.filter(({ status }) => status === 200).length;
}

const within = (who: string, { taken, least, most, odd }: Taken, extra = 0): Check[] => [
  atMost(`${who}: requests taken`, taken, Math.floor(most + extra)),
  atLeast(`${who}: requests taken`, taken, Math.floor(least)),
  exactly(`${who}: answers that are neither 200 nor 429 with retry-after`, odd, 0),
];

/** Warm-up: compiles code and opens connections before the measurement. */
async function warm(nodes: readonly GatewayProcess[]): Promise<void> {
  for (let n = 0; n < 10; n++) for (const node of nodes) await send(node, 'warm');
  await waitFor('limits are counted together', async () => (await apart(nodes)) === 0, PATIENCE_MS);
}

const apart = async (nodes: readonly GatewayProcess[]): Promise<number> =>
  (await Promise.all(nodes.map((node) => node.metric('trivium_limits_apart')))).reduce((sum, count) => sum + count, 0);

async function play(parameters: Parameters, stage: Stage): Promise<Outcome> {
  const simulator = await stage.simulator();
  const withoutRedis = await playWorkers(
    parameters,
    stage,
    await stage.gateway(moneyConfig(simulator, ACCOUNTS, { rateLimits }), {
      name: 'workers',
      args: ['--workers', String(PROCESSES)],
    }),
  );

  const database = await freshDatabase();
  stage.atEnd(() => database.drop());
  const redis = await KillableRedis.start(stage);
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  for (const account of ACCOUNTS) await purser.open(account, CREDIT);
  const config = moneyConfig(simulator, ACCOUNTS, {
    database: { url: database.url },
    redis: { url: redis.url },
    ledger: { journal: `${stage.folder}/journal` },
    rateLimits,
  });
  await simulator.forget();
  const nodes = [await stage.gateway(config, { name: 'one' }), await stage.gateway(config, { name: 'other' })];
  await warm(nodes);

  const [even, uneven] = await Promise.all([
    press(nodes, 'even', parameters),
    press(nodes.slice(0, 1), 'uneven', parameters),
  ]);
  const places = await crowd(nodes);
  const flushed = await press(nodes, 'flushed', parameters, () => flush(redis.url));
  let apartWhileDown = 0;
  const killed = await press(nodes, 'killed', parameters, async () => {
    await redis.kill();
    await waitFor('both say so', async () => (await apart(nodes)) === PROCESSES, PATIENCE_MS);
    apartWhileDown = await apart(nodes);
  });
  await redis.restart();
  const backMs = await waitFor('rate limits shared again', async () => (await apart(nodes)) === 0, PATIENCE_MS);

  const calls = BigInt((await simulator.truth()).length);
  const posted = async (): Promise<bigint> => {
    let sum = 0n;
    for (const account of ACCOUNTS) sum += (await purser.account(account)).posted;
    return sum;
  };
  await waitFor(
    'the ledger database knows every call',
    async () => (await posted()) >= calls * REQUEST_NANO,
    PATIENCE_MS,
  );
  const unpaid = Number((await posted()) - calls * REQUEST_NANO);
  for (const [name, taken] of Object.entries({ even, uneven, flushed, killed }))
    stage.say(`${name}: ${JSON.stringify(taken)}`);
  return {
    figures: {
      slice: SLICE,
      burst: RATE.burst,
      even: even.taken,
      uneven: uneven.taken,
      flushed: flushed.taken,
      killed: killed.taken,
      places,
      backMs: Math.round(backMs),
      ...withoutRedis.figures,
    },
    checks: [
      ...withoutRedis.checks,
      ...within('two nodes', even),
      ...within('two nodes, one of them asked', uneven),
      exactly('two nodes: run at once', places, AT_ONCE),
      ...within('Redis forgets everything', flushed, RATE.burst + PROCESSES * SLICE),
      atMost('Redis is killed: requests taken', killed.taken, Math.floor(killed.most + RATE.burst + PROCESSES * SLICE)),
      exactly('… answers that are neither 200 nor 429 with retry-after', killed.odd, 0),
      exactly('… processes that say they are apart', apartWhileDown, PROCESSES),
      exactly('money charged beyond or short of what upstreams served, in nano-USD', unpaid, 0),
    ],
  };
}

async function playWorkers(parameters: Parameters, stage: Stage, gateway: GatewayProcess): Promise<Outcome> {
  await warm([gateway]);
  const taken = await press([gateway], 'even', parameters);
  const places = await crowd([gateway]);
  stage.say(`two workers: ${JSON.stringify(taken)}`);
  return {
    figures: { workers: taken.taken, workerPlaces: places },
    checks: [...within('two workers', taken), exactly('two workers: run at once', places, AT_ONCE)],
  };
}

async function flush(url: string): Promise<void> {
  const client = new Redis(url);
  await client.flushall();
  client.disconnect();
}

export const limits = scenario<Parameters>({
  name: 'limits',
  nodes: 2,
  shows:
    'two nodes, or two workers, never take more than a limit together and hardly less, and Redis may forget or die',
  short: { seconds: 3, perSecond: 50 },
  full: { seconds: 60, perSecond: 100 },
  run: play,
});
