/** Invented accounts for pictures: a company and its teams, budgets that are nearly used up, rate limits, a key that ends soon. */
import { Client } from 'pg';
import { type GatewayProcess, OPERATOR_SECRET } from '../../tests/rt/parts/gateway-process.ts';

const NANO_PER_USD = 1_000_000_000;
const DAY_MS = 86_400_000;

/** The account, its scope, the most in a month, and what is spent of it. */
const BUDGETS = [
  ['globex', 'group', 1200, 1105.4],
  ['acme', 'account', 400, 331.27],
  ['initech', 'account', 150, 42.08],
  ['initech', 'tag:team=search', 60, 12.5],
] as const;

async function spend(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const now = new Date();
    const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
    for (const [account, scope, , spent] of BUDGETS) {
      const key = `${scope === 'group' ? `@${account} ` : ''}${scope} month ${startMs}`;
      await client.query(
        `insert into ledger_purses (account_id, key, scope, span, start_ms, posted) values ($1, $2, $3, 'month', $4, $5)
         on conflict (account_id, key) do update set posted = excluded.posted`,
        [account, key, scope, startMs, Math.round(spent * NANO_PER_USD)],
      );
    }
  } finally {
    await client.end();
  }
}

export async function makeAccounts({ adminUrl }: GatewayProcess, databaseUrl: string): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`${adminUrl}/admin/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  const rateLimits = { requestsPerMinute: 600, tokensPerMinute: 2_000_000, usdPerMinute: 2.5, inFlight: 40 };
  await post('/accounts', { id: 'globex', name: 'Globex', kind: 'unlimited' });
  await post('/accounts', { id: 'acme', name: 'Acme', kind: 'unlimited', rateLimits });
  await post('/accounts', { id: 'initech', name: 'Initech', kind: 'prepaid' });
  await post('/accounts/initech/credits', { usd: '250', id: 'invoice-7', memo: 'Invoice 7' });
  for (const account of ['acme', 'initech']) await post(`/accounts/${account}/parent`, { parentId: 'globex' });
  await post('/accounts/initech/tags', { key: 'team' });
  for (const [account, scope, usd] of BUDGETS)
    await post(`/accounts/${account}/budgets`, { scope, span: 'month', usd: String(usd) });
  await post('/accounts/acme/keys', { name: 'playground' });
  const expiresAt = new Date(Date.now() + 2 * DAY_MS).toISOString();
  await post('/accounts/acme/keys', { name: 'nightly-evals', rights: { expiresAt } });
  await spend(databaseUrl);
}
