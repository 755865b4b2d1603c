// What the gateway is given so that nothing is left out: a key and an account from the database, prices, limits of key
// and account, a ledger with its journal, usage rows, Redis. All by the ways an operator has.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { startServices } from '../../scripts/services/services.ts';

const DATABASE = 'trivium_bench';
const ACCOUNT = 'bench';
const OPERATOR_SECRET = 'sk-trivium-operator-bench-0123456789abcdefghijkl';
/** More than any run can use of each, so that everything is counted and nothing refused. */
const PLENTY_PER_MINUTE = 100_000_000;
const BY_THE_MINUTE = { requestsPerMinute: PLENTY_PER_MINUTE, tokensPerMinute: PLENTY_PER_MINUTE };
const LIMITS = {
  perKey: { ...BY_THE_MINUTE, inFlight: 1_000 },
  perAccount: { ...BY_THE_MINUTE, usdPerMinute: 1_000_000 },
};

/** A database of the last run is of no use to this one. */
async function freshDatabase(serverUrl: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`drop database if exists ${DATABASE} with (force)`);
    await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
  return new URL(`/${DATABASE}`, serverUrl).href;
}

/** The members of the configuration that switch everything on. */
export async function moneyConfiguration(workFolder: string): Promise<Readonly<Record<string, unknown>>> {
  const { databaseUrl, redisUrl } = await startServices();
  if (databaseUrl === undefined || redisUrl === undefined) throw new Error('needs PostgreSQL and Redis');
  const journal = join(workFolder, 'journal');
  rmSync(journal, { recursive: true, force: true });
  mkdirSync(journal, { recursive: true });
  return {
    database: { url: await freshDatabase(databaseUrl) },
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

/** An account with credit, and a key of it. */
export async function newCustomer(adminPort: number): Promise<string> {
  const post = async (path: string, body: object): Promise<{ readonly secret?: string }> => {
    const reply = await fetch(`http://127.0.0.1:${adminPort}/admin/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as { readonly secret?: string };
  };
  await post('/accounts', { id: ACCOUNT, name: ACCOUNT, kind: 'prepaid' });
  await post(`/accounts/${ACCOUNT}/credits`, { usd: '1000000' });
  const { secret } = await post(`/accounts/${ACCOUNT}/keys`, { name: 'bench', rights: {} });
  if (secret === undefined) throw new Error('the new key came without its secret');
  return secret;
}
