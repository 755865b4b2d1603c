/**
 * How many requests may run at once, over all and for one key; and when there is not room for all, whose go first: those
 * of accounts that have more than their share of what runs. Counted in memory; other limits join through the same port.
 */
import type { Fault } from '@trivium/protocol/canonical';
import type { Caller } from '../accounts/caller.ts';
import type { Slot } from '../engine/ports.ts';

const REFUSAL_REASONS = ['in-flight', 'in-flight-of-key', 'share', 'lag', 'memory'] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export type InFlightBounds = { readonly inFlight: number; readonly inFlightPerKey: number };

/** What the limits must know of the process they run in. */
export type PressureReading = { readonly shed: number; readonly heapFull: boolean };

/** From this share of the bound on, accounts with more than their own share wait for others. */
const CROWDED = 0.85;
/** So many run even under the worst pressure: whatever presses then, it is not these. */
const MIN_IN_FLIGHT = 16;
/** Made once: refusing has to be cheap when there is no time for anything. */
const refusalsOf = (kind: Fault['kind'], message: string): readonly Fault[] =>
  // Callers who are refused together should not come back together.
  [1000, 2000, 3000].map((retryAfterMs) => ({ kind, message, retryAfterMs }));
const BUSY = refusalsOf('overloaded', 'The gateway is busy. Try again shortly.');
const KEY_BUSY = refusalsOf('over-rate', 'This API key has too many requests running at once.');

type Tally = { running: number };

class TakenSlot implements Slot {
  readonly #release: () => void;
  #released = false;

  constructor(release: () => void) {
    this.#release = release;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#release();
  }
}

export class InFlightLimits {
  readonly #bounds: () => InFlightBounds;
  readonly #pressure: PressureReading;
  readonly #random: () => number;
  readonly #byKey = new Map<string, Tally>();
  readonly #byAccount = new Map<string, Tally>();
  readonly #refusals = new Map<RefusalReason, number>(REFUSAL_REASONS.map((reason) => [reason, 0]));
  #total = 0;

  constructor(bounds: () => InFlightBounds, pressure: PressureReading, random: () => number) {
    this.#bounds = bounds;
    this.#pressure = pressure;
    this.#random = random;
  }

  get taken(): number {
    return this.#total;
  }

  /** How many were refused so far, by reason. */
  get refusals(): ReadonlyMap<RefusalReason, number> {
    return this.#refusals;
  }

  refusal(caller: Caller): Fault | undefined {
    const reason = this.#hardReason(caller) ?? this.#pressedReason(caller);
    return reason === undefined ? undefined : this.#refuse(reason);
  }

  take(caller: Caller): Slot | Fault {
    const reason = this.#hardReason(caller);
    if (reason !== undefined) return this.#refuse(reason);
    this.#total++;
    const ofKey = enter(this.#byKey, caller.keyId);
    const ofAccount = enter(this.#byAccount, caller.accountId);
    return new TakenSlot(() => {
      this.#total--;
      if (--ofKey.running === 0) this.#byKey.delete(caller.keyId);
      if (--ofAccount.running === 0) this.#byAccount.delete(caller.accountId);
    });
  }

  #hardReason({ keyId, accountId }: Caller): RefusalReason | undefined {
    const { inFlight, inFlightPerKey } = this.#bounds();
    if (this.#total >= inFlight) return 'in-flight';
    if ((this.#byKey.get(keyId)?.running ?? 0) >= inFlightPerKey) return 'in-flight-of-key';
    if (this.#total < CROWDED * inFlight) return undefined;
    const ofAccount = this.#byAccount.get(accountId)?.running ?? 0;
    const accounts = this.#byAccount.size + (ofAccount === 0 ? 1 : 0);
    return ofAccount * accounts > inFlight ? 'share' : undefined;
  }

  #pressedReason({ accountId }: Caller): RefusalReason | undefined {
    const { shed, heapFull } = this.#pressure;
    if ((shed === 0 && !heapFull) || this.#total < MIN_IN_FLIGHT) return undefined;
    if (heapFull) return 'memory';
    const ofAccount = this.#byAccount.get(accountId)?.running ?? 0;
    const accounts = this.#byAccount.size + (ofAccount === 0 ? 1 : 0);
    // With this request: 1 for an account with exactly its share of what runs, more for one with more.
    const weight = ((ofAccount + 1) * accounts) / (this.#total + 1);
    return this.#random() < shed * weight ? 'lag' : undefined;
  }

  #refuse(reason: RefusalReason): Fault {
    this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
    const faults = reason === 'in-flight-of-key' ? KEY_BUSY : BUSY;
    return faults[Math.floor(this.#random() * faults.length)]!;
  }
}

function enter(tallies: Map<string, Tally>, id: string): Tally {
  let tally = tallies.get(id);
  if (tally === undefined) {
    tally = { running: 0 };
    tallies.set(id, tally);
  }
  tally.running++;
  return tally;
}
