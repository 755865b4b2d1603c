/**
 * The ledger's state: accounts, budgets, holds, entries and nodes. PostgreSQL keeps the same rows. All amounts are
 * whole nano-USD.
 */

export type Nano = bigint;

export type AccountKind = 'prepaid' | 'postpaid' | 'unlimited';

export type Account = {
  readonly id: string;
  kind: AccountKind;
  /** Credit line: 0 for prepaid accounts. */
  overdraft: Nano;
  /** Total paid in. */
  credit: Nano;
  /** Total charged. */
  posted: Nano;
  /** Total set aside by open holds. */
  pending: Nano;
  /** Total of charges beyond what was set aside for them; never caused by the ledger itself. */
  overrun: Nano;
  /** Number of entries, and the hash of the last one. */
  sequence: number;
  head: string;
};

export type Span = 'day' | 'month' | 'total';

/** A spending limit of one scope (`account`, `key:…`, `member:…`, `tag:…`) of an account for each span. */
type Budget = { readonly account: string; readonly scope: string; readonly span: Span; limit: Nano };

/** Weeks only by templates. */
export type TemplateSpan = Span | 'week';

/** When the windows of a template start: at midnight in a time zone. */
export type WindowRule = {
  /** IANA name. */
  readonly timeZone: string;
  /** First day of a week: 1 (Monday) to 7 (Sunday). */
  readonly weekStartsOn: number;
  /** First day of a month window; in shorter months the last day. */
  readonly anchorDay: number;
};

/**
 * A spending limit for each value of a kind of scope (`member`, `key`, `tag:<name>`), or for one scope (`account`,
 * `member:<id>`, ...), which goes before that of its kind. A budget of the same scope and span replaces it.
 */
export type Template = WindowRule & {
  readonly account: string;
  readonly each: string;
  readonly span: TemplateSpan;
  readonly limit: Nano;
  /** Requests without such a value: refused, or with one balance for all of them. */
  readonly missing: 'refuse' | 'shared';
  /** Absent: what does not fit is refused. */
  readonly onLimit?: OnLimit | undefined;
};

/** The model that is called instead of one that does not fit, and how much further than the limit it alone may go. */
export type OnLimit = { readonly model: string; readonly beyond: Nano };

/**
 * A budget's balance: what it has spent and set aside in one of its windows. SQL and `purses` below call it a purse.
 */
export type BudgetBalance = {
  readonly account: string;
  readonly scope: string;
  readonly span: TemplateSpan;
  readonly startMs: number;
  posted: Nano;
  pending: Nano;
  /** Since when another model is called instead of those that do not fit. Absent: all have fitted. */
  onLimitMs?: number;
};

/** `forgone`: written off; an old release settled it too late and did not charge it. */
type HoldState = 'open' | 'settled' | 'released' | 'forgone';
/** Whether a lease was recalled for a request that needs the money in it, and whether the node has returned it. */
type Recall = 'none' | 'asked' | 'yielded';

export type Hold = {
  readonly id: string;
  readonly account: string;
  readonly kind: 'request' | 'lease';
  readonly epoch: string;
  /** Model of a request that templates name for what does not fit, and allow to go further; empty for others. */
  readonly instead: string;
  /** The lease that covers this request, by id. Such a hold sets nothing aside itself. */
  readonly lease: string;
  /** Set aside in all, and how much of it settlements under the lease have used up. */
  granted: Nano;
  drawn: Nano;
  state: HoldState;
  /** The request's cost at the last checkpoint. */
  checkpoint: Nano;
  readonly priceVersion: string;
  /** Keys of the budget balances (purses) that this hold counts against. */
  readonly purses: readonly string[];
  /** Counts resizes, so that one that arrives late or twice changes nothing. */
  version: number;
  recall: Recall;
  readonly idempotencyKey: string;
  /** Written off: the part of our own estimate beyond the hold, which is not charged. */
  forgone: Nano;
};

/** A `charge` entry that credits its account refunds what an estimate had overcharged. */
export type EntryKind = 'deposit' | 'withdrawal' | 'charge';

export type Entry = {
  readonly account: string;
  readonly sequence: number;
  readonly id: string;
  readonly kind: EntryKind;
  readonly debit: string;
  readonly credit: string;
  readonly amount: Nano;
  readonly priceVersion: string;
  readonly estimated: boolean;
  readonly memo: string;
  readonly previous: string;
  readonly hash: string;
};

/**
 * One incarnation of a node's process. `replaced`: its successor has started; it gets no new holds, and its old ones
 * wait for the replay of its journal.
 */
type NodeEpoch = {
  readonly epoch: string;
  readonly node: string;
  beatAtMs: number;
  state: 'alive' | 'replaced' | 'dead';
};

export type LedgerState = {
  readonly accounts: Map<string, Account>;
  readonly budgets: Map<string, Budget[]>;
  readonly templates: Map<string, Template[]>;
  readonly purses: Map<string, BudgetBalance>;
  /** Holds and entries by `keyOf`. */
  readonly holds: Map<string, Hold>;
  /** Insert-only. */
  readonly entries: Map<string, Entry>;
  readonly nodes: Map<string, NodeEpoch>;
  readonly digest: (text: string) => string;
};

export const emptyLedger = (digest: (text: string) => string): LedgerState => ({
  accounts: new Map(),
  budgets: new Map(),
  templates: new Map(),
  purses: new Map(),
  holds: new Map(),
  entries: new Map(),
  nodes: new Map(),
  digest,
});

export const newAccount = (id: string, kind: AccountKind, overdraft: Nano): Account => ({
  id,
  kind,
  overdraft,
  credit: 0n,
  posted: 0n,
  pending: 0n,
  overrun: 0n,
  sequence: 0,
  head: GENESIS,
});

/** Ids are unique within an account: guessing the id of another account's hold gives no access to it. */
export const keyOf = (account: string, id: string): string => `${account} ${id}`;

/** The id of the entry that corrects a request's charge after its hold was closed. */
export const correctionOf = (request: string): string => `correction:${request}`;

/** The part of `pending` that this hold accounts for. */
export const reserved = ({ state, granted, drawn }: Hold): Nano => (state === 'open' ? granted - drawn : 0n);

export const GENESIS = '';
