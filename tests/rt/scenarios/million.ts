/**
 * A million accounts, keys and ledger accounts: a gateway starts as fast as with none, tens of thousands of active accounts share
 * their statements, lists and searches read indexes, and the audit ends, once for all processes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { AuditRounds } from '../../../packages/gateway/src/money/ledger/audit-rounds.ts';
import { Store } from '../../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, storeSettings } from '../../support/database.ts';
import { accountOf, fill } from '../million/fill.ts';
import { serverMsOf } from '../million/server-time.ts';
import { ask, chatQuestion, keepingAgent } from '../parts/ask.ts';
import { countStatements } from '../parts/counted-statements.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { MODEL } from '../parts/hosts.ts';
import { loadFor, percentile, rounded, succeeded } from '../parts/load.ts';
import { moneyConfig, TOKENS } from '../parts/money.ts';
import { operate } from '../parts/operator.ts';
import { processorSeconds, residentBytes } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import { waitFor } from '../parts/wait.ts';
import { atMost, exactly, type Outcome, scenario } from '../scenario.ts';

type Parameters = {
  readonly accounts: number;
  readonly active: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly starts: number;
  readonly mostStatements: number;
};

const MOST_OF_EMPTY = 1.1;
const MOST_LIST_MS = 20;
const MOST_AUDIT_SECONDS = 300;
/** A changed account is read again; heartbeats and postings of the same moments may be among them. */
const MOST_FOR_CHANGE = 8;
const TRIES = 3;
/** How many times as much as others an account's first request costs. */
const FIRST_TIME_COST = 4;
const POSTED_LIMIT_MS = 120_000;
const WINDOW_MS = 2_000;
const TURNS = 5;
const MB = 2 ** 20;

const LISTS: Readonly<Record<string, string>> = {
  'accounts by id': '/accounts?limit=50',
  'accounts by name': '/accounts?limit=50&sort=name',
  'newest accounts': '/accounts?limit=50&sort=createdAt&order=desc',
  'search in accounts': '/accounts?limit=50&q=abc12',
  'search in accounts by a frequent word': '/accounts?limit=50&q=company',
  'keys of an account': `/accounts/${accountOf(7)}/keys?limit=50`,
  'page of requests': '/requests?limit=50',
};

type Started = { readonly cpuSeconds: number; readonly bytes: number };

/** The least of several starts: others share the machine. */
async function startOf(stage: Stage, config: Readonly<Record<string, unknown>>, name: string): Promise<Started> {
  const gateway = await stage.gateway(config, { name });
  const pid = gateway.child.process.pid!;
  const started = { cpuSeconds: processorSeconds(pid), bytes: residentBytes(pid) };
  await gateway.child.kill();
  return started;
}

const leastOf = (starts: readonly Started[]): Started => ({
  cpuSeconds: Math.min(...starts.map(({ cpuSeconds }) => cpuSeconds)),
  bytes: Math.min(...starts.map(({ bytes }) => bytes)),
});

async function listTimes(gateway: GatewayProcess, watcher: Client): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const [name, path] of Object.entries(LISTS)) {
    await operate(gateway, 'GET', path);
    const tries: number[] = [];
    for (let each = 0; each < TRIES; each++) tries.push(await serverMsOf(watcher, () => operate(gateway, 'GET', path)));
    times[name] = rounded(Math.min(...tries), 1);
  }
  return times;
}

async function audit(url: string): Promise<{ cpuSeconds: number; violations: number; again: number }> {
  const store = new Store(storeSettings(url));
  try {
    const ports = { writer: store.writer, onViolation: () => undefined, onTrouble: () => undefined };
    const [first, second] = [new AuditRounds(ports), new AuditRounds(ports)];
    const before = process.cpuUsage();
    await first.roundIfDue();
    const { user, system } = process.cpuUsage(before);
    const beforeSecond = process.cpuUsage();
    await second.roundIfDue();
    const { user: again } = process.cpuUsage(beforeSecond);
    return { cpuSeconds: (user + system) / 1e6, violations: first.violations, again: again / 1e6 };
  } finally {
    await store.close();
  }
}

async function play(parameters: Parameters, stage: Stage): Promise<Outcome> {
  const { accounts, active, perSecond, seconds, starts, mostStatements } = parameters;
  const [empty, full] = [await freshDatabase(), await freshDatabase()];
  for (const database of [empty, full]) stage.atEnd(() => database.drop());
  const owner = new Client({ connectionString: full.url });
  await owner.connect();
  stage.atEnd(() => owner.end());
  const secrets = await fill(owner, accounts, active);
  stage.say(`${accounts} accounts are there`);

  const { keys: _, ...common } = moneyConfig(await stage.simulator(), [], {});
  const on = (url: string) => ({ ...common, database: { url }, ledger: { journal: `${stage.folder}/journal` } });
  const started: Record<'empty' | 'full', Started[]> = { empty: [], full: [] };
  for (let each = 0; each < starts; each++)
    for (const [name, { url }] of [
      ['empty', empty],
      ['full', full],
    ] as const)
      started[name].push(await startOf(stage, on(url), name));
  const [least, most] = [leastOf(started.empty), leastOf(started.full)];

  const counted = await countStatements(stage, full.url);
  const gateway = await stage.gateway(on(counted.url), { name: 'million' });
  const agent = keepingAgent();
  stage.atEnd(() => agent.destroy());
  const words = `Hello @simulate scenario=text-long words=${TOKENS}`;
  const question = chatQuestion(gateway.url, MODEL, words, { max_tokens: TOKENS });
  const fire = (account: number) =>
    ask({ ...question, headers: { authorization: `Bearer ${secrets[account]!}` }, agent, limitMs: 30_000 });
  // Every account's first request asks the database for a lease: these are not counted.
  const firstPerSecond = perSecond / FIRST_TIME_COST;
  const before = await loadFor((active / firstPerSecond) * 1000, firstPerSecond, (index) => fire(index % active));
  const statementsBefore = counted.statements;
  const shots = await loadFor(seconds * 1000, perSecond, () => fire(Math.floor(stage.random() * active)));
  const statements = counted.statements - statementsBefore;
  const failed = [...before, ...shots].filter((shot) => !succeeded(shot)).length;
  const statuses = new Set([...before, ...shots].map(({ status }) => status));
  stage.say(`${shots.length} requests, ${statements} statements, statuses ${[...statuses].join(', ')}`);

  const isPosted = async (): Promise<boolean> => (await gateway.metric('trivium_settlements_unposted')) === 0;
  await waitFor('all settlements are posted', isPosted, POSTED_LIMIT_MS, WINDOW_MS);
  const during = async (work: () => Promise<unknown>): Promise<number> => {
    const countBefore = counted.statements;
    await work();
    await sleep(WINDOW_MS);
    return counted.statements - countBefore;
  };
  // In turn, because idle leases are returned meanwhile, many in one statement.
  const [atRest, changed]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    atRest.push(await during(async () => undefined));
    changed.push(
      await during(() => owner.query("update accounts set name = name || '!' where id = $1", [accountOf(1)])),
    );
  }
  const restStatements = percentile(atRest, 0.5);
  const forChange = Math.max(0, percentile(changed, 0.5) - restStatements);

  const lists = await listTimes(gateway, owner);
  await gateway.child.kill();
  const audited = await audit(full.url);
  return {
    figures: {
      accounts,
      startCpuSeconds: most.cpuSeconds,
      emptyStartCpuSeconds: least.cpuSeconds,
      startMb: rounded(most.bytes / MB, 0),
      emptyStartMb: rounded(least.bytes / MB, 0),
      statementsPerRequest: rounded(statements / shots.length, 3),
      statementsAtRestPerSecond: rounded((restStatements * 1000) / WINDOW_MS, 1),
      statementsForChange: forChange,
      lists,
      auditCpuSeconds: rounded(audited.cpuSeconds, 1),
      secondAuditCpuSeconds: rounded(audited.again, 2),
    },
    checks: [
      exactly('requests that failed', failed, 0),
      atMost('CPU of a start, against an empty database', rounded(most.cpuSeconds / least.cpuSeconds), MOST_OF_EMPTY),
      atMost('memory after a start, against an empty database', rounded(most.bytes / least.bytes), MOST_OF_EMPTY),
      atMost('statements for each request', rounded(statements / shots.length, 3), mostStatements),
      atMost('statements for one changed account', forChange, MOST_FOR_CHANGE),
      ...Object.entries(lists).map(([name, ms]) => atMost(`${name}: ms of CPU in PostgreSQL`, ms, MOST_LIST_MS)),
      atMost('seconds of CPU for the audit', rounded(audited.cpuSeconds, 1), MOST_AUDIT_SECONDS),
      exactly('violations of invariants', audited.violations, 0),
    ],
  };
}

export const million = scenario<Parameters>({
  name: 'million',
  shows: 'with a million accounts, starts, requests, lists, searches and the audit cost what they cost with few',
  limitMs: { full: 2_400_000 },
  short: { accounts: 20_000, active: 500, perSecond: 100, seconds: 10, starts: 1, mostStatements: 1 },
  full: { accounts: 1_000_000, active: 20_000, perSecond: 1_000, seconds: 60, starts: 3, mostStatements: 0.3 },
  run: play,
});
