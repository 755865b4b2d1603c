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
  const forbidden = by === 'member' ? await firstOfOperator(db, changes) : undefined;
  if (forbidden !== undefined) return { at: forbidden, result: 'operators' };
  for (let from = 0; from < changes.length; from += MOST_AT_ONCE) {
    const results = await ledger.apply(changes.slice(from, from + MOST_AT_ONCE));
    for (const [index, result] of results.entries()) if (result.is !== 'done') return { at: from + index, result };
  }
  return undefined;
}

/** The first change of what the operator has set. With the accounts locked, no other transaction changes it meanwhile. */
async function firstOfOperator<Tables>(
  db: Kysely<Tables>,
  changes: readonly AccountChange[],
): Promise<number | undefined> {
  const budgets = changes.map((change) => {
    if (change.do === 'open-account' || change.do === 'set-parent')
      return { account: change.account, scope: '', span: '' };
    const { account, span } = change;
    return { account, scope: change.do === 'set-budget' ? change.scope : change.each, span };
  });
  const { rows } = await sql<{ at: number }>`
    select at::int as at from unnest(${budgets.map(({ account }) => account)}::text[],
      ${budgets.map(({ scope }) => scope)}::text[], ${budgets.map(({ span }) => span)}::text[])
      with ordinality as given (account, scope, span, at)
    where given.scope = ''
      or exists (select from ledger_budgets b where b.account_id = given.account and b.scope = given.scope
        and b.span = given.span and b.set_by = 'operator')
      or exists (select from ledger_templates t where t.account_id = given.account and t.span = given.span
        and t.set_by = 'operator' and t.each_of in (given.scope, ledger_kind_of(given.scope)))
    order by at limit 1`.execute(db);
  return rows[0] === undefined ? undefined : rows[0].at - 1;
}
