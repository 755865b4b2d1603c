/** Two nodes on one database, a model at a round price, accounts with credit, and queries of the ledger database. */
import { sql } from 'kysely';
import { insertAccount } from '../../../packages/gateway/src/control/accounts/rows.ts';
import { declareTag } from '../../../packages/gateway/src/control/accounts/tag-rows.ts';
import { auditAccount } from '../../../packages/gateway/src/money/ledger/audit.ts';
import { BudgetTemplates } from '../../../packages/gateway/src/money/ledger/budget-templates.ts';
import { Credits } from '../../../packages/gateway/src/money/ledger/credits.ts';
import { PostgresLedger } from '../../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import { OPERATOR, Store } from '../../../packages/gateway/src/store/postgres/store.ts';
import { openPrepaid } from '../../ledger-sql/money-stand.ts';
import { storeSettings } from '../../support/database.ts';
import { chatQuestion, type Question } from './ask.ts';
import { MODEL } from './hosts.ts';
import type { SimulatorProcess } from './simulator-process.ts';

/** At 5,000 USD for a million tokens, ten tokens are five cents. */
export const TOKENS = 10;
export const REQUEST_NANO = 50_000_000n;
export const TOKEN_NANO = REQUEST_NANO / BigInt(TOKENS);
export const usd = (value: string): object[] => [{ value, unit: 'perMTokens', currency: 'USD' }];
export const PRICES = { prompt: usd('0'), completion: usd('5000') };

export const keyFor = (account: string): string => `sk-trivium-rt-${account}-0123456789abcdefghijklmnopqrstuvwxyz`;

/** Costs `REQUEST_NANO`. The provider takes between 0 and 29 ms to begin, so that answers come in another order than requests. */
export const paidQuestion = (url: string, account: string, number: number): Question => ({
  ...chatQuestion(url, MODEL, `Hello @simulate scenario=text-long words=${TOKENS} ttft=${number % 30}`, {
    max_tokens: TOKENS,
  }),
  headers: { authorization: `Bearer ${keyFor(account)}` },
  limitMs: 60_000,
});

export const keysOf = (accounts: readonly string[]): object[] =>
  accounts.map((account) => ({ name: account, account, secret: keyFor(account) }));

export const moneyConfig = (
  simulator: SimulatorProcess,
  accounts: readonly string[],
  more: Readonly<Record<string, unknown>>,
): Record<string, unknown> => ({
  providers: {
    east: { dialect: 'openai-chat', baseUrl: `${simulator.url}/compatible@east/v1`, credential: 'sk-upstream-rt' },
  },
  models: [
    {
      id: MODEL,
      maxOutputTokens: 8000,
      endpoints: [{ provider: 'east', upstreamModel: 'any', pricings: PRICES }],
    },
  ],
  keys: keysOf(accounts),
  ...more,
});

export type Settled = { readonly amount: bigint; readonly estimated: boolean; readonly granted: bigint };

export class Purser {
  readonly #store: Store;

  constructor(databaseUrl: string) {
    this.#store = new Store(storeSettings(databaseUrl));
  }

  /** Call before the gateways start: they treat unknown accounts as unlimited. */
  async open(account: string, credit: bigint): Promise<void> {
    await this.#store.within(OPERATOR, (db) => insertAccount(db, { id: account, name: account, kind: 'prepaid' }));
    await openPrepaid(this.#store, account, credit);
  }

  async account(account: string): Promise<{ posted: bigint; pending: bigint; overrun: bigint; credit: bigint }> {
    const { rows } = await sql<{ posted: bigint; pending: bigint; overrun: bigint; credit: bigint }>`
      select posted, pending, overrun, credit from ledger_accounts where account_id = ${account}`.execute(
      this.#store.writer,
    );
    return rows[0]!;
  }

  /** Call before the gateways start, like accounts. */
  async declareTag(account: string, key: string): Promise<void> {
    await this.#store.within(OPERATOR, (db) => declareTag(db, account, { key, required: false }));
  }

  get credits(): Credits<unknown> {
    return new Credits(this.#store.writer) as unknown as Credits<unknown>;
  }

  get templates(): BudgetTemplates<unknown> {
    return new BudgetTemplates(this.#store.writer) as unknown as BudgetTemplates<unknown>;
  }

  /** What the budgets of the account have spent in all, and the most that one of them has. */
  async budgetsOf(account: string): Promise<{ budgets: number; posted: bigint; most: bigint; pending: bigint }> {
    const { rows } = await sql<{ budgets: number; posted: bigint; most: bigint; pending: bigint }>`
      select count(*)::int as budgets, coalesce(sum(posted), 0)::bigint as posted, coalesce(max(posted), 0)::bigint as most,
        coalesce(sum(pending), 0)::bigint as pending
      from ledger_purses where account_id = ${account}`.execute(this.#store.writer);
    return rows[0]!;
  }

  /** The charge of each request of the account by id, corrections included. */
  async charges(account: string): Promise<Map<string, { amount: bigint; estimated: boolean }>> {
    const { rows } = await sql<{ id: string; amount: bigint; estimated: boolean }>`
      select regexp_replace(id, '^correction:', '') as id, bool_or(estimated) as estimated,
        sum(case debit when account_id then amount else -amount end)::bigint as amount
      from ledger_entries where account_id = ${account} and kind = 'charge' group by 1`.execute(this.#store.writer);
    return new Map(rows.map(({ id, amount, estimated }) => [id, { amount, estimated }]));
  }

  /** The same on the strict path, with the amount held for it. */
  async settled(account: string): Promise<readonly Settled[]> {
    const { rows } = await sql<Settled>`
      select e.amount, e.estimated, h.granted from ledger_entries e join ledger_holds h using (account_id, id)
      where account_id = ${account} and e.kind = 'charge'`.execute(this.#store.writer);
    return rows;
  }

  /** Amount held on all accounts together. */
  async pending(): Promise<bigint> {
    const { rows } = await sql<{ pending: bigint }>`
      select coalesce(sum(pending), 0)::bigint as pending from ledger_accounts`.execute(this.#store.writer);
    return rows[0]!.pending;
  }

  /** Entries of the account that corrected a charge after its hold was closed. */
  async corrections(account: string): Promise<number> {
    const { rows } = await sql<{ count: bigint }>`
      select count(*) as count from ledger_entries
      where account_id = ${account} and id like 'correction:%'`.execute(this.#store.writer);
    return Number(rows[0]!.count);
  }

  /** The epoch prefix of a process. */
  async openHoldsOf(pid: number): Promise<number> {
    const { rows } = await sql<{ open: bigint }>`
      select count(*) as open from ledger_holds
      where state = 'open' and split_part(epoch, '.', 2) = ${String(pid)}`.execute(this.#store.writer);
    return Number(rows[0]!.open);
  }

  /** The epochs of a process in the ledger database, the latest first. */
  async epochsOf(pid: number): Promise<readonly string[]> {
    const { rows } = await sql<{ epoch: string }>`
      select epoch from ledger_nodes where split_part(epoch, '.', 2) = ${String(pid)}
      order by beat_at_ms desc`.execute(this.#store.writer);
    return rows.map(({ epoch }) => epoch);
  }

  /** Marks an epoch as crashed at once, as the ledger database does after 15 s of silence. */
  async bury(epoch: string): Promise<void> {
    const database = new PostgresLedger(this.#store.writer);
    const [result] = await database.apply([{ do: 'end', epoch }]);
    if (result?.is === 'to-bury') await database.apply(result.accounts.map((account) => ({ do: 'bury', account })));
  }

  async violations(account: string): Promise<number> {
    const found = await auditAccount(this.#store.writer, account);
    for (const { invariant, says } of found) console.log(`  ${account}: ${invariant}: ${says}`);
    return found.length;
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
