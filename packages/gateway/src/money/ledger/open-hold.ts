/** The hold of one request, in the epoch that admitted it. */
import type { Hold } from '../../kernel/admission.ts';
import type { Bill } from '../../kernel/record.ts';
import type { LiveEpoch } from './live-epoch.ts';

export class OpenHold implements Hold {
  readonly id: string;
  chargedNanoUsd: bigint | undefined = undefined;
  readonly #epoch: LiveEpoch;
  readonly #monotonicMs: () => number;

  constructor(id: string, epoch: LiveEpoch, monotonicMs: () => number) {
    this.id = id;
    this.#epoch = epoch;
    this.#monotonicMs = monotonicMs;
  }

  meter(bill: Bill): 'go' | 'stop' {
    const verdict = this.#epoch.core.meter(this.id, bill.cost.nanoUsd, this.#monotonicMs());
    this.#epoch.write();
    return verdict;
  }

  chargeOf({ cost, estimated }: Bill): bigint {
    return this.#epoch.core.chargeOf(this.id, cost.nanoUsd, estimated);
  }

  settle({ cost, estimated }: Bill): void {
    this.chargedNanoUsd = this.#epoch.core.settle(this.id, cost.nanoUsd, estimated, cost.priceVersion);
    this.#epoch.write();
  }

  release(): void {
    this.#epoch.core.release(this.id);
    this.#epoch.write();
  }

  onWritten(run: () => void): void {
    this.#epoch.onWritten(run);
  }
}
