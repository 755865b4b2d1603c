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

// How hard the process is pressed: which share of new requests has to go for those it has to be served in time. Told ten
// times a second, or as often as the loop turns, how long the event loop keeps everybody waiting and how full heap and memory are; asked once per request.

export type PressureBounds = {
  /** A sustained delay of the event loop that is no longer acceptable; 0 takes no notice of it. */
  readonly lagMs: number;
  /** How much of the heap may be in use before nothing new is taken. */
  readonly heapShare: number;
  /** How much of the memory it may have may be resident, buffers outside the heap included, before nothing new is taken. */
  readonly residentShare: number;
};

/** How full the memory of the process is, as shares of what it may have. */
export type MemoryReading = { readonly heapShare: number; readonly residentShare: number };

/** Delay must last so long, and over more than one period, before anybody is refused: a pause is no load. */
const SUSTAINED_MS = 300;
/** Delay counts against the goal by how far it is off, and by whether it grows: a controller for queues, as in RFC 8033. */
const BY_DISTANCE = 0.1;
const BY_TREND = 0.2;
/** One terrible period tells no more than one this many times too slow, and as many times too long. */
const MAX_RATIO = 5;
const PERIOD_MS = 100;
/** Above 1, so that callers with a tenth of their share can be refused as well if all others already are. */
const MAX_SHED = 4;
/** Once the loop keeps up easily, what remains of the pressure goes quickly: all of it within a second or so. */
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

  /** The share of requests to refuse, of a caller that has exactly its own share of what runs. */
  get shed(): number {
    return this.#shed;
  }

  get memoryFull(): boolean {
    return this.#memoryFull;
  }

  /** After each period, with the shortest delay seen in it: what even the luckiest had to wait. */
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
