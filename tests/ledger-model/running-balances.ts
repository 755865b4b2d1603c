/**
 * The balances of the account that a command has touched, against its rows: I1, I2, I3, I5 and I11 after every step. Entries are
 * only ever added, so each is counted once; at the end of a world everything is counted anew (see `checkAtEnd`).
 */

import type { Violation } from '../../packages/gateway/src/money/ledger/core/invariants.ts';
import {
  correctionOf,
  keyOf,
  type LedgerState,
  type Nano,
} from '../../packages/gateway/src/money/ledger/core/ledger-state.ts';

type Sums = { posted: Nano; credited: Nano };

export class RunningBalances {
  readonly #state: LedgerState;
  readonly #sums = new Map<string, Sums>();
  #counted = 0;

  constructor(state: LedgerState) {
    this.#state = state;
  }

  violationOn(id: string): Violation | undefined {
    const account = this.#state.accounts.get(id);
    if (account === undefined) return undefined;
    this.#count();
    const { posted, credited } = this.#sumsOf(id);
    const { kind, credit, overdraft, overrun, pending } = account;
    const of = (invariant: string, says: string): Violation => ({ invariant, account: id, says });
    if (account.posted !== posted) return of('I2', `posted ${account.posted}, entries sum to ${posted}`);
    if (credit !== credited) return of('I11', `credit ${credit}, entries give ${credited}`);
    if (kind !== 'unlimited' && posted + pending > credit + overdraft + overrun)
      return of('I1', `posted ${posted} + pending ${pending} > ${credit} + ${overdraft} + ${overrun}`);
    const setAside = this.#setAside(id, '');
    if (pending !== setAside) return of('I3', `pending ${pending}, open holds sum to ${setAside}`);
    return this.#purseViolation(id) ?? this.#holdViolation(id);
  }

  #purseViolation(id: string): Violation | undefined {
    for (const [key, purse] of this.#state.purses) {
      if (purse.account !== id) continue;
      const sum = this.#setAside(id, key);
      if (purse.pending !== sum)
        return { invariant: 'I3', account: id, says: `${key}: pending ${purse.pending}, holds ${sum}` };
    }
    return undefined;
  }

  #setAside(id: string, purse: string): Nano {
    let sum = 0n;
    for (const { account, state, granted, drawn, purses } of this.#state.holds.values())
      if (state === 'open' && account === id && granted !== drawn && (purse === '' || purses.includes(purse)))
        sum += granted - drawn;
    return sum;
  }

  #holdViolation(id: string): Violation | undefined {
    for (const { id: hold, account, state, granted, drawn, lease } of this.#state.holds.values()) {
      if (account !== id) continue;
      const of = (says: string): Violation => ({ invariant: 'I5', account, says: `hold ${hold} ${says}` });
      if (drawn > granted || drawn < 0n) return of(`has drawn ${drawn} of ${granted}`);
      if (lease !== '' && granted !== 0n) return of('sets aside what its lease has set aside');
      if (state !== 'settled' && this.#state.entries.has(keyOf(account, hold)))
        return of(`is ${state} and has an entry`);
      if (state === 'open' && this.#state.entries.has(keyOf(account, correctionOf(hold))))
        return of('is open and has a correction');
    }
    return undefined;
  }

  #sumsOf(id: string): Sums {
    let sums = this.#sums.get(id);
    if (sums === undefined) {
      sums = { posted: 0n, credited: 0n };
      this.#sums.set(id, sums);
    }
    return sums;
  }

  #count(): void {
    const { entries } = this.#state;
    if (entries.size === this.#counted) return;
    let at = 0;
    for (const { account, kind, amount, debit } of entries.values()) {
      if (at++ < this.#counted) continue;
      const sums = this.#sumsOf(account);
      if (kind === 'charge') sums.posted += debit === account ? amount : -amount;
      else sums.credited += kind === 'deposit' ? amount : -amount;
    }
    this.#counted = entries.size;
  }
}
