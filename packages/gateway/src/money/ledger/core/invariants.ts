/**
 * Invariants of the ledger's state that its rows alone can prove: I1–I5, I10, I11. The audit in production and the
 * simulation check the same ones. The others need a second source: see docs/understand/money.md.
 */

import { chainText } from './chain.ts';
import {
  type Account,
  type BudgetBalance,
  correctionOf,
  type Entry,
  GENESIS,
  type Hold,
  keyOf,
  type LedgerState,
  type Nano,
  reserved,
} from './ledger-state.ts';

export type Violation = { readonly invariant: string; readonly account: string; readonly says: string };

export function violationsOf(state: LedgerState): Violation[] {
  const exams = new Map<string, Examination>();
  for (const id of state.accounts.keys()) exams.set(id, new Examination(id, state.digest));
  for (const entry of state.entries.values()) exams.get(entry.account)!.entry(entry);
  for (const [key, hold] of state.holds)
    exams
      .get(hold.account)!
      .hold(hold, state.entries.has(key), state.entries.has(keyOf(hold.account, correctionOf(hold.id))));
  for (const [key, purse] of state.purses) exams.get(purse.account)!.purse(key, purse);
  const found: Violation[] = [];
  for (const account of state.accounts.values()) found.push(...exams.get(account.id)!.end(account));
  return found;
}

/**
 * Checks one account row by row: entries in their order, then holds, then purses (the balances of its budgets). Keeps
 * sums, no rows.
 */
export class Examination {
  readonly #id: string;
  readonly #digest: (text: string) => string;
  readonly #found: Violation[] = [];
  readonly #pendingOf = new Map<string, Nano>();
  #posted: Nano = 0n;
  #credited: Nano = 0n;
  #pending: Nano = 0n;
  #head = GENESIS;
  #sequence = 0;

  constructor(id: string, digest: (text: string) => string) {
    this.#id = id;
    this.#digest = digest;
  }

  entry(entry: Entry): void {
    if (entry.kind === 'charge') this.#posted += entry.debit === this.#id ? entry.amount : -entry.amount;
    else this.#credited += entry.kind === 'deposit' ? entry.amount : -entry.amount;
    const id = this.#id;
    const at = ++this.#sequence;
    if (entry.sequence !== at || entry.previous !== this.#head)
      this.#say('I10', `entry ${at} does not follow its forerunner`);
    if (entry.hash !== this.#digest(chainText(entry))) this.#say('I10', `entry ${at} was changed`);
    if (entry.debit !== id && entry.credit !== id) this.#say('I4', `entry ${at} is booked elsewhere`);
    if (entry.debit === entry.credit || entry.amount <= 0n) this.#say('I4', `entry ${at} moves nothing`);
    this.#head = entry.hash;
  }

  /**
   * I5, as far as rows show it: a hold with an entry is settled, a hold with a correction is closed, and a request
   * under a lease sets nothing aside itself.
   */
  hold(hold: Hold, hasEntry: boolean, hasCorrection: boolean): void {
    const { id, state, granted, drawn, lease } = hold;
    const says =
      drawn < 0n || drawn > granted
        ? `has drawn ${drawn} of ${granted}`
        : state !== 'settled' && hasEntry
          ? `is ${state} and has an entry`
          : state === 'open' && hasCorrection
            ? 'is open and has a correction'
            : lease !== '' && granted !== 0n
              ? 'sets aside what its lease has set aside'
              : undefined;
    if (says !== undefined) this.#say('I5', `hold ${id} ${says}`);
    const amount = reserved(hold);
    if (amount === 0n) return;
    this.#pending += amount;
    for (const key of hold.purses) this.#pendingOf.set(key, (this.#pendingOf.get(key) ?? 0n) + amount);
  }

  /** Checks one budget's balance. `sum`: of the holds against it, where holds of other accounts count as well. */
  purse(key: string, { pending }: Pick<BudgetBalance, 'pending'>, sum = this.#pendingOf.get(key) ?? 0n): void {
    if (pending !== sum) this.#say('I3', `${key}: pending ${pending}, holds ${sum}`);
  }

  /** `account`: as read in the same snapshot as the last row. */
  end({ kind, credit, overdraft, posted, pending, overrun, head, sequence }: Account): readonly Violation[] {
    if (kind !== 'unlimited' && posted + pending > credit + overdraft + overrun)
      this.#say(
        'I1',
        `posted ${posted} + pending ${pending} > credit ${credit} + overdraft ${overdraft} + overrun ${overrun}`,
      );
    if (pending < 0n) this.#say('I1', `pending is ${pending}`);
    if (posted !== this.#posted) this.#say('I2', `posted ${posted}, entries sum to ${this.#posted}`);
    if (pending !== this.#pending) this.#say('I3', `pending ${pending}, open holds sum to ${this.#pending}`);
    if (credit !== this.#credited) this.#say('I11', `credit ${credit}, entries give ${this.#credited}`);
    if (head !== this.#head || sequence !== this.#sequence)
      this.#say('I10', 'the account does not end with its last entry');
    return this.#found;
  }

  #say(invariant: string, says: string): void {
    this.#found.push({ invariant, account: this.#id, says });
  }
}
