/**
 * The book: commands in, results out; each command is one transaction. No clock, no I/O: the time is handed in and is the
 * database's. The SQL functions of the store do the same to the same rows; a test holds the two against each other.
 */

import {
  type AccountCommand,
  type Command,
  type Deposit,
  DONE,
  type OpenAccount,
  type Result,
  type SetBudget,
} from '../../../packages/gateway/src/ledger/core/commands.ts';
import {
  type Account,
  keyOf,
  type LedgerState,
  newAccount,
} from '../../../packages/gateway/src/ledger/core/ledger-state.ts';
import { recallAll, resize, takeHold, takeLease } from './admission.ts';
import { checkpoint, reapAccount, release, settle } from './closing.ts';
import { beat, end, reap, register } from './node-epochs.ts';
import { payIn, roomIn } from './posting.ts';

export type Moment = { readonly nowMs: number /** When the book itself came up. */; readonly upSinceMs: number };

export function apply(book: LedgerState, command: Command, { nowMs, upSinceMs }: Moment): Result {
  switch (command.do) {
    case 'register':
      return register(book, command, nowMs);
    case 'beat':
      return beat(book, command, nowMs);
    case 'end':
      return end(book, command);
    case 'reap':
      return reap(book, nowMs, upSinceMs);
    case 'open-account':
      return openAccount(book, command);
    case 'usage':
      return DONE;
    default: {
      const account = book.accounts.get(command.account);
      return account === undefined ? { is: 'unknown-account' } : applyTo(book, account, command, nowMs);
    }
  }
}

type OnAccount = Exclude<AccountCommand, OpenAccount>;

function applyTo(book: LedgerState, account: Account, command: OnAccount, nowMs: number): Result {
  switch (command.do) {
    case 'hold':
      return takeHold(book, account, command, nowMs);
    case 'lease':
      return takeLease(book, account, command, nowMs);
    case 'resize':
      return resize(book, account, command);
    case 'settle':
      return settle(book, account, command);
    case 'checkpoint':
      return checkpoint(book, account, command);
    case 'release':
      return release(book, account, command);
    case 'bury':
      return reapAccount(book, account);
    case 'deposit':
      return deposit(book, account, command);
    case 'set-budget':
      return setBudget(book, command);
  }
}

/** Opens an account, or changes its terms if what it owes and has set aside fits into the new ones. */
function openAccount(book: LedgerState, { account: id, kind, overdraft }: OpenAccount): Result {
  const account = book.accounts.get(id);
  if (account === undefined) book.accounts.set(id, newAccount(id, kind, overdraft));
  else {
    const room = account.credit + overdraft + account.overrun - account.posted - account.pending;
    if (kind !== 'unlimited' && room < 0n) return { is: 'refused', scope: '', room, recallable: 0n };
    account.kind = kind;
    account.overdraft = overdraft;
  }
  return DONE;
}

function deposit(book: LedgerState, account: Account, { id, amount, memo }: Deposit): Result {
  if (amount === 0n || book.entries.has(keyOf(account.id, id))) return DONE;
  const { room } = roomIn(book, account, []);
  // What is paid in is always taken, however much is owed; only what is taken out must be there.
  if (amount < 0n && room + amount < 0n) return { is: 'refused', scope: '', room, recallable: 0n };
  payIn(book, account, id, amount, memo);
  return DONE;
}

/** Leases were granted under the old terms, so they are asked back. */
function setBudget(book: LedgerState, { account, scope, span, limit }: SetBudget): Result {
  const others = (book.budgets.get(account) ?? []).filter((budget) => budget.scope !== scope || budget.span !== span);
  const budgets = limit === null ? others : [...others, { account, scope, span, limit }];
  book.budgets.set(
    account,
    budgets.sort((a, b) => (a.scope + a.span < b.scope + b.span ? -1 : 1)),
  );
  recallAll(book, account);
  return DONE;
}
