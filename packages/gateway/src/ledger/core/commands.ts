/** What can be asked of the ledger database, and what it answers. Every command may arrive twice, or late: it then changes nothing. */
import type { AccountKind, Nano, Span } from './ledger-state.ts';
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
  /** Null: there is no such budget any more. */
  readonly limit: Nano | null;
};
/** Of operators alone, so that the reference model does not know it. Puts an account below another, or with null below none. Refused as `cycle` or `depth` where that makes no tree of four levels. */
export type SetParent = { readonly do: 'set-parent'; readonly account: string; readonly parent: string | null };
export type Deposit = {
  readonly do: 'deposit';
  readonly account: string;
  readonly id: string;
  /** Below zero: a withdrawal, of what is neither spent nor set aside. From zero on it is never refused. */
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
};
export type TakeLease = {
  readonly do: 'lease';
  readonly account: string;
  readonly lease: string;
  readonly epoch: string;
  readonly wanted: Nano;
  /** Less than this is not worth a lease. */
  readonly least: Nano;
  readonly scopes: readonly string[];
};
/** Changes what an open hold sets aside in all; `version` counts the resizes of this hold from 1. */
export type Resize = {
  readonly do: 'resize';
  readonly account: string;
  readonly hold: string;
  readonly version: number;
  readonly to: Nano;
  /** The lease takes no further requests: what is not set aside for running ones is given back for good. */
  readonly yields: boolean;
};
export type Settle = {
  readonly do: 'settle';
  readonly account: string;
  readonly request: string;
  /** Empty on the strict path. */
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
/** Gives back a request's hold, or what is left of a lease. */
export type Release = { readonly do: 'release'; readonly account: string; readonly hold: string; usage?: UsageLine };
/** Closes what the dead have left open on an account. */
type ReapAccount = { readonly do: 'bury'; readonly account: string };

export type Register = { readonly do: 'register'; readonly node: string; readonly epoch: string };
export type Beat = { readonly do: 'beat'; readonly epoch: string };
/** A node says that an epoch of its own is over: its journal is in the ledger database. */
export type End = { readonly do: 'end'; readonly epoch: string };
/** Declares dead who has been silent for too long, by the ledger database's own clock. */
type Reap = { readonly do: 'reap' };

export type AccountCommand =
  | OpenAccount
  | SetBudget
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

export type Result =
  /** Done now, or before by the same command. */
  | { readonly is: 'done' }
  | { readonly is: 'granted'; readonly amount: Nano; readonly validForMs: number }
  /** `recallable` lies in leases that have not been asked, or have not answered yet. */
  | { readonly is: 'refused'; readonly scope: string; readonly room: Nano; readonly recallable: Nano }
  /** Closed before: a late settlement, a hold that was released while it was on its way. */
  | { readonly is: 'closed' }
  /** Another request has used this idempotency key. */
  | { readonly is: 'duplicate'; readonly of: string }
  /** This node is taken for dead, or has an heir. */
  | { readonly is: 'fenced' }
  | { readonly is: 'unknown-account' }
  /** The sign of life was taken; leases of these accounts are asked back. */
  | { readonly is: 'alive'; readonly recalled: readonly string[] }
  /** Accounts on which the dead have left something. */
  | { readonly is: 'to-bury'; readonly accounts: readonly string[] };

export const DONE: Result = { is: 'done' };
export const CLOSED: Result = { is: 'closed' };
export const FENCED: Result = { is: 'fenced' };

/** The ledger database takes a node for dead after this silence, if the ledger database itself was there to be spoken to. */
export const SILENCE_MS = 15_000;
/** A node stops trusting its leases this long after the last sign of life that the ledger database has taken. */
export const TRUST_MS = 10_000;
/** A lease gets at most this part of what is there, so that other nodes find something too. */
export const LEASE_SHARE = 4n;
/** How many accounts one answer names; the next one names more. */
export const MAX_ACCOUNTS_NAMED = 100;
