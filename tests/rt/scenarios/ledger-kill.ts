/**
 * Load on two nodes with leases on, and kill -9 of a gateway, of PostgreSQL or of Redis at a random moment, again and again:
 * afterwards the book agrees with what the upstream knows, and nothing that the dead had set aside stays set aside.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../scripts/services/free-port.ts';
import { startPostgres } from '../../../scripts/services/postgres.ts';
import { startRedis } from '../../../scripts/services/redis.ts';
import { freshDatabase } from '../../support/database.ts';
import { ask, chatQuestion, type Reply } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import { keyFor, moneyConfig, Purser, REQUEST_NANO, TOKENS } from '../parts/money.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly rounds: number; readonly loadMs: number };
type Victim = 'gateway' | 'PostgreSQL' | 'Redis';
type Shot = { readonly number: number; readonly account: string; readonly reply: Reply };

const VICTIMS: readonly Victim[] = ['gateway', 'PostgreSQL', 'Redis'];
const AT_ONCE = 12;
const PATIENCE_MS = 30_000;
const CLOSED_WITHIN_MS = 30_000;
const TOKEN_NANO = REQUEST_NANO / BigInt(TOKENS);
const ID_HEADER = 'x-request-id';

/** Everything that can be killed, and how it comes back. */
class Fleet {
  readonly nodes: GatewayProcess[] = [];
  readonly #stage: Stage;
  readonly #config: Record<string, unknown>;
  readonly #restart: { readonly postgres: () => number; readonly redis: () => Promise<number> };
  #postgresPid: number;
  #redisPid: number;
  #started = 0;

  constructor(
    stage: Stage,
    config: Record<string, unknown>,
    pids: { readonly postgres: number; readonly redis: number },
    restart: { readonly postgres: () => number; readonly redis: () => Promise<number> },
  ) {
    this.#stage = stage;
    this.#config = config;
    this.#postgresPid = pids.postgres;
    this.#redisPid = pids.redis;
    this.#restart = restart;
    stage.atEnd(() => this.#killServers());
  }

  async startNode(at: number): Promise<void> {
    this.nodes[at] = await this.#stage.gateway(this.#config, { name: `node-${at}-${++this.#started}` });
  }

  async killAndRestart(victim: Victim, at: number): Promise<void> {
    if (victim === 'gateway') {
      await this.nodes[at]!.child.kill();
      await this.startNode(at);
    } else if (victim === 'Redis') {
      process.kill(this.#redisPid, 'SIGKILL');
      this.#redisPid = await this.#restart.redis();
    } else {
      process.kill(this.#postgresPid, 'SIGKILL');
      await waitFor('PostgreSQL is gone', () => !lives(this.#postgresPid), PATIENCE_MS);
      this.#postgresPid = this.#restart.postgres();
    }
  }

  #killServers(): void {
    for (const pid of [this.#postgresPid, this.#redisPid]) if (lives(pid)) process.kill(pid, 'SIGKILL');
  }
}

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Streams and whole answers of random length, until told to stop. */
function load(fleet: Fleet, accounts: readonly string[], random: () => number, first: number) {
  const shots: Shot[] = [];
  let stopped = false;
  let next = first;
  const worker = async (): Promise<void> => {
    while (!stopped) {
      const number = next++;
      const account = accounts[number % accounts.length]!;
      const words = 1 + Math.floor(random() * TOKENS);
      const node = fleet.nodes[Math.floor(random() * fleet.nodes.length)]!;
      const text = `#${number}# @simulate scenario=text-long words=${words} ttft=10 tps=60`;
      const question = chatQuestion(node.url, MODEL, text, { max_tokens: TOKENS, stream: random() < 0.7 });
      const headers = { authorization: `Bearer ${keyFor(account)}` };
      const reply = await ask({ ...question, headers, limitMs: PATIENCE_MS });
      shots.push({ number, account, reply });
      if (reply.status !== 200) await sleep(30);
    }
  };
  const workers = Array.from({ length: AT_ONCE }, worker);
  const stop = async (): Promise<number> => {
    stopped = true;
    await Promise.all(workers);
    return next;
  };
  return { shots, stop };
}

type Findings = { overcharged: number; wrong: number; estimated: number; unpaidNano: bigint };

/** Each call that the upstream knows, beside what was charged for it. */
async function compare(simulator: SimulatorProcess, purser: Purser, shots: readonly Shot[]): Promise<Findings> {
  const findings: Findings = { overcharged: 0, wrong: 0, estimated: 0, unpaidNano: 0n };
  const tokens = new Map<number, number>();
  for (const { bodyText, tokensProduced } of await simulator.truth())
    tokens.set(Number(/#(\d+)#/.exec(bodyText)?.[1]), tokensProduced);
  for (const account of new Set(shots.map((shot) => shot.account))) {
    const charges = await purser.charges(account);
    const mine = shots.filter((shot) => shot.account === account);
    let used = 0n;
    for (const { number, reply } of mine) {
      const cost = BigInt(tokens.get(number) ?? 0) * TOKEN_NANO;
      used += cost;
      const id = reply.headers[ID_HEADER];
      const charge = typeof id === 'string' ? charges.get(id) : undefined;
      // What was cut short is an estimate, counted by characters and never above the hold.
      const most = charge?.estimated === true ? REQUEST_NANO : cost;
      if (charge !== undefined && charge.amount > most) findings.overcharged++;
      if (reply.status === 200 && reply.complete && charge?.amount !== cost) findings.wrong++;
    }
    let charged = 0n;
    for (const { amount, estimated } of charges.values()) {
      charged += amount;
      if (estimated) findings.estimated++;
    }
    findings.unpaidNano += used - charged;
  }
  return findings;
}

async function play({ rounds, loadMs }: Parameters, stage: Stage): Promise<Outcome> {
  const folders = ['postgres', 'redis'].map((name) => mkdtempSync(join(tmpdir(), `trivium-rt-${name}-`)));
  const [postgresFolder = '', redisFolder = ''] = folders;
  stage.atEnd(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  const [postgresPort, redisPort] = [await freePort(), await freePort()];
  const postgres = startPostgres(postgresFolder, postgresPort);
  const redis = await startRedis(redisFolder, redisPort);
  const database = await freshDatabase(postgres.url);
  const simulator = await stage.simulator();
  const accounts = ['rich', 'poor'];
  const config = moneyConfig(simulator, accounts, {
    database: { url: database.url, connectMs: 1000 },
    redis: { url: redis.url },
    ledger: { journal: `${stage.folder}/journal` },
  });
  const fleet = new Fleet(
    stage,
    config,
    { postgres: postgres.pid, redis: redis.pid },
    {
      postgres: () => startPostgres(postgresFolder, postgresPort).pid,
      redis: async () => (await startRedis(redisFolder, redisPort)).pid,
    },
  );
  const purser = new Purser(database.url);
  stage.atEnd(() => purser.close());
  await purser.open('rich', 1_000_000n * REQUEST_NANO);
  await purser.open('poor', 20n * REQUEST_NANO);
  for (const at of [0, 1]) await fleet.startNode(at);

  const shots: Shot[] = [];
  let first = 0;
  let slowestClosedMs = 0;
  let leaseAdmissions = 0;
  for (let round = 0; round < rounds; round++) {
    const victim = VICTIMS[round % VICTIMS.length]!;
    const running = load(fleet, accounts, stage.random, first);
    await sleep(loadMs * (0.3 + 0.7 * stage.random()));
    leaseAdmissions += await fleet.nodes[0]!.metric('trivium_lease_admissions');
    await fleet.killAndRestart(victim, round % 2);
    const downAt = performance.now();
    await sleep(loadMs * 0.3);
    first = await running.stop();
    shots.push(...running.shots);
    await waitFor(
      'what the dead had open is closed',
      async () => (await purser.openHolds()) === 0,
      2 * CLOSED_WITHIN_MS,
    );
    const closedMs = performance.now() - downAt;
    slowestClosedMs = Math.max(slowestClosedMs, closedMs);
    const served = running.shots.filter(({ reply }) => reply.status === 200 && reply.complete).length;
    stage.say(
      `${victim.padEnd(10)} ${running.shots.length} requests, ${served} served, closed after ${Math.round(closedMs)} ms`,
    );
  }
  await waitFor(
    'all is posted',
    async () => (await compare(simulator, purser, shots)).wrong === 0,
    PATIENCE_MS,
    500,
  ).catch(() => undefined);
  const { overcharged, wrong, estimated, unpaidNano } = await compare(simulator, purser, shots);
  let violations = 0;
  for (const account of accounts) violations += await purser.violations(account);
  const { posted, credit } = await purser.account('poor');
  const served = shots.filter(({ reply }) => reply.status === 200 && reply.complete).length;
  return {
    figures: {
      rounds,
      requests: shots.length,
      served,
      leaseAdmissions,
      estimated,
      slowestClosedMs: Math.round(slowestClosedMs),
      unpaidTokens: Number(unpaidNano / TOKEN_NANO),
    },
    checks: [
      exactly('violations of invariants in the book', violations, 0),
      exactly('charges above what the upstream produced, or estimates above the hold', overcharged, 0),
      exactly('whole answers not charged exactly', wrong, 0),
      atMost('spent beyond the poor account', Number(posted - credit), 0),
      atMost('milliseconds until the holds of the dead were closed', Math.round(slowestClosedMs), CLOSED_WITHIN_MS),
      atLeast('whole answers', served, rounds),
      atLeast('admissions from leases', leaseAdmissions, 1),
    ],
  };
}

export const ledgerKill = scenario<Parameters>({
  name: 'ledger-kill',
  shows:
    'kill -9 of a gateway, of PostgreSQL or of Redis leaves no charge too many, none too high and nothing set aside',
  short: { rounds: 3, loadMs: 800 },
  full: { rounds: 30, loadMs: 3_000 },
  run: play,
});
