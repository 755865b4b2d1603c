/** A ledger that refuses nobody and keeps no balance: it only knows which holds are open. Money joins through the same port. */
import type { Hold, HoldRequest, Ledger } from '../engine/ports.ts';

export class OpenLedger implements Ledger {
  readonly #open = new Set<string>();

  get openHolds(): number {
    return this.#open.size;
  }

  hold({ requestId }: HoldRequest): Hold {
    this.#open.add(requestId);
    const close = (): void => void this.#open.delete(requestId);
    return { id: requestId, settle: close, release: close };
  }
}
