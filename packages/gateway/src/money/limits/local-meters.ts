/**
 * Limits counted in this process: the whole limit, or the share of one of several processes that cannot count together.
 */
import type { RateFigure } from '@trivium/protocol/dialects';
import { type LimitClaim, type LimitRefusal, PLACE_WAIT_MS, rateOf } from './claims.ts';
import { type RateLimit, unitsLeft } from './gcra.ts';
import { MeterBoard } from './meter-board.ts';
import { type Meters, RunningCounts } from './meters.ts';

export class LocalMeters implements Meters {
  readonly #monotonicMs: () => number;
  readonly #shares: () => number;
  readonly #running: RunningCounts;
  readonly #board = new MeterBoard();

  constructor(monotonicMs: () => number, shares: () => number, running = new RunningCounts()) {
    this.#monotonicMs = monotonicMs;
    this.#shares = shares;
    this.#running = running;
  }

  take(claims: readonly LimitClaim[]): LimitRefusal | undefined {
    const shares = this.#shares();
    const places = claims.filter(isPlace);
    for (const claim of places)
      if (this.#running.of(claim.name) >= placesOf(claim, shares)) return { claim, waitMs: PLACE_WAIT_MS };
    const rated = claims
      .filter((claim) => !isPlace(claim))
      .map((claim): LimitClaim & { rate: RateLimit } => ({ ...claim, rate: rateOf(claim, shares) }));
    const refusal = this.#board.take(rated, this.#monotonicMs());
    if (refusal !== undefined) return refusal;
    for (const { name } of places) this.#running.enter(name);
    return undefined;
  }

  correct(claim: LimitClaim, units: number): void {
    this.#board.charge({ ...claim, units, rate: rateOf(claim, this.#shares()) }, this.#monotonicMs());
  }

  leave({ name }: LimitClaim): void {
    this.#running.leave(name);
  }

  figureOf(claim: LimitClaim): RateFigure {
    const nowMs = this.#monotonicMs();
    const paidAtMs = this.#board.paidAtMs(claim.name);
    return {
      limit: claim.limit,
      remaining: unitsLeft(paidAtMs, nowMs, rateOf(claim, this.#shares())),
      resetMs: Math.max(0, paidAtMs - nowMs),
    };
  }
}

const isPlace = ({ measure }: LimitClaim): boolean => measure === 'at-once';

/** At least one slot: a smaller share would admit nothing at all. */
const placesOf = ({ limit }: LimitClaim, shares: number): number => Math.max(1, Math.floor(limit / shares));
