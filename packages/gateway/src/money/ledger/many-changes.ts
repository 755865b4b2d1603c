/** Terms, parents and budgets of many accounts: read at once, and changed in the order given, in the transaction of the caller. */
import { type Kysely, sql } from 'kysely';
import type {
  BudgetSetter,
  OpenAccount,
  RemoveTemplate,
  Result,
  SetBudget,
  SetParent,
  SetTemplate,
} from './core/commands.ts';
import type { Nano, Span } from './core/ledger-state.ts';
import { operatorBounds } from './credits.ts';
import { PostgresLedger } from './postgres-ledger.ts';

export type Standing = {
  readonly account: string;
  readonly overdraft: Nano;
  readonly parent: string | null;
  readonly budgets: readonly {
    readonly scope: string;
    readonly span: Span;
    readonly most: string;
    readonly setBy: 'operator' | 'member';
  }[];
};

/** Undefined: of all accounts that the ledger knows. */
export async function standingsIn<Tables>(
  db: Kysely<Tables>,
  accounts: readonly string[] | undefined,
): Promise<readonly Standing[]> {
  const { rows } = await sql<Standing>`
    select a.account_id as account, a.overdraft, a.parent_id as parent, coalesce((
      select jsonb_agg(jsonb_build_object('scope', b.scope, 'span', b.span, 'most', b.most::text, 'setBy', b.set_by)
        order by b.scope, b.span)
      from ledger_budgets b where b.account_id = a.account_id), '[]') as budgets
    from ledger_accounts a
    where ${accounts === undefined ? sql`true` : sql`a.account_id = any(${accounts})`}`.execute(db);
  return rows;
}

type AccountChange = OpenAccount | SetBudget | SetParent | SetTemplate | RemoveTemplate;

/** So that no statement runs into its time limit. */
const MOST_AT_ONCE = 1000;

/** The first that is refused, if any; `operators`: a member would change or replace what the operator has set. */
export async function changeMany<Tables>(
  db: Kysely<Tables>,
  changes: readonly AccountChange[],
  by: BudgetSetter,
): Promise<{ readonly at: number; readonly result: Result | 'operators' } | undefined> {
  const ledger = new PostgresLedger(db);
  const accounts = changes.flatMap((change) =>
    change.do === 'set-parent' && change.parent !== null ? [change.account, change.parent] : [change.account],
  );
  // Opens the missing ones, as the account directory defines them.
  await ledger.termsOf([...new Set(accounts)]);
  // All at once and in the ledger's own order: one part after the other could deadlock with postings.
  const toLock = changes.map((change) => ({
    do: change.do,
    account: change.account,
    ...('parent' in change && { parent: change.parent }),
    ...('scope' in change && { scope: change.scope }),
  }));
  await sql`select ledger_lock_accounts(${JSON.stringify(toLock)}::jsonb)`.execute(db);
  if (by === 'member')
    for (const [at, change] of changes.entries()) if (await isOperators(db, change)) return { at, result: 'operators' };
  for (let from = 0; from < changes.length; from += MOST_AT_ONCE) {
    const results = await ledger.apply(changes.slice(from, from + MOST_AT_ONCE));
    for (const [index, result] of results.entries()) if (result.is !== 'done') return { at: from + index, result };
  }
  return undefined;
}

/** With the accounts locked: no other transaction changes it meanwhile. */
async function isOperators<Tables>(db: Kysely<Tables>, change: AccountChange): Promise<boolean> {
  if (change.do === 'open-account' || change.do === 'set-parent') return true;
  const { account, span } = change;
  const scope = change.do === 'set-budget' ? change.scope : change.each;
  if (await operatorBounds(db, account, scope, span)) return true;
  const { rows } = await sql`
    select from ledger_budgets
    where account_id = ${account} and scope = ${scope} and span = ${span} and set_by = 'operator'`.execute(db);
  return change.do === 'set-budget' && rows.length > 0;
}
