/** Taking and resizing holds: the only way amounts are held, and never above the limit. */

import {
  CLOSED,
  FENCED,
  LEASE_SHARE,
  type Resize,
  type Result,
  type TakeHold,
  type TakeLease,
} from '../../../packages/gateway/src/money/ledger/core/commands.ts';
import {
  type Account,
  type Hold,
  keyOf,
  type LedgerState,
  type Nano,
  reserved,
} from '../../../packages/gateway/src/money/ledger/core/ledger-state.ts';
import { insteadIn, type Room, reachOf, roomIn, setAside } from './posting.ts';

/** No lease lasts longer than a day: amounts that a node forgot are released. */
const LONGEST_LEASE_MS = 86_400_000;

export function takeHold(state: LedgerState, account: Account, command: TakeHold, nowMs: number): Result {
  const { request, epoch, amount, scopes, priceVersion, idempotencyKey, instead = '' } = command;
  const before = state.holds.get(keyOf(account.id, request));
  if (before !== undefined) return before.state === 'open' ? granted(before.granted) : CLOSED;
  if (state.entries.has(keyOf(account.id, request))) return CLOSED;
  if (state.nodes.get(epoch)?.state !== 'alive') return FENCED;
  if (idempotencyKey !== '') {
    const of = userOf(state, account.id, idempotencyKey);
    if (of !== undefined) return { is: 'duplicate', of };
  }
  const { keys } = reachOf(state, account.id, scopes, nowMs);
  const least = roomIn(state, account, keys, instead);
  if (least.room < amount) {
    const refused = refuseOrRecall(state, account, least, amount);
    return instead === '' ? orInstead(state, keys, amount, refused, nowMs) : refused;
  }
  open(state, account, {
    id: request,
    kind: 'request',
    epoch,
    granted: amount,
    priceVersion,
    purses: keys,
    idempotencyKey,
    instead,
  });
  return granted(amount);
}

export function takeLease(state: LedgerState, account: Account, command: TakeLease, nowMs: number): Result {
  const { lease, epoch, wanted, least, scopes } = command;
  const before = state.holds.get(keyOf(account.id, lease));
  // The grant time is not stored, and so neither is the expiry: a node that lost the answer releases the lease.
  if (before !== undefined) return before.state === 'open' ? granted(before.granted) : CLOSED;
  if (state.nodes.get(epoch)?.state !== 'alive') return FENCED;
  const { keys, endsAtMs } = reachOf(state, account.id, scopes, nowMs);
  const { scope, room } = roomIn(state, account, keys);
  const share = room / LEASE_SHARE;
  const amount = wanted < share ? wanted : share;
  if (amount < least) return { is: 'refused', scope, room, recallable: 0n };
  open(state, account, {
    id: lease,
    kind: 'lease',
    epoch,
    granted: amount,
    priceVersion: '',
    purses: keys,
    idempotencyKey: '',
    instead: '',
  });
  return { is: 'granted', amount, validForMs: Math.min(endsAtMs - nowMs, LONGEST_LEASE_MS) };
}

export function resize(state: LedgerState, account: Account, { hold: id, version, to, yields }: Resize): Result {
  const hold = state.holds.get(keyOf(account.id, id));
  if (hold === undefined || hold.state !== 'open' || hold.lease !== '') return CLOSED;
  if (version <= hold.version) return granted(hold.granted);
  // What has been used up cannot be given back.
  const target = to < hold.drawn ? hold.drawn : to;
  const more = target - hold.granted;
  if (more > 0n) {
    const least = roomIn(state, account, hold.purses, hold.instead);
    if (least.room < more) {
      hold.version = version;
      return { is: 'refused', scope: least.scope, room: least.room, recallable: 0n };
    }
  }
  hold.version = version;
  hold.granted = target;
  if (yields) hold.recall = 'yielded';
  setAside(state, account, hold.purses, more);
  return granted(target);
}

/** Recalls every lease of an account with changed terms. */
export function recallAll(state: LedgerState, account: string): void {
  for (const hold of state.holds.values())
    if (isLeaseOf(hold, account) && hold.recall === 'none') hold.recall = 'asked';
}

const granted = (amount: Nano): Result => ({ is: 'granted', amount, validForMs: 0 });

const isLeaseOf = ({ account, kind, state }: Hold, id: string): boolean =>
  account === id && kind === 'lease' && state === 'open';

function userOf(state: LedgerState, account: string, idempotencyKey: string): string | undefined {
  for (const hold of state.holds.values())
    if (hold.account === account && hold.idempotencyKey === idempotencyKey && hold.state !== 'released') return hold.id;
  return undefined;
}

/** Final only when the leases on the same budget balance could not cover the missing amount. */
function refuseOrRecall(state: LedgerState, account: Account, { scope, purse, room }: Room, amount: Nano): Refused {
  let recallable = 0n;
  const leases: Hold[] = [];
  for (const hold of state.holds.values()) {
    if (!isLeaseOf(hold, account.id) || hold.recall === 'yielded') continue;
    if (purse !== '' && !hold.purses.includes(purse)) continue;
    leases.push(hold);
    recallable += reserved(hold);
  }
  if (room + recallable < amount) return { is: 'refused', scope, room, recallable: 0n };
  for (const lease of leases) lease.recall = 'asked';
  return { is: 'refused', scope, room, recallable };
}

/** A refusal with the model that is to be called instead, if a template names one. */
function orInstead(
  state: LedgerState,
  purses: readonly string[],
  amount: Nano,
  refused: Refused,
  nowMs: number,
): Refused {
  const found = insteadIn(state, purses, amount);
  if (found === undefined) return refused;
  // Leases may yet return what is missing.
  if (refused.recallable === 0n) found.purse.onLimitMs ??= nowMs;
  return { ...refused, instead: found.instead };
}

type Refused = Extract<Result, { readonly is: 'refused' }>;

type Opened = Pick<
  Hold,
  'id' | 'kind' | 'epoch' | 'granted' | 'priceVersion' | 'purses' | 'idempotencyKey' | 'instead'
>;

function open(state: LedgerState, account: Account, hold: Opened): void {
  state.holds.set(keyOf(account.id, hold.id), {
    ...hold,
    account: account.id,
    lease: '',
    drawn: 0n,
    state: 'open',
    checkpoint: 0n,
    version: 0,
    recall: 'none',
    forgone: 0n,
  });
  setAside(state, account, hold.purses, hold.granted);
}
