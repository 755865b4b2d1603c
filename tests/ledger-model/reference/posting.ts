/** How amounts move: set aside, given back, charged. Nothing else writes a balance or an entry. */

import { chainText } from '../../../packages/gateway/src/money/ledger/core/chain.ts';
import type { Instead } from '../../../packages/gateway/src/money/ledger/core/commands.ts';
import {
  type Account,
  type BudgetBalance,
  type EntryKind,
  keyOf,
  type LedgerState,
  type Nano,
  type TemplateSpan,
} from '../../../packages/gateway/src/money/ledger/core/ledger-state.ts';
import { onLimitOf, templateLimit, templatesFor } from './templates.ts';
import { type Edges, templateWindow, windowEndMs, windowStartMs } from './windows.ts';

/** More than anybody has; what there is room for where nothing is bounded. */
const BOUNDLESS: Nano = 1n << 62n;

const REVENUE = 'house:revenue';
const FUNDING = 'house:funding';

export type Reach = { readonly keys: readonly string[]; readonly endsAtMs: number };

const purseKey = (account: string, scope: string, span: TemplateSpan, startMs: number): string =>
  `${account} ${scope} ${span} ${startMs}`;

type Reached = { readonly scope: string; readonly span: TemplateSpan; readonly edges: Edges };

/** The purses that a spender with these scopes draws on now, and until when. */
export function reachOf(state: LedgerState, account: string, scopes: readonly string[], nowMs: number): Reach {
  const reached: Reached[] = [];
  for (const { scope, span } of state.budgets.get(account) ?? []) {
    if (scope !== 'account' && !scopes.includes(scope)) continue;
    reached.push({ scope, span, edges: { startMs: windowStartMs(span, nowMs), endMs: windowEndMs(span, nowMs) } });
  }
  for (const { scope, template } of templatesFor(state, account, scopes))
    reached.push({ scope, span: template.span, edges: templateWindow(template.span, template, nowMs) });
  const keys: string[] = [];
  let endsAtMs = Number.MAX_SAFE_INTEGER;
  for (const { scope, span, edges } of reached.sort((a, b) => (a.scope + a.span < b.scope + b.span ? -1 : 1))) {
    const { startMs, endMs } = edges;
    const key = purseKey(account, scope, span, startMs);
    if (!state.purses.has(key)) state.purses.set(key, { account, scope, span, startMs, posted: 0n, pending: 0n });
    keys.push(key);
    endsAtMs = Math.min(endsAtMs, endMs);
  }
  return { keys, endsAtMs };
}

/** Where there is least room, and how much. */
export type Room = { readonly scope: string; readonly purse: string; readonly room: Nano };

/** `instead`: the model of a request that did not fit before; templates that name it let it go further. */
export function roomIn(state: LedgerState, account: Account, purses: readonly string[], instead = ''): Room {
  const { kind, credit, overdraft, posted, pending } = account;
  let least: Room = {
    scope: '',
    purse: '',
    room: kind === 'unlimited' ? BOUNDLESS : credit + overdraft - posted - pending,
  };
  for (const key of purses) {
    const purse = state.purses.get(key)!;
    const room = roomOf(state, purse, instead);
    if (room < least.room) least = { scope: purse.scope, purse: key, room };
  }
  return least;
}

function roomOf(state: LedgerState, purse: BudgetBalance, instead: string): Nano {
  const room = limitOf(state, purse) - purse.posted - purse.pending;
  if (instead === '') return room;
  const onLimit = onLimitOf(state, purse);
  if (onLimit?.model !== instead) return room;
  // What is free fits, whatever was spent.
  return room + onLimit.beyond < 0n ? 0n : room + onLimit.beyond;
}

/** The first of these balances that does not cover the amount, and whose template names another model for it. */
export function insteadIn(
  state: LedgerState,
  purses: readonly string[],
  amount: Nano,
): { readonly purse: BudgetBalance; readonly instead: Instead } | undefined {
  for (const key of purses) {
    const purse = state.purses.get(key)!;
    if (roomOf(state, purse, '') >= amount) continue;
    const onLimit = onLimitOf(state, purse);
    if (onLimit === undefined) continue;
    return { purse, instead: { model: onLimit.model, each: onLimit.each, span: onLimit.span } };
  }
  return undefined;
}

const limitOf = (state: LedgerState, { account, scope, span }: BudgetBalance): Nano =>
  state.budgets.get(account)?.find((budget) => budget.scope === scope && budget.span === span)?.limit ??
  templateLimit(state, account, scope, span) ??
  BOUNDLESS;

/** Below zero: gives back. */
export function setAside(state: LedgerState, account: Account, purses: readonly string[], amount: Nano): void {
  account.pending += amount;
  for (const key of purses) state.purses.get(key)!.pending += amount;
}

export type Charge = {
  readonly id: string;
  readonly amount: Nano;
  /** How much of it had been set aside. */
  readonly covered: Nano;
  readonly priceVersion: string;
  readonly estimated: boolean;
  readonly memo: string;
};

export function charge(state: LedgerState, account: Account, purses: readonly string[], paid: Charge): void {
  if (paid.amount === 0n) return;
  account.posted += paid.amount;
  account.overrun += paid.amount - paid.covered;
  for (const key of purses) state.purses.get(key)!.posted += paid.amount;
  write(state, account, 'charge', paid);
}

/** A charge turned round: what was charged too much by an estimate. */
export function refund(state: LedgerState, account: Account, purses: readonly string[], paid: Written): void {
  account.posted -= paid.amount;
  for (const key of purses) {
    const purse = state.purses.get(key)!;
    // A settlement that named other budgets before may have charged less to this one.
    purse.posted = purse.posted > paid.amount ? purse.posted - paid.amount : 0n;
  }
  write(state, account, 'charge', paid, true);
}

/** Below zero: takes out. */
export function payIn(state: LedgerState, account: Account, id: string, amount: Nano, memo: string): void {
  account.credit += amount;
  const figures = { id, priceVersion: '', estimated: false, memo };
  if (amount < 0n) write(state, account, 'withdrawal', { ...figures, amount: -amount });
  else write(state, account, 'deposit', { ...figures, amount });
}

type Written = Omit<Charge, 'covered'>;

function write(
  state: LedgerState,
  account: Account,
  kind: EntryKind,
  { id, amount, priceVersion, estimated, memo }: Written,
  isRefund = false,
): void {
  account.sequence++;
  const other = kind === 'charge' ? REVENUE : FUNDING;
  const isIncome = kind === 'deposit' || isRefund;
  const unhashed = {
    account: account.id,
    sequence: account.sequence,
    id,
    kind,
    debit: isIncome ? other : account.id,
    credit: isIncome ? account.id : other,
    amount,
    priceVersion,
    estimated,
    memo,
    previous: account.head,
  };
  const entry = { ...unhashed, hash: state.digest(chainText(unhashed)) };
  account.head = entry.hash;
  state.entries.set(keyOf(account.id, id), entry);
}
