/**
 * The state: commands in, results out; each command is one transaction. No clock, no I/O: the time is handed in and is the
 * database's. The SQL functions of the store do the same to the same rows; a test holds the two against each other.
 */

import {
  type AccountCommand,
  type Command,
  type Deposit,
  DONE,
  type OpenAccount,
  type RemoveTemplate,
  type Result,
  type SetBudget,
  type SetTemplate,
} from '../../../packages/gateway/src/money/ledger/core/commands.ts';
import {
  type Account,
  keyOf,
  type LedgerState,
  newAccount,
} from '../../../packages/gateway/src/money/ledger/core/ledger-state.ts';
import { recallAll, resize, takeHold, takeLease } from './admission.ts';
import { checkpoint, reapAccount, release, settle } from './closing.ts';
import { beat, end, reap, register } from './node-epochs.ts';
import { payIn, roomIn } from './posting.ts';

export type Moment = { readonly nowMs: number /** When the state itself came up. */; readonly upSinceMs: number };

export function apply(state: LedgerState, command: Command, { nowMs, upSinceMs }: Moment): Result {
  switch (command.do) {
    case 'register':
      return register(state, command, nowMs);
    case 'beat':
      return beat(state, command, nowMs);
    case 'end':
      return end(state, command);
    case 'reap':
      return reap(state, nowMs, upSinceMs);
    case 'open-account':
      return openAccount(state, command);
    case 'usage':
      return DONE;
    default: {
      const account = state.accounts.get(command.account);
      return account === undefined ? { is: 'unknown-account' } : applyTo(state, account, command, nowMs);
    }
  }
}

type OnAccount = Exclude<AccountCommand, OpenAccount>;

function applyTo(state: LedgerState, account: Account, command: OnAccount, nowMs: number): Result {
  switch (command.do) {
    case 'hold':
      return takeHold(state, account, command, nowMs);
    case 'lease':
      return takeLease(state, account, command, nowMs);
    case 'resize':
      return resize(state, account, command);
    case 'settle':
      return settle(state, account, command);
    case 'checkpoint':
      return checkpoint(state, account, command);
    case 'release':
      return release(state, account, command);
    case 'bury':
      return reapAccount(state, account);
    case 'deposit':
      return deposit(state, account, command);
    case 'set-budget':
      return setBudget(state, command);
    case 'set-template':
    case 'remove-template':
      return setTemplate(state, command);
  }
}

/** Opens an account, or changes its terms if what it owes and has set aside fits into the new ones. */
function openAccount(state: LedgerState, { account: id, kind, overdraft }: OpenAccount): Result {
  const account = state.accounts.get(id);
  if (account === undefined) state.accounts.set(id, newAccount(id, kind, overdraft));
  else {
    const room = account.credit + overdraft + account.overrun - account.posted - account.pending;
    if (kind !== 'unlimited' && room < 0n) return { is: 'refused', scope: '', room, recallable: 0n };
    account.kind = kind;
    account.overdraft = overdraft;
  }
  return DONE;
}

function deposit(state: LedgerState, account: Account, { id, amount, memo }: Deposit): Result {
  if (amount === 0n || state.entries.has(keyOf(account.id, id))) return DONE;
  const { room } = roomIn(state, account, []);
  // What is paid in is always taken, however much is owed; only what is taken out must be there.
  if (amount < 0n && room + amount < 0n) return { is: 'refused', scope: '', room, recallable: 0n };
  payIn(state, account, id, amount, memo);
  return DONE;
}

/** Leases were granted under the old terms, so they are asked back. */
function setBudget(state: LedgerState, { account, scope, span, limit }: SetBudget): Result {
  const others = (state.budgets.get(account) ?? []).filter((budget) => budget.scope !== scope || budget.span !== span);
  const budgets = limit === null ? others : [...others, { account, scope, span, limit }];
  state.budgets.set(
    account,
    budgets.sort((a, b) => (a.scope + a.span < b.scope + b.span ? -1 : 1)),
  );
  recallAll(state, account);
  return DONE;
}

function setTemplate(state: LedgerState, command: SetTemplate | RemoveTemplate): Result {
  const { account, each, span } = command;
  const others = (state.templates.get(account) ?? []).filter(
    (template) => template.each !== each || template.span !== span,
  );
  state.templates.set(account, command.do === 'set-template' ? [...others, command] : others);
  // What did not fit may fit now.
  for (const purse of state.purses.values())
    if (purse.account === account && purse.span === span) delete purse.onLimitMs;
  recallAll(state, account);
  return DONE;
}
