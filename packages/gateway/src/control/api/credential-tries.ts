/**
 * Slows down guessing in the Authorization header: an address has a number of failed tries, and gets one back each second.
 * Beyond them only credentials that were right before are looked at, so that a client with a wrong one does not lock out
 * the others behind its address.
 */
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { AdminProblem } from './problem.ts';

const MAX_FAILURES = 100;
const BACK_MS = 1000;
const MAX_ADDRESSES = 10_000;
const MAX_CREDENTIALS = 10_000;

export class CredentialTries {
  /** When all tries of an address are back. */
  readonly #fullAtMs = new BoundedMap<string, number>(MAX_ADDRESSES);
  /** Hashes of secrets. */
  readonly #right = new BoundedMap<string, true>(MAX_CREDENTIALS);

  requireTry(address: string, secretHash: string, nowMs: number): void {
    if ((this.#fullAtMs.get(address) ?? 0) - nowMs <= (MAX_FAILURES - 1) * BACK_MS || this.#right.has(secretHash))
      return;
    throw new AdminProblem('rate-limited', 'Too many wrong credentials from this address. Retry after 1 s.');
  }

  failed(address: string, secretHash: string, nowMs: number): void {
    this.#right.delete(secretHash);
    this.#fullAtMs.set(address, Math.max(this.#fullAtMs.get(address) ?? 0, nowMs) + BACK_MS);
  }

  succeeded(secretHash: string): void {
    if (!this.#right.has(secretHash)) this.#right.set(secretHash, true);
  }
}
