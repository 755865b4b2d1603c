/**
 * Load shedding: how many requests may run at once, in total and per key, and how many bytes of bodies they may hold.
 * Near the limits, accounts above their fair share are refused first. Counted in memory, from a request's headers on.
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

/** The load of this process, as the limits read it. */
export type PressureReading = { readonly shed: number; readonly memoryFull: boolean };

/** From this fraction of the limit on, accounts above their fair share are refused. */
const CROWDED = 0.85;
/** At least this many run even at the highest pressure: so few cannot be its cause. */
const MIN_IN_FLIGHT = 16;
/** Maximum fraction of the body bytes that one account may hold, so that others have room. */
const ACCOUNT_SHARE = 0.5;
/** Allocated once: refusing must be cheap under load. */
const refusalsOf = (kind: Fault['kind'], message: string): readonly Fault[] =>
  // Staggered, so that callers who are refused together do not retry together.
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
  readonly #reserve: (bytes: number, ownBytes: number) => Fault | undefined;
  readonly #release: (bodyBytes: number) => void;
  #bodyBytes = 0;
  #released = false;

  /** `ownBytes`: what this place has reserved before. */
  constructor(reserve: (bytes: number, ownBytes: number) => Fault | undefined, release: (bodyBytes: number) => void) {
    this.#reserve = reserve;
    this.#release = release;
  }

  reserve(bytes: number): Fault | undefined {
    if (this.#released) return undefined;
    const fault = this.#reserve(bytes, this.#bodyBytes);
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

  /** Bytes reserved for the bodies of all running requests. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /** Refusals so far, by reason. */
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
      (bytes, ownBytes) => this.#reserve(ofAccount, bytes, ownBytes),
      (bodyBytes) => {
        this.#total--;
        this.#bodyBytes -= bodyBytes;
        ofAccount.bodyBytes -= bodyBytes;
        if (--ofKey.running === 0) this.#byKey.delete(caller.keyId);
        if (--ofAccount.running === 0) this.#byAccount.delete(caller.accountId);
      },
    );
  }

  /** While no other body is held, one is accepted whatever its size: no setting makes a legal body impossible. */
  #reserve(ofAccount: Tally, bytes: number, ownBytes: number): Fault | undefined {
    const { bufferedBodyBytes } = this.#bounds();
    if (this.#bodyBytes > ownBytes && this.#bodyBytes + bytes > bufferedBodyBytes) return this.#refuse('body-bytes');
    if (ofAccount.bodyBytes > ownBytes && ofAccount.bodyBytes + bytes > bufferedBodyBytes * ACCOUNT_SHARE)
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

function enter(tallies: Map<string, Tally>, id: string): Tally {
  let tally = tallies.get(id);
  if (tally === undefined) {
    tally = { running: 0, bodyBytes: 0 };
    tallies.set(id, tally);
  }
  tally.running++;
  return tally;
}

// Pressure: which fraction of new requests to refuse so that the rest are served in time. Updated ten times a second,
// or once per turn of the event loop if that takes longer, with the event loop delay and the use of heap and memory;
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
