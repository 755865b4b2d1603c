/**
 * What must be true of the book at any time, as far as it can be seen from its rows alone: I1–I5, I10, I11. The audit in
 * production and the simulation ask the same questions. The others need a second witness: see docs/money.md.
 */
import { type Account, type Book, type Entry, type Nano, reserved } from './book-state.ts';
import { chainText, GENESIS } from './chain.ts';

export type Violation = { readonly invariant: string; readonly account: string; readonly says: string };

type Sums = { posted: Nano; credited: Nano; pending: Nano };

export function violationsOf(book: Book): Violation[] {
  const found = balanceViolations(book);
  for (const account of book.accounts.values()) {
    const entries = [...book.entries.values()].filter((entry) => entry.account === account.id);
    checkChain(book, account, entries, found);
  }
  return found;
}

/** All but the chain: cheap enough to be asked after every step. */
function balanceViolations(book: Book): Violation[] {
  const found: Violation[] = [];
  const sums = new Map<string, Sums>();
  for (const id of book.accounts.keys()) sums.set(id, { posted: 0n, credited: 0n, pending: 0n });
  for (const entry of book.entries.values()) count(entry, sums.get(entry.account)!);
  for (const hold of book.holds.values()) sums.get(hold.account)!.pending += reserved(hold);
  for (const account of book.accounts.values()) checkAccount(account, sums.get(account.id)!, found);
  checkPurses(book, found);
  checkHolds(book, found);
  return found;
}

function count(entry: Entry, sums: Sums): void {
  if (entry.kind === 'charge') sums.posted += entry.amount;
  else sums.credited += entry.kind === 'deposit' ? entry.amount : -entry.amount;
}

function checkAccount(account: Account, sums: Sums, found: Violation[]): void {
  const { id, kind, credit, overdraft, posted, pending, overrun } = account;
  const say = (invariant: string, says: string): void => void found.push({ invariant, account: id, says });
  if (kind !== 'unlimited' && posted + pending > credit + overdraft + overrun)
    say('I1', `posted ${posted} + pending ${pending} > credit ${credit} + overdraft ${overdraft} + overrun ${overrun}`);
  if (pending < 0n) say('I1', `pending is ${pending}`);
  if (posted !== sums.posted) say('I2', `posted ${posted}, entries sum to ${sums.posted}`);
  if (pending !== sums.pending) say('I3', `pending ${pending}, open holds sum to ${sums.pending}`);
  if (credit !== sums.credited) say('I11', `credit ${credit}, entries give ${sums.credited}`);
}

function checkChain(book: Book, account: Account, entries: readonly Entry[], found: Violation[]): void {
  const say = (invariant: string, says: string): void => void found.push({ invariant, account: account.id, says });
  let head = GENESIS;
  let sequence = 0;
  for (const entry of entries) {
    sequence++;
    if (entry.sequence !== sequence || entry.previous !== head)
      say('I10', `entry ${sequence} does not follow its forerunner`);
    if (entry.hash !== book.digest(chainText(entry))) say('I10', `entry ${sequence} was changed`);
    if (entry.debit !== account.id && entry.credit !== account.id) say('I4', `entry ${sequence} is booked elsewhere`);
    if (entry.debit === entry.credit || entry.amount <= 0n) say('I4', `entry ${sequence} moves nothing`);
    head = entry.hash;
  }
  if (head !== account.head || sequence !== account.sequence)
    say('I10', 'the account does not end with its last entry');
}

function checkPurses(book: Book, found: Violation[]): void {
  if (book.purses.size === 0) return;
  const pending = new Map<string, Nano>();
  for (const hold of book.holds.values())
    for (const key of hold.purses) pending.set(key, (pending.get(key) ?? 0n) + reserved(hold));
  for (const [key, purse] of book.purses) {
    const sum = pending.get(key) ?? 0n;
    if (purse.pending !== sum)
      found.push({ invariant: 'I3', account: purse.account, says: `${key}: pending ${purse.pending}, holds ${sum}` });
  }
}

/** I5, as far as rows show it: who has an entry is settled, and a request under a lease has set nothing aside itself. */
function checkHolds(book: Book, found: Violation[]): void {
  for (const [key, hold] of book.holds) {
    const { account, state, granted, drawn, lease } = hold;
    const says =
      drawn < 0n || drawn > granted
        ? `has drawn ${drawn} of ${granted}`
        : state !== 'settled' && book.entries.has(key)
          ? `is ${state} and has an entry`
          : lease !== '' && granted !== 0n
            ? 'sets aside what its lease has set aside'
            : undefined;
    if (says !== undefined) found.push({ invariant: 'I5', account, says: `hold ${hold.id} ${says}` });
  }
}
