// The full setup: a key and an account from the database, prices, rate limits of key and account, a ledger with its
// journal, usage rows, Redis. All are configured as an operator would.
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { startServices } from '../../scripts/services/services.ts';

const ACCOUNT = 'bench';
const COMPANY = 'company';
const PLENTY_USD = '1000000';
const OPERATOR_SECRET = 'sk-trivium-operator-bench-0123456789abcdefghijkl';
/** More than any run can use, so that everything is counted and nothing is refused. */
const PLENTY_PER_MINUTE = 100_000_000;
const BY_THE_MINUTE = { requestsPerMinute: PLENTY_PER_MINUTE, tokensPerMinute: PLENTY_PER_MINUTE };
const LIMITS = {
  perKey: { ...BY_THE_MINUTE, inFlight: 1_000 },
  perAccount: { ...BY_THE_MINUTE, usdPerMinute: 1_000_000 },
};

/** Drops the database of the last run. */
async function freshDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  return new URL(`/${name}`, serverUrl).href;
}

/** The members of the configuration that switch everything on; `label` tells one gateway's database and journal from another's. */
export async function moneyConfiguration(
  workFolder: string,
  label: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { databaseUrl, redisUrl } = await startServices();
  if (databaseUrl === undefined || redisUrl === undefined) throw new Error('needs PostgreSQL and Redis');
  const journal = join(workFolder, `journal-${label}`);
  rmSync(journal, { recursive: true, force: true });
  mkdirSync(journal, { recursive: true });
  return {
    database: { url: await freshDatabase(databaseUrl, `trivium_bench_${label}`) },
    redis: { url: redisUrl },
    ledger: { journal },
    rateLimits: LIMITS,
    keys: [],
  };
}

const perMillion = (value: string) => [{ value, unit: 'perMTokens', currency: 'USD' }];
const PRICES = { prompt: perMillion('0.15'), completion: perMillion('0.6') };

type Plain = { readonly admin: object; readonly models: readonly { readonly endpoints: readonly object[] }[] };

/** The same gateway with everything on, its models priced and its operator known. */
export const withMoney = (plain: Plain, money: Readonly<Record<string, unknown>>): object => ({
  ...plain,
  ...money,
  admin: { ...plain.admin, secret: OPERATOR_SECRET },
  models: plain.models.map((model) => ({
    ...model,
    endpoints: model.endpoints.map((endpoint) => ({ ...endpoint, pricings: PRICES })),
  })),
});

/** The address of a collector that takes every trace and keeps none. It runs in this process, off the core that is measured. */
export const startCollector = (): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      request.resume().once('end', () => response.end('{}'));
    });
    server.unref().listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`);
    });
  });

/** What the account has beside credit and a key. */
export interface Customer {
  /** Declared, and sent with every request. */
  readonly tags?: Readonly<Record<string, string>>;
  /** A budget of each of its tags, and one of a company above it. */
  readonly hasGroupBudgets?: boolean;
}

/** Creates an account with credit and a key; returns the headers of its requests. */
export async function newCustomer(
  adminPort: number,
  { tags = {}, hasGroupBudgets = false }: Customer,
): Promise<Readonly<Record<string, string>>> {
  const post = async (path: string, body: object): Promise<{ readonly secret?: string }> => {
    const reply = await fetch(`http://127.0.0.1:${adminPort}/admin/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as { readonly secret?: string };
  };
  const budget = (account: string, scope: string) =>
    post(`/accounts/${account}/budgets`, { scope, span: 'month', usd: PLENTY_USD });
  const pairs = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  await post('/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'prepaid' });
  await post(`/accounts/${ACCOUNT}/credits`, { usd: PLENTY_USD });
  for (const key of Object.keys(tags)) await post(`/accounts/${ACCOUNT}/tags`, { key });
  if (hasGroupBudgets) {
    await post('/accounts', { id: COMPANY, name: COMPANY, kind: 'unlimited' });
    await post(`/accounts/${ACCOUNT}/parent`, { parentId: COMPANY });
    await budget(COMPANY, 'group');
    for (const pair of pairs) await budget(ACCOUNT, `tag:${pair}`);
  }
  const { secret } = await post(`/accounts/${ACCOUNT}/keys`, { name: 'bench', rights: {} });
  if (secret === undefined) throw new Error('the new key came without its secret');
  return { Authorization: `Bearer ${secret}`, ...(pairs.length > 0 && { 'x-trivium-tags': pairs.join(',') }) };
}
