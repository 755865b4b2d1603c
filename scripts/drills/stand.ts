/** What a drill plays on: a PostgreSQL of its own with the database `gateway`, one account with credit, a simulated provider, and the command line. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { fencesOf } from '../../tests/docs/markdown.ts';
import { ask } from '../../tests/rt/parts/ask.ts';
import { type GatewayProcess, OPERATOR_SECRET } from '../../tests/rt/parts/gateway-process.ts';
import { MODEL } from '../../tests/rt/parts/hosts.ts';
import { KillablePostgres } from '../../tests/rt/parts/killable-postgres.ts';
import { keyFor, moneyConfig, PRICES, Purser, paidQuestion, REQUEST_NANO } from '../../tests/rt/parts/money.ts';
import { operate } from '../../tests/rt/parts/operator.ts';
import type { SimulatorProcess } from '../../tests/rt/parts/simulator-process.ts';
import type { Stage } from '../../tests/rt/parts/stage.ts';
import { waitFor } from '../../tests/rt/parts/wait.ts';
import { type Doings, ROOT, readPage } from './plan.ts';
import { commandsIn, type Step, wordsOf } from './steps.ts';

/** For a busy machine. */
export const PATIENCE_MS = 180_000;
/** A thousand calls. */
const CREDIT_USD = '50';
/** In one go, of each drill. */
export const CALLS = 20;
export const ACCOUNT = 'acme';
export const DATABASE = 'gateway';
export const RECOVERY = 'docs/operate/disaster-recovery.md';
export const UPGRADE = 'docs/operate/upgrade.md';
/** Heartbeats that the journals know of are not in the database of then. */
export const SET_BACK = 'I14';
export const DATABASE_PAGE = 'docs/operate/database.md';

type Serving = {
  readonly database?: string;
  readonly name?: string;
  /** Another checkout instead of this one. */
  readonly checkout?: string;
  readonly config?: Readonly<Record<string, unknown>>;
};

type Running = {
  /** Which node the command calls, if it calls one. */
  readonly node?: GatewayProcess;
  readonly env?: Readonly<Record<string, string>>;
  /** Another checkout instead of this one. */
  readonly checkout?: string;
  /** The exit codes that are right. */
  readonly ends?: readonly number[];
};
type Typing = Running & {
  /** What names of the page stand for: `$KEY_ID`, `<provider>`. */
  readonly values?: Readonly<Record<string, string>>;
  readonly more?: readonly string[];
};

export class DrillStand {
  readonly stage: Stage;
  readonly simulator: SimulatorProcess;
  readonly postgres: KillablePostgres;
  #server: string;
  #number = 0;
  readonly #typed = new Set<string>();
  readonly #settings = new Set<string>();
  readonly #signals = new Set<string>();
  /** Calls that were answered whole: each costs the same. */
  answered = 0;

  private constructor(stage: Stage, simulator: SimulatorProcess, postgres: KillablePostgres) {
    this.stage = stage;
    this.simulator = simulator;
    this.postgres = postgres;
    this.#server = postgres.url;
  }

  static async open(stage: Stage, serving: Serving = {}): Promise<DrillStand> {
    const [simulator, postgres] = await Promise.all([stage.simulator(), KillablePostgres.start(stage)]);
    const stand = new DrillStand(stage, simulator, postgres);
    await stand.sql('postgres', `create database ${DATABASE}`);
    // Makes the configuration that the command line reads, and migrates. Keys of a file would make the account an unlimited one.
    const first = await stand.serve('journal', { ...serving, config: { keys: [] } });
    await operate(first, 'POST', '/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'prepaid' });
    await operate(first, 'POST', `/accounts/${ACCOUNT}/credits`, { usd: CREDIT_USD, id: 'first' });
    await stand.stop(first, 'SIGTERM');
    stand.#signals.clear();
    return stand;
  }

  serve(journal: string, { database = DATABASE, config = {}, ...options }: Serving = {}): Promise<GatewayProcess> {
    const more = {
      database: { url: urlOf(this.#server, database) },
      ledger: { journal: `${this.stage.folder}/${journal}` },
      ...config,
    };
    for (const path of pathsIn(more)) this.#settings.add(path);
    return this.stage.gateway(moneyConfig(this.simulator, [ACCOUNT], more), { name: 'node', ...options });
  }

  /** Configuration of the model at these hosts, in this order and at one price. */
  hostsOf(...names: readonly string[]): Record<string, unknown> {
    return {
      providers: Object.fromEntries(names.map((name) => [name, this.hostOf(name)])),
      models: [
        {
          id: MODEL,
          maxOutputTokens: 8000,
          endpoints: names.map((provider) => ({ provider, upstreamModel: 'any', pricings: PRICES })),
        },
      ],
    };
  }

  hostOf(name: string): { readonly dialect: string; readonly baseUrl: string; readonly credential: string } {
    const baseUrl = `${this.simulator.url}/compatible@${name}/v1`;
    return { dialect: 'openai-chat', baseUrl, credential: 'sk-upstream-rt' };
  }

  /** From now on nodes and the command line use this server. */
  leadTo(server: string): void {
    this.#server = server;
    this.changeFile({ database: { url: urlOf(server, DATABASE) } });
  }

  /** Writes these sections into the file of the node, which watches it. */
  changeFile(sections: Readonly<Record<string, unknown>>): void {
    const config = JSON.parse(readFileSync(this.#configPath, 'utf8')) as Record<string, unknown>;
    for (const path of pathsIn(sections)) this.#settings.add(path);
    writeFileSync(this.#configPath, JSON.stringify({ ...config, ...sections }));
  }

  get #configPath(): string {
    return join(this.stage.folder, 'node.json');
  }

  async stop({ child }: GatewayProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    child.process.kill(signal);
    this.#signals.add(signal);
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

  get owed(): bigint {
    return BigInt(this.answered) * REQUEST_NANO;
  }

  /** Exactly what was answered is charged, to the nano-dollar, and no invariant is broken. */
  async moneyIsExact(): Promise<void> {
    const { owed } = this;
    await waitFor(`${owed} nano-dollars are charged`, async () => (await this.posted()) === owed, PATIENCE_MS, 100);
    const violations = await this.withPurser((purser) => purser.violations(ACCOUNT));
    if (violations > 0) throw new Error(`${violations} invariants are broken`);
  }

  /** Types a step's own command, its first unless another is meant, with what the page has no room for after it. */
  follow(step: Step, { at = 0, ...typing }: Typing & { readonly at?: number } = {}): string {
    const command = commandsIn(step)[at];
    if (command === undefined) throw new Error(`${step.title} names no command ${at + 1}`);
    return this.#type(command, typing);
  }

  /** Types the one command of a block. */
  followBlock(page: string, id: string): string {
    const text = fencesOf(readPage(page)).find((fence) => fence.id === id)?.text;
    if (text === undefined) throw new Error(`${page} needs a block {#${id}}`);
    return this.#type(text.trim(), {});
  }

  #type(command: string, { values = {}, more = [], ...typing }: Typing): string {
    this.#typed.add(command);
    return this.trivium([...wordsOf(command, this.#configPath, values), ...more], typing);
  }

  /** The command line as the operator. Commands of the pages are typed by `follow`. */
  trivium(args: readonly string[], { node, env = {}, checkout = ROOT, ends = [0] }: Running = {}): string {
    const main = join(checkout, 'packages/cli/src/main.ts');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--conditions=trivium-source', '--disable-warning=ExperimentalWarning', main, ...args],
      {
        cwd: this.stage.folder,
        encoding: 'utf8',
        env: { ...process.env, TRIVIUM_ADMIN_URL: node?.adminUrl, TRIVIUM_ADMIN_SECRET: OPERATOR_SECRET, ...env },
      },
    );
    if (!ends.includes(status ?? -1))
      throw new Error(`trivium ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
    return stdout;
  }

  /** The invariants that the audit of this step finds broken. */
  audit(step: Step, at: number): readonly string[] {
    const printed = this.follow(step, { at, more: ['--json'], ends: [0, 1] });
    const { violations } = JSON.parse(printed) as { readonly violations: readonly { readonly invariant: string }[] };
    return violations.map(({ invariant }) => invariant);
  }

  get doings(): Doings {
    return { typed: this.#typed, settings: this.#settings, signals: this.#signals };
  }

  logOf({ child }: GatewayProcess): string {
    return readFileSync(child.logPath, 'utf8');
  }
}

/** `a.b.c` of a nested object; lists and values end a path. */
const pathsIn = (sections: object): readonly string[] =>
  Object.entries(sections).flatMap(([name, inner]: [string, unknown]) =>
    typeof inner !== 'object' || inner === null || Array.isArray(inner)
      ? [name]
      : pathsIn(inner).map((path) => `${name}.${path}`),
  );

const urlOf = (server: string, database: string): string => new URL(`/${database}`, server).href;
