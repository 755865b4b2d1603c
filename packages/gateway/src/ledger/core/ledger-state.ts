/**
 * What the state knows: accounts, budgets, holds, entries and nodes. PostgreSQL keeps the same rows; amounts are whole
 * nano-USD everywhere.
 */

export type Nano = bigint;

export type AccountKind = 'prepaid' | 'postpaid' | 'unlimited';

export type Account = {
  readonly id: string;
  kind: AccountKind;
  /** What may be owed; nothing for prepaid accounts. */
  overdraft: Nano;
  /** What was paid in. */
  credit: Nano;
  /** What was charged. */
  posted: Nano;
  /** What open holds set aside. */
  pending: Nano;
  /** By how much charges went past what was set aside for them: never by our doing, so it is counted. */
  overrun: Nano;
  /** Number of entries, and the hash of the last one. */
  sequence: number;
  head: string;
};

export type Span = 'day' | 'month' | 'total';

/** A bound on what a scope (`account`, `key:…`, `member:…`, `tag:…`) of an account may spend in each span. */
type Budget = { readonly account: string; readonly scope: string; readonly span: Span; limit: Nano };

/** What one budget has spent and set aside in one of its windows. */
export type BudgetBalance = {
  readonly account: string;
  readonly scope: string;
  readonly span: Span;
  readonly startMs: number;
  posted: Nano;
  pending: Nano;
};

/** `forgone`: settled too late by a release that did not charge it. */
type HoldState = 'open' | 'settled' | 'released' | 'forgone';
/** Whether a lease was asked back by somebody whose request lacks what lies in it, and has given it. */
type Recall = 'none' | 'asked' | 'yielded';

export type Hold = {
  readonly id: string;
  readonly account: string;
  readonly kind: 'request' | 'lease';
  readonly epoch: string;
  /** Of a request that a lease covers: the lease's id. Such a hold sets nothing aside itself. */
  readonly lease: string;
  /** Set aside in all, and how much of it settlements under the lease have used up. */
  granted: Nano;
  drawn: Nano;
  state: HoldState;
  /** What the request had cost when last heard of. */
  checkpoint: Nano;
  readonly priceVersion: string;
  /** Keys into the purses it takes part in. */
  readonly purses: readonly string[];
  /** Counts resizes, so that one which arrives late or twice changes nothing. */
  version: number;
  recall: Recall;
  readonly idempotencyKey: string;
  /** What an estimate of ours had reached beyond the hold: not charged. */
  forgone: Nano;
};

/** A charge that credits its account gives back what an estimate had charged too much. */
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

/** One life of a node's process. `replaced`: its heir has started; no new holds, and the old ones wait for the replay. */
type NodeEpoch = {
  readonly epoch: string;
  readonly node: string;
  beatAtMs: number;
  state: 'alive' | 'replaced' | 'dead';
};

export type LedgerState = {
  readonly accounts: Map<string, Account>;
  readonly budgets: Map<string, Budget[]>;
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

/** Ids are unique within an account: nobody can touch a stranger's hold by guessing its id. */
export const keyOf = (account: string, id: string): string => `${account} ${id}`;

/** The id of the entry that brings a request's charge to what became known after its hold was closed. */
export const correctionOf = (request: string): string => `correction:${request}`;

/** What an open hold keeps in `pending`. */
export const reserved = ({ state, granted, drawn }: Hold): Nano => (state === 'open' ? granted - drawn : 0n);

export const GENESIS = '';
