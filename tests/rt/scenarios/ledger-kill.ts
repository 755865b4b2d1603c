/**
 * Load on two nodes with leases on, and kill -9 of a gateway, of PostgreSQL or of Redis at a random moment, again and again:
 * afterwards the book agrees with what the upstream knows, and nothing that the dead had set aside stays set aside.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../scripts/services/free-port.ts';
import { startRedis } from '../../../scripts/services/redis.ts';
import { freshDatabase } from '../../support/database.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { KillablePostgres, lives } from '../parts/killable-postgres.ts';
import { moneyConfig, Purser, REQUEST_NANO, TOKENS } from '../parts/money.ts';
import { isWhole, requestIdOf, type Shot, shoot, tokensByShot } from '../parts/shots.ts';
import type { SimulatorProcess } from '../parts/simulator-process.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atLeast, atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = { readonly rounds: number; readonly loadMs: number };
type Victim = 'gateway' | 'PostgreSQL' | 'Redis';

const VICTIMS: readonly Victim[] = ['gateway', 'PostgreSQL', 'Redis'];
const PATIENCE_MS = 30_000;
const CLOSED_WITHIN_MS = 30_000;
const TOKEN_NANO = REQUEST_NANO / BigInt(TOKENS);

/** Everything that can be killed, and how it comes back. */
class Fleet {
  readonly nodes: GatewayProcess[] = [];
  readonly #stage: Stage;
  readonly #config: Record<string, unknown>;
  readonly #postgres: KillablePostgres;
  readonly #startRedis: () => Promise<number>;
  #redisPid: number;
  #started = 0;

  constructor(
    stage: Stage,
    config: Record<string, unknown>,
    postgres: KillablePostgres,
    redisPid: number,
    startRedis: () => Promise<number>,
  ) {
    this.#stage = stage;
    this.#config = config;
    this.#postgres = postgres;
    this.#redisPid = redisPid;
    this.#startRedis = startRedis;
    stage.atEnd(() => {
      if (lives(this.#redisPid)) process.kill(this.#redisPid, 'SIGKILL');
    });
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
      this.#redisPid = await this.#startRedis();
    } else {
      await this.#postgres.kill();
      this.#postgres.restart();
    }
  }
}

type Findings = { overcharged: number; wrong: number; estimated: number; unpaidNano: bigint };

/** Each call that the upstream knows, beside what was charged for it. */
async function compare(simulator: SimulatorProcess, purser: Purser, shots: readonly Shot[]): Promise<Findings> {
  const findings: Findings = { overcharged: 0, wrong: 0, estimated: 0, unpaidNano: 0n };
  const tokens = await tokensByShot(simulator);
  for (const account of new Set(shots.map((shot) => shot.account))) {
    const charges = await purser.charges(account);
    const mine = shots.filter((shot) => shot.account === account);
    let used = 0n;
    for (const shot of mine) {
      const cost = BigInt(tokens.get(shot.number) ?? 0) * TOKEN_NANO;
      used += cost;
      const charge = charges.get(requestIdOf(shot) ?? '');
      // What was cut short is an estimate, counted by characters and never above the hold.
      const most = charge?.estimated === true ? REQUEST_NANO : cost;
      if (charge !== undefined && charge.amount > most) findings.overcharged++;
      if (isWhole(shot) && charge?.amount !== cost) findings.wrong++;
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
  const postgres = await KillablePostgres.start(stage);
  const redisFolder = mkdtempSync(join(tmpdir(), 'trivium-rt-redis-'));
  stage.atEnd(() => rmSync(redisFolder, { recursive: true, force: true }));
  const redisPort = await freePort();
  const redis = await startRedis(redisFolder, redisPort);
  const database = await freshDatabase(postgres.url);
  const simulator = await stage.simulator();
  const accounts = ['rich', 'poor'];
  const config = moneyConfig(simulator, accounts, {
    database: { url: database.url, connectMs: 1000 },
    redis: { url: redis.url },
    ledger: { journal: `${stage.folder}/journal` },
  });
  const startRedisAgain = async (): Promise<number> => (await startRedis(redisFolder, redisPort)).pid;
  const fleet = new Fleet(stage, config, postgres, redis.pid, startRedisAgain);
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
    const running = shoot(fleet.nodes, accounts, stage.random, first);
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
    const served = running.shots.filter(isWhole).length;
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
  const served = shots.filter(isWhole).length;
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
