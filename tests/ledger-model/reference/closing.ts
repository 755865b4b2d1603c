/**
 * How holds end: settled once, released otherwise, buried when their node died. A settlement that comes after the end is posted as
 * a correction, once; closing again changes no balance.
 */

import {
  type Checkpoint,
  CLOSED,
  DONE,
  type Release,
  type Result,
  type Settle,
} from '../../../packages/gateway/src/money/ledger/core/commands.ts';
import {
  type Account,
  correctionOf,
  type Hold,
  keyOf,
  type LedgerState,
  type Nano,
} from '../../../packages/gateway/src/money/ledger/core/ledger-state.ts';
import { type Charge, charge, refund, roomIn, setAside } from './posting.ts';

export function settle(state: LedgerState, account: Account, command: Settle): Result {
  const { request, lease: leaseId } = command;
  const hold = state.holds.get(keyOf(account.id, request));
  if (hold?.state === 'open') {
    if (hold.lease === '') settleStrict(state, account, hold, command);
    else {
      hold.state = 'settled';
      settleLeased(state, account, state.holds.get(keyOf(account.id, hold.lease))!, command);
    }
    return DONE;
  }
  if (hold !== undefined || state.entries.has(keyOf(account.id, request)))
    return correct(state, account, hold, command);
  const lease = leaseId === '' ? undefined : state.holds.get(keyOf(account.id, leaseId));
  if (lease?.state === 'open') settleLeased(state, account, lease, command);
  // Admitted without a hold, as accounts without a bound are, or under a lease that is gone: the request was served and is charged.
  else chargeUncovered(state, account, lease?.purses ?? [], request, command.cost, command);
  return DONE;
}

type Figures = Pick<Settle, 'request' | 'cost' | 'priceVersion' | 'estimated' | 'memo'>;

function settleStrict(state: LedgerState, account: Account, hold: Hold, { cost, estimated, memo }: Figures): void {
  // An estimate of ours is never a reason to charge more than was agreed to.
  const amount = estimated ? lesser(cost, hold.granted) : cost;
  hold.state = 'settled';
  hold.forgone = cost - amount;
  setAside(state, account, hold.purses, -hold.granted);
  const { id, priceVersion, purses } = hold;
  charge(state, account, purses, { id, amount, covered: lesser(amount, hold.granted), priceVersion, estimated, memo });
}

function settleLeased(state: LedgerState, account: Account, lease: Hold, figures: Figures): void {
  const { request: id, cost: amount, priceVersion, estimated, memo } = figures;
  const covered = lesser(amount, lease.granted - lease.drawn);
  lease.drawn += covered;
  setAside(state, account, lease.purses, -covered);
  const paid: Charge = { id, amount, covered, priceVersion, estimated, memo };
  charge(state, account, lease.purses, paid);
}

/**
 * What became known after the hold was closed without its node's word is charged all the same, or given back: the difference, in one
 * entry of its own. A reported figure is the last word; an estimate only ever adds to an estimate.
 */
function correct(state: LedgerState, account: Account, hold: Hold | undefined, command: Settle): Result {
  const { request, lease: leaseId, cost, estimated } = command;
  const id = correctionOf(request);
  if (state.entries.has(keyOf(account.id, id))) return DONE;
  const before = state.entries.get(keyOf(account.id, request));
  const isCapped = estimated && hold !== undefined && hold.lease === '';
  const missed = (isCapped ? lesser(cost, hold.granted) : cost) - (before?.amount ?? 0n);
  if (missed === 0n) return DONE;
  if (before?.estimated === false || (estimated && missed < 0n)) return CLOSED;
  const under = hold === undefined ? leaseId : hold.lease;
  const covering = under === '' ? hold : state.holds.get(keyOf(account.id, under));
  const purses = covering?.purses ?? [];
  if (missed > 0n) chargeUncovered(state, account, purses, id, missed, command);
  else refund(state, account, purses, { ...command, id, amount: -missed });
  return DONE;
}

/** Nothing is set aside for it any more: what there is no room for counts as overrun. */
function chargeUncovered(
  state: LedgerState,
  account: Account,
  purses: readonly string[],
  id: string,
  amount: Nano,
  { priceVersion, estimated, memo }: Settle,
): void {
  const { room } = roomIn(state, account, []);
  const covered = lesser(amount, room > 0n ? room : 0n);
  charge(state, account, purses, { id, amount, covered, priceVersion, estimated, memo });
}

export function checkpoint(state: LedgerState, account: Account, command: Checkpoint): Result {
  const { request, lease: leaseId, cost } = command;
  const hold = state.holds.get(keyOf(account.id, request));
  if (hold !== undefined) {
    if (hold.state !== 'open') return CLOSED;
    if (cost > hold.checkpoint) hold.checkpoint = cost;
    return DONE;
  }
  const lease = leaseId === '' ? undefined : state.holds.get(keyOf(account.id, leaseId));
  if (lease?.state !== 'open' || state.entries.has(keyOf(account.id, request))) return CLOSED;
  state.holds.set(keyOf(account.id, request), {
    ...bareHold(account.id, command, 'open'),
    epoch: lease.epoch,
    checkpoint: cost,
  });
  return DONE;
}

export function release(state: LedgerState, account: Account, { hold: id }: Release): Result {
  const hold = state.holds.get(keyOf(account.id, id));
  if (hold === undefined) {
    if (state.entries.has(keyOf(account.id, id))) return CLOSED;
    // The hold may still be on its way: when it arrives it finds itself closed.
    const command = { request: id, lease: '', priceVersion: '' };
    state.holds.set(keyOf(account.id, id), bareHold(account.id, command, 'released'));
    return DONE;
  }
  if (hold.state !== 'open') return hold.state === 'released' ? DONE : CLOSED;
  if (hold.kind === 'lease') settleUnder(state, account, hold);
  giveBack(state, account, hold);
  return DONE;
}

/** Requests first: those under a lease are settled from it before its rest is given back. */
export function reapAccount(state: LedgerState, account: Account): Result {
  for (const hold of state.holds.values())
    if (isLeftOver(state, account, hold) && hold.kind === 'request') closeAtCheckpoint(state, account, hold);
  for (const hold of state.holds.values()) if (isLeftOver(state, account, hold)) giveBack(state, account, hold);
  return DONE;
}

const isLeftOver = (state: LedgerState, account: Account, { account: of, state: holdState, epoch }: Hold): boolean =>
  of === account.id && holdState === 'open' && state.nodes.get(epoch)?.state === 'dead';

function settleUnder(state: LedgerState, account: Account, lease: Hold): void {
  for (const hold of state.holds.values())
    if (hold.account === account.id && hold.lease === lease.id && hold.state === 'open')
      closeAtCheckpoint(state, account, hold);
}

function closeAtCheckpoint(state: LedgerState, account: Account, hold: Hold): void {
  const { id: request, checkpoint: cost, priceVersion, lease } = hold;
  if (cost === 0n) giveBack(state, account, hold);
  else
    settle(state, account, {
      do: 'settle',
      account: account.id,
      request,
      lease,
      cost,
      priceVersion,
      estimated: true,
      memo: '',
    });
}

function giveBack(state: LedgerState, account: Account, hold: Hold): void {
  setAside(state, account, hold.purses, hold.drawn - hold.granted);
  hold.state = 'released';
}

const lesser = (a: Nano, b: Nano): Nano => (a < b ? a : b);

type Named = { readonly request: string; readonly lease: string; readonly priceVersion: string };

/** The row of a request that sets nothing aside: a lease covers it, or it was given back before it came. */
const bareHold = (account: string, { request, lease, priceVersion }: Named, state: Hold['state']): Hold => ({
  id: request,
  account,
  kind: 'request',
  epoch: '',
  instead: '',
  lease,
  granted: 0n,
  drawn: 0n,
  state,
  checkpoint: 0n,
  priceVersion,
  purses: [],
  version: 0,
  recall: 'none',
  idempotencyKey: '',
  forgone: 0n,
});
