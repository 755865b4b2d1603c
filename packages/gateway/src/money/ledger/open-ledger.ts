/** The ledger without a database: it refuses no request and keeps no balances, and only tracks open holds. */
import type { Hold, HoldRequest, Ledger } from '../../kernel/admission.ts';

export class OpenLedger implements Ledger {
  #open = 0;

  get openHolds(): number {
    return this.#open;
  }

  async close(): Promise<void> {}

  hold({ requestId }: HoldRequest): Hold {
    this.#open++;
    let closed = false;
    const close = (): void => {
      if (closed) return;
      closed = true;
      this.#open--;
    };
    return { id: requestId, settle: close, release: close };
  }
}
