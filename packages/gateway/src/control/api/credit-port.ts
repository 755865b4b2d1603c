/** What the admin API needs of the ledger. Every change is audited in the same transaction. */
import type { StoredTemplate, TemplateBalance } from '../../money/ledger/budget-templates.ts';
import type { TemplateSpan } from '../../money/ledger/core/ledger-state.ts';
import type { Db } from '../../store/postgres/store.ts';
import type { DatabasePorts } from './route.ts';

export type AccountCredit = {
  readonly kind: 'prepaid' | 'postpaid' | 'unlimited';
  readonly creditNano: bigint;
  readonly spentNano: bigint;
  /** Held for running requests. */
  readonly heldNano: bigint;
  /** Leased to nodes, for future requests. */
  readonly leasedNano: bigint;
  /** How far a postpaid account may go below zero. */
  readonly limitNano: bigint;
  /** The part of `spentNano` that nothing was held for. */
  readonly overrunNano: bigint;
};

/** The operator, or a member or managing key of the account. */
type BudgetSetter = 'operator' | 'member';

type AccountBudget = {
  readonly scope: string;
  readonly span: 'day' | 'month' | 'total';
  readonly mostNano: bigint;
  readonly setBy: BudgetSetter;
  readonly spentNano: bigint;
  readonly heldNano: bigint;
};

/** Writes the audit entry of a change; not called if nothing has changed. */
export type Note = (db: Db) => Promise<void>;

/**
 * `repeated`: entered before under this id. Otherwise nothing changed: `refused` if less is available than is to be
 * withdrawn, `other-amount` if the id was used before for another amount.
 */
type DepositOutcome = 'entered' | 'repeated' | 'refused' | 'other-amount';

type Span = AccountBudget['span'];

/** The terms, the parent and the budgets of an account, as the ledger has them. */
export type LedgerStanding = {
  readonly accountId: string;
  readonly limitNano: bigint;
  readonly parentId: string | null;
  readonly budgets: readonly Pick<AccountBudget, 'scope' | 'span' | 'mostNano' | 'setBy'>[];
};

/** `nano: null` removes a budget. */
export type LedgerChange = { readonly accountId: string } & (
  | { readonly do: 'terms'; readonly kind: AccountCredit['kind']; readonly limitNano: bigint }
  | { readonly do: 'parent'; readonly parentId: string | null }
  | {
      readonly do: 'budget';
      readonly scope: string;
      readonly span: Span;
      readonly nano: bigint | null;
      readonly setBy: BudgetSetter;
    }
  | { readonly do: 'template'; readonly template: StoredTemplate }
  | { readonly do: 'no-template'; readonly each: string; readonly span: TemplateSpan }
);

export interface CreditPort {
  /** In the transaction of the caller. Accounts that the ledger does not know are left out. */
  standings(db: Db, accountIds: readonly string[] | undefined): Promise<readonly LedgerStanding[]>;
  /** In the transaction of the caller, in this order. Returns the first that is refused: then the transaction must end. */
  changeAll(
    db: Db,
    changes: readonly LedgerChange[],
    by: BudgetSetter,
  ): Promise<
    { readonly at: number; readonly why: 'does-not-fit' | 'cycle' | 'depth' | 'unknown' | 'operators' } | undefined
  >;
  credit(accountId: string): Promise<AccountCredit>;
  deposit(
    of: {
      readonly accountId: string;
      readonly id: string;
      readonly nano: bigint;
      readonly memo: string;
    },
    note: (db: Db, outcome: 'entered' | 'repeated') => Promise<void>,
  ): Promise<DepositOutcome>;
  /** False, and nothing changed, if the account owes more than that. */
  setTerms(accountId: string, kind: AccountCredit['kind'], limitNano: bigint, note: Note): Promise<boolean>;
  /** Undefined on success; otherwise why not, and nothing changed. */
  setParent(accountId: string, parentId: string | null, note: Note): Promise<'cycle' | 'depth' | 'unknown' | undefined>;
  /** The ancestors, nearest first, and the direct children. */
  family(accountId: string): Promise<{ readonly above: readonly string[]; readonly children: readonly string[] }>;
  /** The parent of each of these accounts; accounts at the top of a tree are left out. */
  parentsOf(accountIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  budgets(accountId: string): Promise<readonly AccountBudget[]>;
  /** `operators`: nothing changed, since members may not change what the operator has set. */
  setBudget(
    accountId: string,
    scope: string,
    span: Span,
    nano: bigint,
    note: Note,
    by?: BudgetSetter,
  ): Promise<'done' | 'operators'>;
  removeBudget(
    accountId: string,
    scope: string,
    span: Span,
    note: Note,
    by?: BudgetSetter,
  ): Promise<'done' | 'none' | 'operators'>;
}

export interface TemplatePort {
  /** Whether there is a model of this name or alias. */
  isModel(name: string): boolean;
  list(accountId: string): Promise<readonly StoredTemplate[]>;
  /** What each value has spent in the running window, in the order of scopes. */
  balances(
    accountId: string,
    each: string,
    span: TemplateSpan,
    after: string,
    limit: number,
  ): Promise<readonly TemplateBalance[]>;
  /** `time-zone`: the database does not know it. */
  set(accountId: string, template: StoredTemplate, note: Note): Promise<'done' | 'operators' | 'time-zone'>;
  remove(
    accountId: string,
    each: string,
    span: TemplateSpan,
    note: Note,
    by: BudgetSetter,
  ): Promise<'done' | 'none' | 'operators'>;
}

export type MoneyPorts = DatabasePorts & { readonly money: CreditPort; readonly templates: TemplatePort };
