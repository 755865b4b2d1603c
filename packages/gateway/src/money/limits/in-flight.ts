/**
 * Load shedding: how many requests may run at once, in total and per key, and how much memory their bodies may take.
 * Near the limits, accounts above their fair share are refused first. Counted in memory, from a request's headers on.
 */
import type { Fault } from '@trivium/protocol/canonical';
import type { Place } from '../../kernel/admission.ts';
import type { Caller } from '../../kernel/caller.ts';
import { MEMORY_FACTOR, SMALL_BODY } from '../../kernel/memory.ts';
import type { AccountMemory, MemoryBook, MemoryRefusal } from './memory-book.ts';

const REFUSAL_REASONS = [
  'in-flight',
  'in-flight-of-key',
  'share',
  'lag',
  'memory',
  'held-memory',
  'held-memory-of-account',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export type InFlightBounds = {
  readonly inFlight: number;
  readonly inFlightPerKey: number;
};

/** The load of this process, as the limits read it. */
export type PressureReading = { readonly shed: number; readonly memoryFull: boolean };

/** From this fraction of the limit on, accounts above their fair share are refused. */
const CROWDED = 0.85;
/** At least this many run even at the highest pressure: so few cannot be its cause. */
const MIN_IN_FLIGHT = 16;
/** Allocated once: refusing must be cheap under load. */
const refusalsOf = (kind: Fault['kind'], message: string): readonly Fault[] =>
  // Staggered, so that callers who are refused together do not retry together.
  [1000, 2000, 3000].map((retryAfterMs) => ({ kind, message, retryAfterMs }));
const BUSY = refusalsOf('overloaded', 'The gateway is busy. Try again shortly.');
const KEY_BUSY = refusalsOf('over-rate', 'This API key has too many requests running at once.');
const MEMORY_FULL = refusalsOf(
  'overloaded',
  'The memory of the gateway for requests and answers is used up. Try again shortly.',
);
const ACCOUNT_MEMORY_FULL = refusalsOf(
  'over-rate',
  'The requests and answers of this account take too much memory at once. Send fewer or smaller requests at a time, and read answers without delay.',
);
const FAULTS: Readonly<Partial<Record<RefusalReason, readonly Fault[]>>> = {
  'in-flight-of-key': KEY_BUSY,
  'held-memory': MEMORY_FULL,
  'held-memory-of-account': ACCOUNT_MEMORY_FULL,
};
const REASONS: Readonly<Record<MemoryRefusal, RefusalReason>> = {
  share: 'held-memory-of-account',
  full: 'held-memory',
};

type Tally = { readonly id: string; running: number };
/** `memory`: undefined until one of its bodies is counted. */
type AccountTally = Tally & { memory: AccountMemory | undefined };

class TakenPlace implements Place {
  readonly #limits: InFlightLimits;
  readonly #ofKey: Tally;
  readonly #ofAccount: AccountTally;
  #heldBytes = 0;
  /** Of a body that is small so far. */
  #uncounted = 0;
  #released = false;

  constructor(limits: InFlightLimits, ofKey: Tally, ofAccount: AccountTally) {
    this.#limits = limits;
    this.#ofKey = ofKey;
    this.#ofAccount = ofAccount;
  }

  get accountId(): string {
    return this.#ofAccount.id;
  }

  reserve(bytes: number): Fault | undefined {
    if (this.#released || bytes === 0) return undefined;
    const uncounted = this.#uncounted + bytes;
    if (this.#heldBytes === 0 && uncounted <= SMALL_BODY) {
      this.#uncounted = uncounted;
      return undefined;
    }
    this.#uncounted = 0;
    const counted = uncounted * MEMORY_FACTOR.body;
    const fault = this.#limits.reserve(this.#ofAccount, counted, this.#heldBytes);
    if (fault === undefined) this.#heldBytes += counted;
    return fault;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#limits.release(this.#ofKey, this.#ofAccount, this.#heldBytes);
  }
}

export class InFlightLimits {
  readonly #bounds: () => InFlightBounds;
  readonly #pressure: PressureReading;
  readonly #random: () => number;
  readonly #memory: MemoryBook;
  readonly #byKey = new Map<string, Tally>();
  readonly #byAccount = new Map<string, AccountTally>();
  readonly #refusals = new Map<RefusalReason, number>(REFUSAL_REASONS.map((reason) => [reason, 0]));
  #total = 0;
  /** Called with the next request that enters; absent while no one waits for it. */
  onEnter: (() => void) | undefined;

  constructor(bounds: () => InFlightBounds, pressure: PressureReading, random: () => number, memory: MemoryBook) {
    this.#bounds = bounds;
    this.#pressure = pressure;
    this.#random = random;
    this.#memory = memory;
  }

  get taken(): number {
    return this.#total;
  }

  /** Refusals so far, by reason. */
  get refusals(): ReadonlyMap<RefusalReason, number> {
    return this.#refusals;
  }

  enter({ keyId, accountId }: Caller): Place | Fault {
    const reason = this.#hardReason(keyId, accountId) ?? this.#pressedReason(accountId);
    if (reason !== undefined) return this.#refuse(reason);
    this.#total++;
    this.onEnter?.();
    let ofKey = this.#byKey.get(keyId);
    if (ofKey === undefined) {
      ofKey = { id: keyId, running: 0 };
      this.#byKey.set(keyId, ofKey);
    }
    let ofAccount = this.#byAccount.get(accountId);
    if (ofAccount === undefined) {
      ofAccount = { id: accountId, running: 0, memory: undefined };
      this.#byAccount.set(accountId, ofAccount);
    }
    ofKey.running++;
    ofAccount.running++;
    return new TakenPlace(this, ofKey, ofAccount);
  }

  /** For places. `ownBytes`: what the place has reserved before. */
  reserve(ofAccount: AccountTally, bytes: number, ownBytes: number): Fault | undefined {
    ofAccount.memory ??= this.#memory.enter(ofAccount.id);
    const refusal = this.#memory.take(ofAccount.memory, 'body', bytes, ownBytes);
    return refusal === undefined ? undefined : this.#refuse(REASONS[refusal]);
  }

  /** For places; once for each. */
  release(ofKey: Tally, ofAccount: AccountTally, bytes: number): void {
    this.#total--;
    if (--ofKey.running === 0) this.#byKey.delete(ofKey.id);
    const { memory } = ofAccount;
    if (memory !== undefined && bytes > 0) this.#memory.give(memory, 'body', bytes);
    if (--ofAccount.running > 0) return;
    this.#byAccount.delete(ofAccount.id);
    if (memory !== undefined) this.#memory.leave(memory);
  }

  #hardReason(keyId: string, accountId: string): RefusalReason | undefined {
    const { inFlight, inFlightPerKey } = this.#bounds();
    if (this.#total >= inFlight) return 'in-flight';
    if ((this.#byKey.get(keyId)?.running ?? 0) >= inFlightPerKey) return 'in-flight-of-key';
    if (this.#total < CROWDED * inFlight) return undefined;
    const ofAccount = this.#byAccount.get(accountId)?.running ?? 0;
    const accounts = this.#byAccount.size + (ofAccount === 0 ? 1 : 0);
    return ofAccount * accounts > inFlight ? 'share' : undefined;
  }

  #pressedReason(accountId: string): RefusalReason | undefined {
    const { shed, memoryFull } = this.#pressure;
    if ((shed === 0 && !memoryFull) || this.#total < MIN_IN_FLIGHT) return undefined;
    if (memoryFull) return 'memory';
    const ofAccount = this.#byAccount.get(accountId)?.running ?? 0;
    const accounts = this.#byAccount.size + (ofAccount === 0 ? 1 : 0);
    // Including this request: 1 for an account with exactly its fair share of running requests, more above it.
    const weight = ((ofAccount + 1) * accounts) / (this.#total + 1);
    return this.#random() < shed * weight ? 'lag' : undefined;
  }

  #refuse(reason: RefusalReason): Fault {
    this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
    const faults = FAULTS[reason] ?? BUSY;
    return faults[Math.floor(this.#random() * faults.length)]!;
  }
}

// Pressure: which fraction of new requests to refuse so that the rest are served in time. Updated ten times a second
// while requests run, or once per turn of the event loop if that takes longer, with the event loop delay and the use of heap and memory;
// read once per request.

export type PressureBounds = {
  /** The highest acceptable sustained event loop delay; 0 disables this check. */
  readonly lagMs: number;
  /** Fraction of the heap limit in use from which no new requests are accepted. */
  readonly heapShare: number;
  /**
   * Fraction of the memory limit that may be resident, off-heap buffers included, before no new requests are accepted.
   */
  readonly residentShare: number;
};

/** Memory in use, as fractions of the limits. */
export type MemoryReading = { readonly heapShare: number; readonly residentShare: number };

/** Delay must last this long, and longer than one period, before a request is refused: a single pause is not load. */
const SUSTAINED_MS = 300;
/**
 * Gains of the controller: shedding follows the distance of the delay from its target, and its trend, as PIE does (RFC
 * 8033).
 */
const BY_DISTANCE = 0.1;
const BY_TREND = 0.2;
/** Caps one period's delay, relative to its target, and its length, relative to 100 ms. */
const MAX_RATIO = 5;
const PERIOD_MS = 100;
/** Above 1, so that callers with a tenth of their share can be refused as well once all others are. */
const MAX_SHED = 4;
/** When the delay falls below this ratio of its target, shedding decays quickly: to zero within about a second. */
const EASY_RATIO = 0.25;
const EASING = 0.6;
const LEAST_SHED = 0.01;

export class Pressure {
  readonly #bounds: () => PressureBounds;
  #shed = 0;
  #slowMs = 0;
  #lastRatio = 0;
  #memoryFull = false;

  constructor(bounds: () => PressureBounds) {
    this.#bounds = bounds;
  }

  /** The fraction of requests to refuse from a caller with exactly its fair share of running requests. */
  get shed(): number {
    return this.#shed;
  }

  get memoryFull(): boolean {
    return this.#memoryFull;
  }

  /** Called after each period with the shortest delay seen in it: the least that any task had to wait. */
  observe(lagMs: number, memory: MemoryReading, periodMs: number): void {
    const bounds = this.#bounds();
    this.#memoryFull = memory.heapShare >= bounds.heapShare || memory.residentShare >= bounds.residentShare;
    const ratio = bounds.lagMs === 0 ? 0 : Math.min(MAX_RATIO, lagMs / bounds.lagMs);
    this.#shed = this.#next(ratio, periodMs);
    this.#lastRatio = ratio;
  }

  #next(ratio: number, periodMs: number): number {
    const isFirst = this.#slowMs === 0;
    this.#slowMs = ratio > 1 ? this.#slowMs + periodMs : 0;
    if (this.#shed === 0 && (isFirst || this.#slowMs < SUSTAINED_MS)) return 0;
    const byDistance = BY_DISTANCE * (ratio - 1) * Math.min(MAX_RATIO, periodMs / PERIOD_MS);
    const drift = byDistance + BY_TREND * (ratio - this.#lastRatio);
    const next = Math.min(MAX_SHED, Math.max(0, this.#shed + drift)) * (ratio < EASY_RATIO ? EASING : 1);
    return next < LEAST_SHED ? 0 : next;
  }
}
