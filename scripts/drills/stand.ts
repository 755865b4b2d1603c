/** What a drill plays on: a PostgreSQL of its own with the database `gateway`, one account with credit, a simulated provider, and the command line. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { ask } from '../../tests/rt/parts/ask.ts';
import { type GatewayProcess, OPERATOR_SECRET } from '../../tests/rt/parts/gateway-process.ts';
import { KillablePostgres } from '../../tests/rt/parts/killable-postgres.ts';
import { keyFor, moneyConfig, Purser, paidQuestion, REQUEST_NANO } from '../../tests/rt/parts/money.ts';
import type { Stage } from '../../tests/rt/parts/stage.ts';
import { waitFor } from '../../tests/rt/parts/wait.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const PATIENCE_MS = 60_000;
const CREDIT_REQUESTS = 1000n;
export const ACCOUNT = 'acme';
export const DATABASE = 'gateway';

export class DrillStand {
  readonly stage: Stage;
  readonly #server: string;
  readonly #config: (journal: string, database: string) => Record<string, unknown>;
  #number = 0;
  /** Calls that were answered whole: each costs the same. */
  answered = 0;

  private constructor(
    stage: Stage,
    server: string,
    config: (journal: string, database: string) => Record<string, unknown>,
  ) {
    this.stage = stage;
    this.#server = server;
    this.#config = config;
  }

  static async open(stage: Stage): Promise<DrillStand> {
    const [simulator, postgres] = await Promise.all([stage.simulator(), KillablePostgres.start(stage)]);
    const stand = new DrillStand(stage, postgres.url, (journal, name) =>
      moneyConfig(simulator, [ACCOUNT], {
        database: { url: urlOf(postgres.url, name) },
        ledger: { journal: `${stage.folder}/${journal}` },
      }),
    );
    await stand.sql('postgres', `create database ${DATABASE}`);
    // Makes the configuration that the command line reads, and migrates.
    const first = await stand.serve('journal');
    await stand.stop(first, 'SIGTERM');
    await stand.withPurser((purser) => purser.open(ACCOUNT, CREDIT_REQUESTS * REQUEST_NANO));
    return stand;
  }

  serve(journal: string, database = DATABASE): Promise<GatewayProcess> {
    return this.stage.gateway(this.#config(journal, database), { name: 'node' });
  }

  async stop({ child }: GatewayProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    child.process.kill(signal);
    await waitFor(
      'the node has ended',
      () => child.process.exitCode !== null || child.process.signalCode !== null,
      PATIENCE_MS,
    );
  }

  async sql<Row>(database: string, text: string): Promise<readonly Row[]> {
    const client = new Client({ connectionString: urlOf(this.#server, database) });
    await client.connect();
    try {
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  async withPurser<T>(use: (purser: Purser) => Promise<T>): Promise<T> {
    const purser = new Purser(urlOf(this.#server, DATABASE));
    try {
      return await use(purser);
    } finally {
      await purser.close();
    }
  }

  /** Calls one after the other, each answered whole. */
  async call({ url }: GatewayProcess, times: number): Promise<void> {
    for (let each = 0; each < times; each++) {
      const reply = await ask(paidQuestion(url, ACCOUNT, this.#number++));
      if (reply.status !== 200 || !reply.complete) throw new Error(`a call failed: ${reply.status} ${reply.text}`);
      this.answered++;
    }
  }

  /** The status of one call with a secret. */
  async statusOf({ url }: GatewayProcess, secret = keyFor(ACCOUNT)): Promise<number> {
    const reply = await ask({
      ...paidQuestion(url, ACCOUNT, this.#number++),
      headers: { authorization: `Bearer ${secret}` },
    });
    if (reply.status === 200) this.answered++;
    return reply.status;
  }

  posted(): Promise<bigint> {
    return this.withPurser(async (purser) => (await purser.account(ACCOUNT)).posted);
  }

  /** Exactly what was answered is charged, to the nano-dollar, and no invariant is broken. */
  async moneyIsExact(): Promise<void> {
    const owed = BigInt(this.answered) * REQUEST_NANO;
    await waitFor(`${owed} nano-dollars are charged`, async () => (await this.posted()) === owed, PATIENCE_MS, 100);
    const violations = await this.withPurser((purser) => purser.violations(ACCOUNT));
    if (violations > 0) throw new Error(`${violations} invariants are broken`);
  }

  /** The command line, with the node's configuration and as the operator. */
  trivium(args: readonly string[], node?: GatewayProcess): string {
    const more = node === undefined ? ['--config', join(this.stage.folder, 'node.json')] : [];
    return execFileSync(
      process.execPath,
      [
        '--conditions=trivium-source',
        '--disable-warning=ExperimentalWarning',
        join(ROOT, 'packages/cli/src/main.ts'),
        ...args,
        ...more,
      ],
      {
        cwd: this.stage.folder,
        encoding: 'utf8',
        env: { ...process.env, TRIVIUM_ADMIN_URL: node?.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET },
      },
    );
  }

  logOf({ child }: GatewayProcess): string {
    return readFileSync(child.logPath, 'utf8');
  }
}

const urlOf = (server: string, database: string): string => new URL(`/${database}`, server).href;
