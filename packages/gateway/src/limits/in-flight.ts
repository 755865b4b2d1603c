/**
 * How many requests may run at once, over all and for one key, and how many bytes of bodies they may hold; and when there is
 * not room for all, whose go first: those of accounts that have more than their share. Counted in memory, from the head on.
 */
import type { Fault } from '@trivium/protocol/canonical';
import type { Caller } from '../accounts/caller.ts';
import type { Place } from '../kernel/admission.ts';

const REFUSAL_REASONS = [
  'in-flight',
  'in-flight-of-key',
  'share',
  'lag',
  'memory',
  'body-bytes',
  'body-bytes-of-account',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export type InFlightBounds = {
  readonly inFlight: number;
  readonly inFlightPerKey: number;
  readonly bufferedBodyBytes: number;
};

/** What the limits must know of the process they run in. */
export type PressureReading = { readonly shed: number; readonly memoryFull: boolean };

/** From this share of the bound on, accounts with more than their own share wait for others. */
const CROWDED = 0.85;
/** So many run even under the worst pressure: whatever presses then, it is not these. */
const MIN_IN_FLIGHT = 16;
/** Of the bytes for bodies, one account may hold so much: what it sends leaves room for others. */
const ACCOUNT_SHARE = 0.5;
/** Made once: refusing has to be cheap when there is no time for anything. */
const refusalsOf = (kind: Fault['kind'], message: string): readonly Fault[] =>
  // Callers who are refused together should not come back together.
  [1000, 2000, 3000].map((retryAfterMs) => ({ kind, message, retryAfterMs }));
const BUSY = refusalsOf('overloaded', 'The gateway is busy. Try again shortly.');
const KEY_BUSY = refusalsOf('over-rate', 'This API key has too many requests running at once.');
const BODIES_FULL = refusalsOf(
  'overloaded',
  'The gateway holds as many bytes of request bodies as it may. Try again shortly.',
);
const ACCOUNT_BODIES_FULL = refusalsOf(
  'over-rate',
  'This account has too many bytes of request bodies in flight at once. Send fewer or smaller requests at a time.',
);
const FAULTS: Readonly<Partial<Record<RefusalReason, readonly Fault[]>>> = {
  'in-flight-of-key': KEY_BUSY,
  'body-bytes': BODIES_FULL,
  'body-bytes-of-account': ACCOUNT_BODIES_FULL,
};

type Tally = { running: number; bodyBytes: number };

class TakenPlace implements Place {
  readonly #reserve: (bytes: number) => Fault | undefined;
  readonly #release: (bodyBytes: number) => void;
  #bodyBytes = 0;
  #released = false;

  constructor(reserve: (bytes: number) => Fault | undefined, release: (bodyBytes: number) => void) {
    this.#reserve = reserve;
    this.#release = release;
  }

  reserve(bytes: number): Fault | undefined {
    if (this.#released) return undefined;
    const fault = this.#reserve(bytes);
    if (fault === undefined) this.#bodyBytes += bytes;
    return fault;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#release(this.#bodyBytes);
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
  #bodyBytes = 0;

  constructor(bounds: () => InFlightBounds, pressure: PressureReading, random: () => number) {
    this.#bounds = bounds;
    this.#pressure = pressure;
    this.#random = random;
  }

  get taken(): number {
    return this.#total;
  }

  /** What the bodies of all of them take up, or may. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /** How many were refused so far, by reason. */
  get refusals(): ReadonlyMap<RefusalReason, number> {
    return this.#refusals;
  }

  enter(caller: Caller): Place | Fault {
    const reason = this.#hardReason(caller) ?? this.#pressedReason(caller);
    if (reason !== undefined) return this.#refuse(reason);
    this.#total++;
    const ofKey = enter(this.#byKey, caller.keyId);
    const ofAccount = enter(this.#byAccount, caller.accountId);
    return new TakenPlace(
      (bytes) => this.#reserve(ofAccount, bytes),
      (bodyBytes) => {
        this.#total--;
        this.#bodyBytes -= bodyBytes;
        ofAccount.bodyBytes -= bodyBytes;
        if (--ofKey.running === 0) this.#byKey.delete(caller.keyId);
        if (--ofAccount.running === 0) this.#byAccount.delete(caller.accountId);
      },
    );
  }

  /** Where there is nothing yet, one body is taken whatever its size: no setting makes a legal body impossible. */
  #reserve(ofAccount: Tally, bytes: number): Fault | undefined {
    const { bufferedBodyBytes } = this.#bounds();
    if (this.#bodyBytes > 0 && this.#bodyBytes + bytes > bufferedBodyBytes) return this.#refuse('body-bytes');
    if (ofAccount.bodyBytes > 0 && ofAccount.bodyBytes + bytes > bufferedBodyBytes * ACCOUNT_SHARE)
      return this.#refuse('body-bytes-of-account');
    this.#bodyBytes += bytes;
    ofAccount.bodyBytes += bytes;
    return undefined;
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
    const { shed, memoryFull } = this.#pressure;
    if ((shed === 0 && !memoryFull) || this.#total < MIN_IN_FLIGHT) return undefined;
    if (memoryFull) return 'memory';
    const ofAccount = this.#byAccount.get(accountId)?.running ?? 0;
    const accounts = this.#byAccount.size + (ofAccount === 0 ? 1 : 0);
    // With this request: 1 for an account with exactly its share of what runs, more for one with more.
    const weight = ((ofAccount + 1) * accounts) / (this.#total + 1);
    return this.#random() < shed * weight ? 'lag' : undefined;
  }

  #refuse(reason: RefusalReason): Fault {
    this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
    const faults = FAULTS[reason] ?? BUSY;
    return faults[Math.floor(this.#random() * faults.length)]!;
  }
}

function enter(tallies: Map<string, Tally>, id: string): Tally {
  let tally = tallies.get(id);
  if (tally === undefined) {
    tally = { running: 0, bodyBytes: 0 };
    tallies.set(id, tally);
  }
  tally.running++;
  return tally;
}
