/**
 * `npm run bench:state [-- --turns N --rounds N]`: what storing a turn costs. A gateway with a database answers the same calls with
 * and without `store`, and one without `state` answers them too, in turn: their CPU per call, and that of PostgreSQL. Then the store
 * alone: turns per second, bytes per turn. The last line is JSON with `ok`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Gateway, startGateway } from '@trivium/gateway';
import { Client } from 'pg';
import type { CallerPort } from '../packages/gateway/src/kernel/caller-port.ts';
import { StoredContent } from '../packages/gateway/src/media/responses/content.ts';
import { StoredRows } from '../packages/gateway/src/media/responses/rows.ts';
import { StoredTurns } from '../packages/gateway/src/media/responses/stored-turns.ts';
import { Store } from '../packages/gateway/src/store/postgres/store.ts';
import { OPERATOR_SECRET } from '../tests/support/admin-stand.ts';
import { freshDatabase } from '../tests/support/database.ts';
import { standConfig } from '../tests/support/stand.ts';
import { ratioOf, spreadOf } from './statistics.ts';

/** `unusedRatio`: an unstored call, as a multiple of one where nothing is ever stored. */
const LIMITS = { cpuRatio: 1.25, unusedRatio: 1.05, postgresMs: 1, turnsPerSecond: 1000 };
const MOST_SOCKETS = 256;
const WARM_UP = 1500;
const STORED_ALONE = 20_000;
const STORED_AT_ONCE = 256;
const ACCOUNT = 'bench';
const MODEL = 'own/model';

/** Prose that compresses like prose. */
function prose(characters: number, seed: number): string {
  const words = readFileSync(new URL('../docs/understand/money.md', import.meta.url), 'utf8').split(/\s+/);
  let text = '';
  for (let at = seed * 31; text.length < characters; at += 7) text += `${words[at % words.length]} `;
  return text.slice(0, characters);
}

const QUESTION = 4000;
const ANSWER = 2000;

function answerTo(seed: number): string {
  const part = { type: 'output_text', text: prose(ANSWER, seed), annotations: [] };
  return JSON.stringify({
    id: `resp_${seed}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'any',
    output: [{ id: `msg_${seed}`, type: 'message', status: 'completed', role: 'assistant', content: [part] }],
    usage: { input_tokens: 1000, output_tokens: 500, total_tokens: 1500 },
  });
}

/** A host that answers at once, and a caller with many connections: both in processes of their own. */
async function upstream(): Promise<void> {
  const answers = Array.from({ length: 64 }, (_, seed) => answerTo(seed));
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => {
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(answers[count++ % answers.length]);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
}

type Order = {
  readonly url: string;
  readonly key: string;
  readonly turns: number;
  readonly store: boolean;
  readonly perSecond: number;
};

/** Calls begin when they are due, however many are under way. */
async function begun({ turns, perSecond }: Order, call: (at: number) => Promise<void>): Promise<Promise<void>[]> {
  const calls: Promise<void>[] = [];
  const startedAt = performance.now();
  while (calls.length < turns) {
    const due = Math.min(turns, 1 + Math.floor(((performance.now() - startedAt) / 1000) * perSecond));
    while (calls.length < due) {
      const made = call(calls.length);
      // Told when all have begun.
      made.catch(() => undefined);
      calls.push(made);
    }
    await sleep(1);
  }
  return calls;
}

function caller(): void {
  const agent = new Agent({ keepAlive: true, maxSockets: MOST_SOCKETS });
  const bodies = new Map<boolean, readonly string[]>();
  for (const store of [true, false])
    bodies.set(
      store,
      Array.from({ length: 64 }, (_, seed) => JSON.stringify({ model: MODEL, store, input: prose(QUESTION, seed) })),
    );
  const one = ({ url, key, store }: Order, at: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const call = request(`${url}/responses`, { method: 'POST', agent, headers }, (reply) => {
        let text = '';
        reply.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        reply.on('end', () => {
          if (reply.statusCode === 200 && text.includes(`"store":${store}`)) resolve();
          else reject(new Error(`${reply.statusCode}: ${text.slice(0, 300)}`));
        });
      });
      call.on('error', reject).end(bodies.get(store)?.[at % 64]);
    });
  process.on('message', async (order: Order) => {
    await Promise.all(await begun(order, (at) => one(order, at))).then(
      () => process.send?.('done'),
      (error: unknown) => process.send?.(String(error)),
    );
  });
}

const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Of the connections of one database, also those that have been closed since. */
class PostgresCpu {
  readonly #client: Client;
  readonly #seen = new Map<number, number>();

  constructor(client: Client) {
    this.#client = client;
  }

  async readMs(): Promise<number> {
    const { rows } = await this.#client.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    for (const { pid } of rows)
      try {
        this.#seen.set(pid, Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6);
      } catch {
        // It has just been closed.
      }
    return [...this.#seen.values()].reduce((sum, ms) => sum + ms, 0);
  }
}

const openGateway = (port: number, url: string, more: object): Promise<Gateway> =>
  startGateway({
    config: standConfig(`http://127.0.0.1:${port}`, {
      config: () => ({
        database: { url },
        admin: { host: '127.0.0.1', port: 0, secret: OPERATOR_SECRET },
        secrets: { keys: ['the first key of thirty-two characters'] },
        ...more,
      }),
      alsoHosts: (host) => ({
        providers: { own: { dialect: 'openai-responses', baseUrl: `${host}/v1`, credential: 'sk-own' } },
        models: [
          {
            id: MODEL,
            contextLength: 128_000,
            maxOutputTokens: 16_384,
            endpoints: [{ provider: 'own', dialect: 'openai-responses', upstreamModel: 'any' }],
          },
        ],
      }),
    }),
  });

const WAYS = ['stored', 'unstored', 'stateless'] as const;
type Way = (typeof WAYS)[number];

/** Six rounds have them in every order. */
function waysOf(round: number): readonly Way[] {
  const at = round % WAYS.length;
  const rotated = [...WAYS.slice(at), ...WAYS.slice(0, at)];
  return round % 2 === 0 ? rotated : rotated.toReversed();
}

async function measure(turns: number, rounds: number): Promise<void> {
  const database = await freshDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const [host, load] = ['upstream', 'caller'].map((role) => fork(import.meta.filename, [`--role=${role}`]));
  if (host === undefined || load === undefined) throw new Error('no processes');
  const [port] = await once(host, 'message');
  const gateways = await Promise.all(
    [{ state: { keepHours: 1, accountBytes: 64e9 } }, {}].map((more) => openGateway(Number(port), database.url, more)),
  );
  const [gateway, stateless] = gateways;
  if (gateway === undefined || stateless === undefined) throw new Error('no gateways');
  const admin = async (path: string, body: unknown): Promise<{ readonly secret: string }> => {
    const made = await fetch(`${gateway.adminUrl}/admin/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!made.ok) throw new Error(await made.text());
    return made.json() as Promise<{ secret: string }>;
  };
  await admin('/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'unlimited' });
  const { secret: key } = await admin(`/accounts/${ACCOUNT}/keys`, { name: 'bench' });
  const run = async (way: Way, count: number): Promise<void> => {
    load.send({
      url: `${(way === 'stateless' ? stateless : gateway).url}/api/v1`,
      key,
      turns: count,
      store: way === 'stored',
      perSecond: LIMITS.turnsPerSecond,
    } satisfies Order);
    const [said] = await once(load, 'message');
    if (said !== 'done') throw new Error(String(said));
  };
  const postgres = new PostgresCpu(client);
  const spent = (): Readonly<Record<Way, number[]>> => ({ stored: [], unstored: [], stateless: [] });
  const cpu = { gateway: spent(), postgres: spent() };
  try {
    for (const way of WAYS) await run(way, WARM_UP);
    for (let round = 0; round < rounds; round++)
      for (const way of waysOf(round)) {
        const before = { own: ownCpuMs(), postgres: await postgres.readMs() };
        await run(way, turns);
        cpu.gateway[way].push((ownCpuMs() - before.own) / turns);
        cpu.postgres[way].push(((await postgres.readMs()) - before.postgres) / turns);
      }
  } finally {
    for (const each of gateways) await each.close();
    host.kill();
    load.kill();
  }
  const mediansOf = (of: Readonly<Record<Way, number[]>>): Record<Way, number> => ({
    stored: spreadOf(of.stored).median,
    unstored: spreadOf(of.unstored).median,
    stateless: spreadOf(of.stateless).median,
  });
  const gatewayMs = mediansOf(cpu.gateway);
  const postgresMs = mediansOf(cpu.postgres);
  const alone = await storeAlone(database.settings, client);
  await client.end();
  await database.drop();
  const ratios = {
    stored: ratioOf(cpu.gateway.stored, cpu.gateway.unstored),
    unused: ratioOf(cpu.gateway.unstored, cpu.gateway.stateless),
  };
  const figures = { gatewayMs, ratios, postgresMs, ...alone };
  const ok =
    ratios.stored.median <= LIMITS.cpuRatio &&
    ratios.unused.median <= LIMITS.unusedRatio &&
    postgresMs.stored <= LIMITS.postgresMs &&
    alone.turnsPerSecond >= LIMITS.turnsPerSecond;
  process.stdout.write(`${JSON.stringify({ ok, ...figures, characters: QUESTION + ANSWER, limits: LIMITS })}\n`);
  process.exitCode = ok ? 0 : 1;
}

/** As many turns as the store takes, of many accounts, without a gateway in front of it. */
async function storeAlone(settings: Parameters<typeof freshStore>[0], client: Client) {
  const { store, turns, accounts } = await freshStore(settings, client);
  await client.query('truncate stored_responses');
  const input = Array.from({ length: 64 }, (_, seed) =>
    JSON.stringify([{ type: 'message', role: 'user', content: prose(QUESTION, seed) }]),
  );
  const answers = Array.from({ length: 64 }, (_, seed) => answerTo(seed));
  const startedAt = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < STORED_ALONE) {
      const at = next++;
      const turn = {
        accountId: accounts[at % accounts.length] ?? '',
        id: `resp_${String(at).padStart(26, '0')}`,
        input: input[at % 64] ?? '[]',
      };
      await new Promise<void>((resolve, reject) => {
        const reply = {
          answer: (_: number, __: unknown, body: string) =>
            body.includes('"store":false') ? reject(new Error('not stored')) : resolve(),
        };
        turns
          .keeping(turn, reply as unknown as CallerPort)
          .then((keeping) => keeping.answer(200, [], answers[at % 64] ?? ''))
          .catch(reject);
      });
    }
  };
  await Promise.all(Array.from({ length: STORED_AT_ONCE }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  const { rows } = await client.query<{ turns: string; content: string; total: string }>(
    `select count(*) as turns, sum(bytes) as content, pg_total_relation_size('stored_responses') as total from stored_responses`,
  );
  const [found] = rows;
  turns.close();
  await store.close();
  if (Number(found?.turns) !== STORED_ALONE) throw new Error(`${found?.turns} turns were stored`);
  return {
    turnsPerSecond: Math.round(STORED_ALONE / seconds),
    bytesPerTurn: Math.round(Number(found?.total) / STORED_ALONE),
    contentBytesPerTurn: Math.round(Number(found?.content) / STORED_ALONE),
  };
}

async function freshStore(settings: ConstructorParameters<typeof Store>[0], client: Client) {
  const store = new Store(settings);
  const key = Buffer.alloc(32, 7);
  const accounts = Array.from({ length: 20 }, (_, at) => `alone-${at}`);
  for (const account of accounts) {
    await client.query(`insert into accounts (id, name, kind) values ($1, $1, 'unlimited')`, [account]);
    await client.query(
      `insert into capture_keys (account_id, id, sealed, wrapped_key, wrapping) values ($1, $2, '', '', '')`,
      [account, `cak_${account}`],
    );
  }
  const found = (accountId: string) => Promise.resolve({ id: `cak_${accountId}`, key });
  const turns = new StoredTurns({
    rows: new StoredRows(store),
    monotonicMs: () => performance.now(),
    content: new StoredContent({ dataKeyFor: found, findDataKey: found }),
    settings: () => ({ keepMs: 3_600_000, accountBytes: 1e12, maxCharacters: 1e8, maxHistoryCharacters: 1e8 }),
    onTrouble: (error) => process.stderr.write(`${String(error)}\n`),
  });
  return { store, turns, accounts };
}

const { values } = parseArgs({
  options: {
    role: { type: 'string', default: 'measure' },
    turns: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '6' },
  },
});
// A process of the other roles ends with the one that started it.
process.once('disconnect', () => process.exit());
if (values.role === 'upstream') await upstream();
else if (values.role === 'caller') caller();
else
  await measure(Number(values.turns), Number(values.rounds)).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
