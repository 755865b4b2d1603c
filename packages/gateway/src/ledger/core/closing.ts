/** How holds end: settled once, released otherwise, buried when their node died. Closing again changes no balance. */
import { type Account, type Book, type Hold, keyOf, type Nano } from './book-state.ts';
import { type Checkpoint, CLOSED, DONE, type Release, type Result, type Settle } from './commands.ts';
import { type Charge, charge, setAside } from './posting.ts';

export function settle(book: Book, account: Account, command: Settle): Result {
  const { request, cost, lease: leaseId } = command;
  const hold = book.holds.get(keyOf(account.id, request));
  if (hold !== undefined) {
    if (hold.state !== 'open') return tooLate(book, account, hold, cost);
    if (hold.lease === '') settleStrict(book, account, hold, command);
    else {
      hold.state = 'settled';
      settleLeased(book, account, book.holds.get(keyOf(account.id, hold.lease))!, command);
    }
    return DONE;
  }
  if (book.entries.has(keyOf(account.id, request))) return DONE;
  if (leaseId === '' && account.kind === 'unlimited') {
    // Whoever has no bound needs no hold; everything is recorded all the same.
    const { priceVersion, estimated, memo } = command;
    charge(book, account, [], { id: request, amount: cost, covered: cost, priceVersion, estimated, memo });
    return DONE;
  }
  const lease = leaseId === '' ? undefined : book.holds.get(keyOf(account.id, leaseId));
  if (lease?.state !== 'open') {
    book.holds.set(keyOf(account.id, request), { ...bareHold(account.id, command, 'forgone'), forgone: cost });
    return CLOSED;
  }
  settleLeased(book, account, lease, command);
  return DONE;
}

type Figures = Pick<Settle, 'request' | 'cost' | 'priceVersion' | 'estimated' | 'memo'>;

function settleStrict(book: Book, account: Account, hold: Hold, { cost, estimated, memo }: Figures): void {
  // An estimate of ours is never a reason to charge more than was agreed to.
  const amount = estimated ? lesser(cost, hold.granted) : cost;
  hold.state = 'settled';
  hold.forgone = cost - amount;
  setAside(book, account, hold.purses, -hold.granted);
  const { id, priceVersion, purses } = hold;
  charge(book, account, purses, { id, amount, covered: lesser(amount, hold.granted), priceVersion, estimated, memo });
}

function settleLeased(book: Book, account: Account, lease: Hold, figures: Figures): void {
  const { request: id, cost: amount, priceVersion, estimated, memo } = figures;
  const covered = lesser(amount, lease.granted - lease.drawn);
  lease.drawn += covered;
  setAside(book, account, lease.purses, -covered);
  const paid: Charge = { id, amount, covered, priceVersion, estimated, memo };
  charge(book, account, lease.purses, paid);
}

/** What became known after the end is the operator's loss: never a second charge, and never one without a hold. */
function tooLate(book: Book, account: Account, hold: Hold, cost: Nano): Result {
  const charged = book.entries.get(keyOf(account.id, hold.id))?.amount ?? 0n;
  const missed = cost - charged;
  if (missed > hold.forgone) hold.forgone = missed;
  return missed === 0n ? DONE : CLOSED;
}

export function checkpoint(book: Book, account: Account, command: Checkpoint): Result {
  const { request, lease: leaseId, cost } = command;
  const hold = book.holds.get(keyOf(account.id, request));
  if (hold !== undefined) {
    if (hold.state !== 'open') return CLOSED;
    if (cost > hold.checkpoint) hold.checkpoint = cost;
    return DONE;
  }
  const lease = leaseId === '' ? undefined : book.holds.get(keyOf(account.id, leaseId));
  if (lease?.state !== 'open' || book.entries.has(keyOf(account.id, request))) return CLOSED;
  book.holds.set(keyOf(account.id, request), {
    ...bareHold(account.id, command, 'open'),
    epoch: lease.epoch,
    checkpoint: cost,
  });
  return DONE;
}

export function release(book: Book, account: Account, { hold: id }: Release): Result {
  const hold = book.holds.get(keyOf(account.id, id));
  if (hold === undefined) {
    if (book.entries.has(keyOf(account.id, id))) return CLOSED;
    // The hold may still be on its way: when it arrives it finds itself closed.
    const command = { request: id, lease: '', priceVersion: '' };
    book.holds.set(keyOf(account.id, id), bareHold(account.id, command, 'released'));
    return DONE;
  }
  if (hold.state !== 'open') return hold.state === 'released' ? DONE : CLOSED;
  if (hold.kind === 'lease') settleUnder(book, account, hold);
  giveBack(book, account, hold);
  return DONE;
}

/** Requests first: those under a lease are settled from it before its rest is given back. */
export function bury(book: Book, account: Account): Result {
  for (const hold of book.holds.values())
    if (isLeftOver(book, account, hold) && hold.kind === 'request') closeAtCheckpoint(book, account, hold);
  for (const hold of book.holds.values()) if (isLeftOver(book, account, hold)) giveBack(book, account, hold);
  return DONE;
}

const isLeftOver = (book: Book, account: Account, { account: of, state, epoch }: Hold): boolean =>
  of === account.id && state === 'open' && book.nodes.get(epoch)?.state === 'dead';

function settleUnder(book: Book, account: Account, lease: Hold): void {
  for (const hold of book.holds.values())
    if (hold.account === account.id && hold.lease === lease.id && hold.state === 'open')
      closeAtCheckpoint(book, account, hold);
}

function closeAtCheckpoint(book: Book, account: Account, hold: Hold): void {
  const { id: request, checkpoint: cost, priceVersion, lease } = hold;
  if (cost === 0n) giveBack(book, account, hold);
  else
    settle(book, account, {
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

function giveBack(book: Book, account: Account, hold: Hold): void {
  setAside(book, account, hold.purses, hold.drawn - hold.granted);
  hold.state = 'released';
}

const lesser = (a: Nano, b: Nano): Nano => (a < b ? a : b);

type Named = { readonly request: string; readonly lease: string; readonly priceVersion: string };

/** The row of a request that sets nothing aside: a lease covers it, or nothing does any more. */
const bareHold = (account: string, { request, lease, priceVersion }: Named, state: Hold['state']): Hold => ({
  id: request,
  account,
  kind: 'request',
  epoch: '',
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
