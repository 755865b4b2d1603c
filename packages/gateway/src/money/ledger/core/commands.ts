/**
 * The ledger database's commands and results. Every command is idempotent: one that arrives twice, or too late, changes
 * nothing.
 */
import type { AccountKind, Nano, Span, Template, TemplateSpan } from './ledger-state.ts';
import type { StoreUsage, UsageLine } from './usage-line.ts';

export type OpenAccount = {
  readonly do: 'open-account';
  readonly account: string;
  readonly kind: AccountKind;
  readonly overdraft: Nano;
};
export type SetBudget = {
  readonly do: 'set-budget';
  readonly account: string;
  readonly scope: string;
  readonly span: Span;
  /** Null removes the budget. */
  readonly limit: Nano | null;
  /** Absent: the operator, or as it was. */
  readonly setBy?: BudgetSetter;
};
/** Sets the template of `each` and `span`, or changes all of it. */
export type SetTemplate = Template & {
  readonly do: 'set-template';
  /** Shares of the limit that raise an alert; none: those of the settings. */
  readonly softPercent?: readonly number[];
  /** Absent: the operator. */
  readonly setBy?: BudgetSetter;
};
export type RemoveTemplate = {
  readonly do: 'remove-template';
  readonly account: string;
  readonly each: string;
  readonly span: TemplateSpan;
};
/** The operator, or a member or managing key of the account. */
export type BudgetSetter = 'operator' | 'member';
/**
 * Used only by operators; the reference model does not have it. Puts an account below another, or with null at the top
 * level. Refused as `cycle` or `depth` if the result would not be a tree of at most four levels.
 */
export type SetParent = { readonly do: 'set-parent'; readonly account: string; readonly parent: string | null };
export type Deposit = {
  readonly do: 'deposit';
  readonly account: string;
  readonly id: string;
  /** Negative: a withdrawal, of money neither spent nor held. Zero or more is never refused. */
  readonly amount: Nano;
  readonly memo: string;
};
export type TakeHold = {
  readonly do: 'hold';
  readonly account: string;
  readonly request: string;
  readonly epoch: string;
  readonly amount: Nano;
  readonly scopes: readonly string[];
  readonly priceVersion: string;
  readonly idempotencyKey: string;
  /** The model that a template has named when it refused this request before. */
  readonly instead?: string;
};
export type TakeLease = {
  readonly do: 'lease';
  readonly account: string;
  readonly lease: string;
  readonly epoch: string;
  readonly wanted: Nano;
  /** The smallest grant worth a lease. */
  readonly least: Nano;
  readonly scopes: readonly string[];
};
/** Changes the total an open hold sets aside; `version` counts the resizes of this hold from 1. */
export type Resize = {
  readonly do: 'resize';
  readonly account: string;
  readonly hold: string;
  readonly version: number;
  readonly to: Nano;
  /** The lease takes no further requests: everything not held for running requests is returned for good. */
  readonly yields: boolean;
};
export type Settle = {
  readonly do: 'settle';
  readonly account: string;
  readonly request: string;
  /** Empty on the strict path (a hold taken directly in the ledger database). */
  readonly lease: string;
  readonly cost: Nano;
  readonly priceVersion: string;
  readonly estimated: boolean;
  readonly memo: string;
  /** Stored in the same transaction. */
  usage?: UsageLine;
};
export type Checkpoint = {
  readonly do: 'checkpoint';
  readonly account: string;
  readonly request: string;
  readonly lease: string;
  readonly cost: Nano;
  readonly priceVersion: string;
};
/** Releases a request's hold, or what is left of a lease. */
export type Release = { readonly do: 'release'; readonly account: string; readonly hold: string; usage?: UsageLine };
/** Closes the holds that dead nodes left open on an account. SQL calls reaping an account `bury`. */
type ReapAccount = { readonly do: 'bury'; readonly account: string };

export type Register = { readonly do: 'register'; readonly node: string; readonly epoch: string };
export type Beat = {
  readonly do: 'beat';
  readonly epoch: string;
  /** Grows with every heartbeat of the epoch; kept by the ledger database, to prove that it has not been set back. */
  readonly count?: number;
};
/** A node reports that an epoch of its own has ended: its whole journal is in the ledger database. */
export type End = { readonly do: 'end'; readonly epoch: string };
/** Declares nodes dead that have sent no heartbeat for too long, by the ledger database's own clock. */
type Reap = { readonly do: 'reap' };

export type AccountCommand =
  | OpenAccount
  | SetBudget
  | SetTemplate
  | RemoveTemplate
  | Deposit
  | TakeHold
  | TakeLease
  | Resize
  | Settle
  | Checkpoint
  | Release
  | ReapAccount;
type NodeCommand = Register | Beat | End | Reap;
export type Command = AccountCommand | NodeCommand | StoreUsage;

export type Instead = { readonly model: string; readonly each: string; readonly span: TemplateSpan };

export type Result =
  /** Done now, or earlier by the same command. */
  | { readonly is: 'done' }
  | { readonly is: 'granted'; readonly amount: Nano; readonly validForMs: number }
  /**
   * `recallable`: the amount in leases that were not recalled yet, or have not answered the recall. `instead`: the model
   * that a template names for requests that it does not cover.
   */
  | {
      readonly is: 'refused';
      readonly scope: string;
      readonly room: Nano;
      readonly recallable: Nano;
      readonly instead?: Instead;
    }
  /** Closed before: a late settlement, or a hold that was released while the command was under way. */
  | { readonly is: 'closed' }
  /** Another request has used this idempotency key. */
  | { readonly is: 'duplicate'; readonly of: string }
  /** The database considers this node dead, or its successor has started. */
  | { readonly is: 'fenced' }
  | { readonly is: 'unknown-account' }
  /** The heartbeat was accepted; leases of these accounts are recalled. */
  | { readonly is: 'alive'; readonly recalled: readonly string[] }
  /** Accounts with holds of dead nodes to reap. */
  | { readonly is: 'to-bury'; readonly accounts: readonly string[] };

export const DONE: Result = { is: 'done' };
export const CLOSED: Result = { is: 'closed' };
export const FENCED: Result = { is: 'fenced' };

/**
 * The ledger database considers a node dead after this long without a heartbeat, provided the database itself was
 * reachable.
 */
export const SILENCE_MS = 15_000;
/** A node stops trusting its leases this long after it sent the last heartbeat that was accepted. */
export const TRUST_MS = 10_000;
/** A lease gets at most one part in this many of what is available, so that other nodes find something, too. */
export const LEASE_SHARE = 4n;
/** Maximum of accounts named in one result; the next result names more. */
export const MAX_ACCOUNTS_NAMED = 100;
