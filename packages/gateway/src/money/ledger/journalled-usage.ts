/** Usage of this node's requests in its journal, from the end of a request until its row is stored. */
import { LostUsageError } from './apply-in-parts.ts';
import type { UsageLine } from './core/usage-line.ts';
import type { LiveEpoch } from './live-epoch.ts';

/** Limit of journal data that the database does not have, 1 GB: beyond it no request is admitted. */
const MOST_UNPOSTED_BYTES = 1024 ** 3;

export class JournalledUsage {
  readonly #epochs: readonly LiveEpoch[];
  readonly #onTrouble: (error: unknown) => void;
  /** Events that were not stored and never will be. */
  lost = 0;

  /** `epochs`: all running ones, latest first. */
  constructor(epochs: readonly LiveEpoch[], onTrouble: (error: unknown) => void) {
    this.#epochs = epochs;
    this.#onTrouble = onTrouble;
  }

  /** Written with the end of its request, in the epoch that admitted it; on its own if there is no such end. */
  keep(event: { readonly requestId: string; readonly receivedAtMs: number; readonly json: string }): void {
    const { requestId, receivedAtMs, json } = event;
    const usage: UsageLine = { requestId, receivedAtMs, json };
    for (const epoch of this.#epochs) if (epoch.joinEnd(usage)) return;
    const [latest] = this.#epochs;
    if (latest === undefined) this.onTrouble(new LostUsageError(`request ${requestId}: there is no journal`));
    else latest.addUsage(usage);
  }

  /** Usage that is not stored yet, so that a caller can read a request's record the moment it is over. */
  find(requestId: string): string | undefined {
    for (const { core } of this.#epochs) {
      const usage = core.outbox.queue.findUsage(requestId);
      if (usage !== undefined) return usage.json;
    }
    return undefined;
  }

  get isFull(): boolean {
    return this.bytes >= MOST_UNPOSTED_BYTES;
  }

  get waiting(): number {
    return this.#epochs.reduce((sum, { core }) => sum + core.outbox.queue.usages, 0);
  }

  get bytes(): number {
    return this.#epochs.reduce((sum, epoch) => sum + epoch.unpostedBytes, 0);
  }

  /** Counts usage lost on its way through the ledger. */
  readonly onTrouble = (error: unknown): void => {
    if (error instanceof LostUsageError) this.lost++;
    this.#onTrouble(error);
  };
}
