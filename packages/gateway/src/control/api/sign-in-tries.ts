/** Slows down guessing: after a failed sign-in, an address waits before it may try again. */
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { AdminProblem } from './problem.ts';

const PAUSE_MS = 1000;
const MAX_ADDRESSES = 10_000;

export class SignInTries {
  readonly #nextAtMs = new BoundedMap<string, number>(MAX_ADDRESSES);

  requireTry(address: string, nowMs: number): void {
    if (nowMs < (this.#nextAtMs.get(address) ?? 0))
      throw new AdminProblem('rate-limited', 'Too many failed sign-ins from this address. Retry after 1 s.');
  }

  failed(address: string, nowMs: number): void {
    this.#nextAtMs.set(address, nowMs + PAUSE_MS);
  }
}
