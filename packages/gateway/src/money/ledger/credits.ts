/**
 * What operators and payments do to an account's money: deposits, withdrawals, terms (kind and overdraft), budgets and
 * the account tree, and reading them. Idempotent.
 */
import { type Kysely, sql } from 'kysely';
import type { AccountCommand, BudgetSetter } from './core/commands.ts';
import type { AccountKind, Nano, Span, TemplateSpan } from './core/ledger-state.ts';
import { PostgresLedger } from './postgres-ledger.ts';

/** Nothing was changed: the amount spent or held does not fit. */
export class DoesNotFitError extends Error {}

/** Nothing was changed: this id was used before, for another amount. */
export class OtherAmountError extends Error {}

/** Nothing was changed: the operator has set this budget, and only operators change it. */
export class OperatorsBudgetError extends Error {}

export type Balance = {
  readonly kind: AccountKind;
  readonly overdraft: Nano;
  readonly credit: Nano;
  readonly posted: Nano;
  readonly pending: Nano;
  /** The part of `pending` that nodes hold in leases and have not spent. */
  readonly leased: Nano;
  readonly overrun: Nano;
};

/** A budget, with the amounts spent and held in its current window (day, month or total). */
export type Budget = {
  readonly scope: string;
  readonly span: Span;
  readonly most: Nano;
  readonly setBy: BudgetSetter;
  readonly posted: Nano;
  readonly pending: Nano;
};

/** Maximum of child accounts named in one answer. */
const MOST_CHILDREN = 1000;

export class Credits<Tables> {
  readonly #writer: Kysely<Tables>;
  readonly #ledger: PostgresLedger<Tables>;

  constructor(writer: Kysely<Tables>) {
    this.#writer = writer;
    this.#ledger = new PostgresLedger(writer);
  }

  /** Negative: a withdrawal. Repeating the same id changes nothing. */
  async deposit(of: {
    readonly accountId: string;
    readonly id: string;
    readonly nano: Nano;
    readonly memo: string;
  }): Promise<'entered' | 'repeated'> {
    const { accountId: account, id, nano: amount, memo } = of;
    await this.#ledger.openAccount(account);
    // In a transaction, another deposit under this id has to wait.
    await this.#lock({ do: 'deposit', account });
    const { rows } = await sql<{ amount: string }>`
      select case kind when 'withdrawal' then -amount else amount end as amount from ledger_entries
      where account_id = ${account} and id = ${id}`.execute(this.#writer);
    const [earlier] = rows;
    if (earlier !== undefined && BigInt(earlier.amount) !== amount)
      throw new OtherAmountError(`${id} was entered with ${earlier.amount} nano-USD`);
    await this.#do({ do: 'deposit', account, id, amount, memo });
    return earlier === undefined ? 'entered' : 'repeated';
  }

  setTerms(account: string, kind: AccountKind, overdraft: Nano): Promise<void> {
    return this.#do({ do: 'open-account', account, kind, overdraft });
  }

  /** `scope`: `account`, `group`, `key:<id>`, `member:<id>` or `tag:<name>=<value>`. */
  async setBudget(
    account: string,
    scope: string,
    span: Span,
    limit: Nano,
    setBy: BudgetSetter = 'operator',
  ): Promise<void> {
    await this.#requireSetter(account, scope, span, setBy);
    await this.#do({ do: 'set-budget', account, scope, span, limit, setBy });
  }

  /** False if there was none. */
  async removeBudget(account: string, scope: string, span: Span, by: BudgetSetter = 'operator'): Promise<boolean> {
    const isSet = await this.#requireSetter(account, scope, span, by);
    if (isSet) await this.#do({ do: 'set-budget', account, scope, span, limit: null });
    return isSet;
  }

  /** Whether there is such a budget; refuses members if the operator has set it. */
  async #requireSetter(account: string, scope: string, span: Span, by: BudgetSetter): Promise<boolean> {
    // In a transaction, a change by the operator at the same time has to wait.
    await this.#lock({ do: 'set-budget', account, scope });
    const earlier = (await this.budgets(account)).find((budget) => budget.scope === scope && budget.span === span);
    // A budget replaces the template of its scope.
    if (
      by === 'member' &&
      (earlier?.setBy === 'operator' || (await operatorBounds(this.#writer, account, scope, span)))
    )
      throw new OperatorsBudgetError(`${scope} per ${span}`);
    return earlier !== undefined;
  }

  /** What the command will lock, in the same order: a transaction that locked the account alone first could deadlock. */
  async #lock(command: Pick<AccountCommand, 'do' | 'account'> & { readonly scope?: string }): Promise<void> {
    await sql`select ledger_lock_accounts(${JSON.stringify([command])}::jsonb)`.execute(this.#writer);
  }

  /** Undefined on success; otherwise why the result would not be a valid tree. */
  async setParent(account: string, parent: string | null): Promise<'cycle' | 'depth' | 'unknown' | undefined> {
    await this.#ledger.openAccount(account);
    if (parent !== null) await this.#ledger.openAccount(parent);
    const [result] = await this.#ledger.apply([{ do: 'set-parent', account, parent }]);
    if (result?.is === 'refused') return result.scope === 'depth' ? 'depth' : 'cycle';
    return result?.is === 'unknown-account' ? 'unknown' : undefined;
  }

  /** Its ancestors, nearest first, and its direct children. */
  async familyOf(
    account: string,
  ): Promise<{ readonly above: readonly string[]; readonly children: readonly string[] }> {
    const { rows } = await sql<{ line: readonly string[]; children: readonly string[] }>`
      select ledger_line(${account}) as line,
        array(select account_id from ledger_accounts where parent_id = ${account} order by account_id limit ${MOST_CHILDREN})
          as children`.execute(this.#writer);
    return { above: rows[0]?.line.slice(1) ?? [], children: rows[0]?.children ?? [] };
  }

  /** The parent of each of these accounts; accounts at the top of a tree are left out. */
  async parentsOf(accounts: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await sql<{ account_id: string; parent_id: string }>`
      select account_id, parent_id from ledger_accounts
      where account_id = any(${accounts}) and parent_id is not null`.execute(this.#writer);
    return new Map(rows.map(({ account_id, parent_id }) => [account_id, parent_id]));
  }

  /** Opens the account as the account directory defines it; an open account stays as it is. */
  open(account: string): Promise<void> {
    return this.#ledger.openAccount(account);
  }

  async balance(account: string): Promise<Balance | undefined> {
    const { rows } = await sql<Balance>`
      select kind, overdraft, credit, posted, pending, overrun,
        (select coalesce(sum(granted - drawn), 0)::bigint from ledger_holds h
          where h.account_id = ${account} and h.kind = 'lease' and h.state = 'open') as leased
      from ledger_accounts where account_id = ${account}`.execute(this.#writer);
    return rows[0];
  }

  async budgets(account: string): Promise<readonly Budget[]> {
    const { rows } = await sql<Budget>`
      select b.scope, b.span, b.most, b.set_by as "setBy", coalesce(p.posted, 0)::bigint as posted, coalesce(p.pending, 0)::bigint as pending
      from ledger_budgets b
      left join ledger_purses p on p.account_id = b.account_id and p.scope = b.scope and p.span = b.span
        and p.start_ms = case b.span when 'total' then 0
          else (extract(epoch from date_trunc(b.span, now(), 'UTC')) * 1000)::bigint end
      where b.account_id = ${account}
      order by b.scope, b.span`.execute(this.#writer);
    return rows;
  }

  async #do(command: AccountCommand): Promise<void> {
    await this.#ledger.openAccount(command.account);
    const [result] = await this.#ledger.apply([command]);
    if (result?.is === 'refused') throw new DoesNotFitError(`${command.do}: only ${result.room} nano-USD are free`);
    if (result?.is !== 'done') throw new Error(`the ledger database answered ${result?.is} to ${command.do}`);
  }
}

/** Whether a template of the operator bounds this scope or kind. */
export async function operatorBounds<Tables>(
  db: Kysely<Tables>,
  account: string,
  scope: string,
  span: TemplateSpan,
): Promise<boolean> {
  const { rows } = await sql`
    select from ledger_templates where account_id = ${account} and span = ${span} and set_by = 'operator'
      and each_of in (${scope}, ledger_kind_of(${scope}))`.execute(db);
  return rows.length > 0;
}
