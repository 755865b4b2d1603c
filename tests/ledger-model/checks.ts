/** The invariants that need another source beside the ledger database: the upstream's records, the disk, the clock. */

import type { Resize, Result, TakeHold, TakeLease } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { violationsOf } from '../../packages/gateway/src/money/ledger/core/invariants.ts';
import {
  correctionOf,
  keyOf,
  type LedgerState,
  type Nano,
  reserved,
} from '../../packages/gateway/src/money/ledger/core/ledger-state.ts';
import { CHECKPOINT_NANO } from '../../packages/gateway/src/money/ledger/core/running.ts';
import { type Bound, boundsOf, leftIn } from './judge.ts';
import type { SimulatedNode } from './node.ts';
import type { Fate, Truth } from './truth.ts';
import type { World } from './world.ts';

/** I6: an open hold of its own, or a record in the journal under an open lease, older than the first upstream byte. */
export function checkFirstByte(
  world: World,
  node: SimulatedNode,
  epoch: string,
  { request, account }: Fate,
  free: boolean,
): void {
  const { holds } = world.database.state;
  const hold = holds.get(keyOf(account, request));
  if (!node.disk.holds(epoch, request)) world.fail('I6', `${request} was sent before it was written down`);
  if (free || (hold?.state === 'open' && hold.epoch === epoch)) return;
  const record = node.disk.journals
    .get(epoch)!
    .records.find((each) => each.at === 'admit' && each.request === request)!;
  const lease = record.at === 'admit' ? holds.get(keyOf(account, record.lease)) : undefined;
  if (lease?.state !== 'open') world.fail('I6', `${request} was sent and nothing is set aside for it`);
}

/** No request is refused while the free amount plus what idle leases could return would suffice. */
export function checkRefusal(world: World, command: TakeHold, { scope, instead }: Refused): void {
  const { account: id, amount, scopes, instead: asked = '' } = command;
  const { state } = world.database;
  const { accounts, holds, purses } = state;
  const lacks = (free: Nano, purse: string): boolean => {
    let recallable = 0n;
    for (const hold of holds.values())
      if (hold.account === id && hold.kind === 'lease' && hold.recall !== 'yielded')
        if (purse === '' || hold.purses.includes(purse)) recallable += reserved(hold);
    return free + recallable < amount;
  };
  const { credit, overdraft, posted, pending } = accounts.get(id)!;
  const isRight =
    scope === ''
      ? lacks(credit + overdraft - posted - pending, '')
      : boundsOf(state, id, scopes, world.timeline.nowMs).some((bound) => {
          const purse = purses.get(bound.key);
          return (
            bound.scope === scope &&
            purse !== undefined &&
            lacks(leftIn(bound, purse.posted + purse.pending, asked), bound.key)
          );
        });
  if (!isRight) world.fail('refusal', `${id} had enough${scope && ` in the budget of ${scope}`}`);
  const named = asked === '' ? boundsOf(state, id, scopes, world.timeline.nowMs).flatMap(short(state, amount)) : [];
  if (named.length === 0 ? instead !== undefined : instead === undefined || !named.includes(instead.model))
    world.fail('refusal', `${id} is to call ${instead?.model} instead, and not one of ${named}`);
}

type Refused = Extract<Result, { readonly is: 'refused' }>;

/** The model that is named where a balance does not cover the amount. */
const short =
  ({ purses }: LedgerState, amount: Nano) =>
  (bound: Bound): readonly string[] => {
    const purse = purses.get(bound.key);
    if (bound.onLimit === undefined || purse === undefined) return [];
    return bound.limit - purse.posted - purse.pending < amount ? [bound.onLimit.model] : [];
  };

/** I15: after more was set aside, no bound is exceeded: the limit, and for the model named for what does not fit, what that may reach. */
export function checkRoom(world: World, id: string, command: TakeHold | TakeLease): void {
  const { state } = world.database;
  const { account, scopes } = command;
  const instead = insteadOf(command);
  const hold = state.holds.get(keyOf(account, id))!;
  for (const bound of boundsOf(state, account, scopes, world.timeline.nowMs)) {
    // A stream goes on in the windows it began in.
    const purse = hold.purses.includes(bound.key) ? state.purses.get(bound.key) : undefined;
    if (purse === undefined) continue;
    const before = purse.posted + purse.pending - hold.granted;
    const most = leftIn(bound, before, instead);
    if (hold.granted > most) world.fail('I15', `${id} holds ${hold.granted} of ${bound.key}, and ${most} were left`);
  }
}

/** What was set aside counts in the windows that run now, in each once, and a lease ends with the first of them. */
export function checkReach(world: World, command: TakeHold | TakeLease, result: Result): void {
  const id = command.do === 'hold' ? command.request : command.lease;
  const { state } = world.database;
  const hold = state.holds.get(keyOf(command.account, id));
  if (result.is !== 'granted' || hold === undefined) return;
  const bounds = boundsOf(state, command.account, command.scopes, world.timeline.nowMs);
  const [expected, found] = [bounds.map(({ key }) => key).sort(), [...hold.purses].sort()];
  if (expected.join() !== found.join()) world.fail('I1', `${id} counts in ${found}, and should in ${expected}`);
  const endsAtMs = Math.min(...bounds.map(({ endMs }) => endMs));
  if (command.do === 'lease' && world.timeline.nowMs + result.validForMs > endsAtMs)
    world.fail('I1', `lease ${id} is valid beyond the window it was taken in`);
}

const insteadOf = (command: TakeHold | TakeLease): string => ('instead' in command ? (command.instead ?? '') : '');

/** What a hold grows by must fit as the hold did, and is refused only where it does not. */
export function checkExtension(
  world: World,
  { hold: id, to }: Resize,
  taken: TakeHold | TakeLease,
  result: Result,
): void {
  const { state } = world.database;
  const hold = state.holds.get(keyOf(taken.account, id))!;
  if (result.is === 'granted') {
    if (hold.state === 'open' && result.amount === to) checkRoom(world, id, taken);
    return;
  }
  if (result.is !== 'refused' || result.scope === '') return;
  const isShort = boundsOf(state, taken.account, taken.scopes, world.timeline.nowMs).some((bound) => {
    const purse = state.purses.get(bound.key);
    const isOther = purse === undefined || !hold.purses.includes(bound.key);
    return isOther || leftIn(bound, purse.posted + purse.pending, insteadOf(taken)) < to - hold.granted;
  });
  if (!isShort) world.fail('refusal', `${id} could have been extended to ${to}`);
}

export function checkAtEnd(world: World): void {
  const { state } = world.database;
  const [first] = violationsOf(state);
  if (first !== undefined) world.fail(first.invariant, `${first.account}: ${first.says}`);
  for (const hold of state.holds.values())
    if (hold.state === 'open' && !(hold.kind === 'lease' && state.nodes.get(hold.epoch)?.state === 'alive'))
      world.fail('I8', `hold ${hold.id} of ${hold.epoch} is still open`);
  const charges = new Map<string, Nano>();
  for (const { kind, id, account, debit, amount } of state.entries.values()) {
    if (kind !== 'charge') continue;
    const request = id.replace('correction:', '');
    if (!world.truths.has(request)) world.fail('I7', `${id} was charged and never sent`);
    charges.set(request, (charges.get(request) ?? 0n) + (debit === account ? amount : -amount));
  }
  for (const truth of world.truths.values()) checkCharge(world, truth, charges.get(truth.fate.request) ?? 0n);
  checkOverrun(world, charges);
  checkBudgets(world, charges);
  checkIdempotency(world);
}

/** Fenced while alive, or crashed: its settlements may have come after its holds were closed. */
const isLateByRight = (world: World, { epoch, node }: Truth): boolean =>
  world.deaths.has(epoch) || world.lostTouch.has(node);

/** I7 and I12: never more than was used, exactly that when it is known, and little less where an accident hid the rest. */
function checkCharge(world: World, truth: Truth, charged: Nano): void {
  const { fate, produced, priceVersion, epoch, settledExactly } = truth;
  const { entries, holds } = world.database.state;
  const key = keyOf(fate.account, fate.request);
  const correction = entries.get(keyOf(fate.account, correctionOf(fate.request)));
  const hold = holds.get(key);
  if (charged > produced + fate.surplus)
    world.fail('I7', `${fate.request} used ${produced} and was charged ${charged}`);
  for (const entry of [entries.get(key), correction])
    if (entry !== undefined && entry.priceVersion !== priceVersion)
      world.fail('I12', `${fate.request} was admitted at ${priceVersion} and charged at ${entry.priceVersion}`);
  if (hold !== undefined && hold.checkpoint > charged + fate.chunkCost)
    world.fail(
      'I7',
      `${fate.request} was charged ${charged}, and the last checkpoint in the ledger database is ${hold.checkpoint}`,
    );
  if (correction !== undefined && !isLateByRight(world, truth))
    world.fail('I7', `${fate.request} was closed while its node was well`);
  const death = world.deaths.get(epoch);
  // What was written in the last moments, or to a lost disk, is unknown.
  if (death === 'power' || death === 'disk') return;
  if (settledExactly && charged !== produced) world.fail('I7', `${fate.request} used ${produced}, charged ${charged}`);
  const bound = (fate.fails ? produced : CHECKPOINT_NANO) + 2n * fate.chunkCost;
  if (produced - charged > bound) world.fail('I7', `${fate.request} used ${produced} and was charged only ${charged}`);
}

/** What may be charged beyond what was set aside: output past the cap, and what was charged with nothing set aside any more. */
const beyondHold = (world: World, truth: Truth, charges: ReadonlyMap<string, Nano>): Nano => {
  const { request, chunks, cap, chunkCost } = truth.fate;
  if (truth.free || isLateByRight(world, truth)) return charges.get(request) ?? 0n;
  return chunks > cap ? chunkCost * BigInt(chunks - cap) : 0n;
};

/** Where callers' caps are honoured and no node is fenced, no account pays more than was held. */
function checkOverrun(world: World, charges: ReadonlyMap<string, Nano>): void {
  const allowed = new Map<string, Nano>();
  for (const truth of world.truths.values()) {
    const { account } = truth.fate;
    allowed.set(account, (allowed.get(account) ?? 0n) + beyondHold(world, truth, charges));
  }
  for (const { id, overrun } of world.database.state.accounts.values())
    if (overrun > (allowed.get(id) ?? 0n)) world.fail('I1', `${id} has paid ${overrun} beyond its holds`);
}

type Spent = { readonly limit: Nano; charged: Nano; beyond: Nano };

/** I2 and I1 of budgets, which stand from the first request on: all that their spenders were charged, and no more than they may. */
function checkBudgets(world: World, charges: ReadonlyMap<string, Nano>): void {
  const { state } = world.database;
  const spent = new Map<string, Spent>();
  for (const truth of world.truths.values()) {
    const { account, scopes, request } = truth.fate;
    for (const { scope, span, onLimit, limit: usual } of boundsOf(state, account, scopes, world.timeline.nowMs)) {
      const limit = onLimit?.limit ?? usual;
      const name = `${account} ${scope} ${span}`;
      const sums = spent.get(name) ?? { limit, charged: 0n, beyond: 0n };
      sums.charged += charges.get(request) ?? 0n;
      sums.beyond += beyondHold(world, truth, charges);
      spent.set(name, sums);
    }
  }
  const posted = new Map<string, Nano>();
  for (const purse of state.purses.values()) {
    const name = `${purse.account} ${purse.scope} ${purse.span}`;
    posted.set(name, (posted.get(name) ?? 0n) + purse.posted);
    const { limit, beyond } = spent.get(name) ?? { limit: 0n, beyond: 0n };
    if (purse.posted > 0n && purse.posted + purse.pending > limit + beyond)
      world.fail('I1', `${name} has spent more than its ${limit}`);
  }
  for (const [name, { charged }] of spent)
    if ((posted.get(name) ?? 0n) !== charged)
      world.fail('I2', `${name} was charged ${charged}, and its budget knows of ${posted.get(name) ?? 0n}`);
}

/** I9: one idempotency key, one hold that was not given back; and one upstream call for those that were not. */
function checkIdempotency(world: World): void {
  const users = new Map<string, string>();
  for (const { account, idempotencyKey, state, id } of world.database.state.holds.values()) {
    if (idempotencyKey === '' || state === 'released') continue;
    const key = keyOf(account, idempotencyKey);
    if (users.has(key)) world.fail('I9', `${key} was used by ${users.get(key)} and ${id}`);
    users.set(key, id);
  }
}
