/** How many requests may run at once, over all and for one key. Counted in memory; other limits join through the same port. */
import type { Fault } from '@trivium/protocol/canonical';
import type { Caller } from '../accounts/caller.ts';
import type { Limits, Slot } from '../engine/ports.ts';

const RETRY_AFTER_MS = 1000;

export class InFlightLimits implements Limits {
  readonly #byKey = new Map<string, number>();
  readonly #bounds: () => { readonly inFlight: number; readonly inFlightPerKey: number };
  #total = 0;

  constructor(bounds: () => { readonly inFlight: number; readonly inFlightPerKey: number }) {
    this.#bounds = bounds;
  }

  get taken(): number {
    return this.#total;
  }

  take(caller: Caller): Slot | Fault {
    const { inFlight, inFlightPerKey } = this.#bounds();
    const ofKey = this.#byKey.get(caller.keyId) ?? 0;
    if (this.#total >= inFlight)
      return { kind: 'overloaded', message: 'The gateway is busy. Try again shortly.', retryAfterMs: RETRY_AFTER_MS };
    if (ofKey >= inFlightPerKey)
      return {
        kind: 'over-rate',
        message: 'This API key has too many requests running at once.',
        retryAfterMs: RETRY_AFTER_MS,
      };
    this.#total++;
    this.#byKey.set(caller.keyId, ofKey + 1);
    let released = false;
    return {
      release: () => {
        if (released) return;
        released = true;
        this.#total--;
        const left = (this.#byKey.get(caller.keyId) ?? 1) - 1;
        if (left === 0) this.#byKey.delete(caller.keyId);
        else this.#byKey.set(caller.keyId, left);
      },
    };
  }
}
