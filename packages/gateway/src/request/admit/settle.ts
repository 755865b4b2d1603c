/**
 * The end of a request, exactly once, however it came about: the hold is settled or released, the slot given back and
 * the record written. Closing again does nothing, so every exit may close without asking.
 */
import type { RateNote } from '@trivium/protocol/dialects';
import type { Hold, Slot } from '../../kernel/admission.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { AttemptRecord, Bill, Outcome, Recorder } from '../../kernel/record.ts';
import type { Planned } from '../request.ts';

/** Let in: it runs until its settlement is closed. */
export type Admitted = Planned & { readonly settlement: Settlement };

export class Settlement {
  readonly attempts: AttemptRecord[] = [];
  readonly #planned: Planned;
  readonly #slot: Slot;
  readonly #hold: Hold;
  readonly #clock: Clock;
  readonly #record: Recorder;
  #closed = false;

  constructor(planned: Planned, slot: Slot, hold: Hold, clock: Clock, record: Recorder) {
    this.#planned = planned;
    this.#slot = slot;
    this.#hold = hold;
    this.#clock = clock;
    this.#record = record;
  }

  /** What is left of the caller's limits by the minute. */
  get rate(): RateNote | undefined {
    return this.#slot.rate;
  }

  /** `stop`: the account can pay for no more of it. */
  meter(bill: () => Bill): 'go' | 'stop' {
    return this.#hold.meter === undefined || this.#closed ? 'go' : this.#hold.meter(bill());
  }

  /** What closing with this bill will charge, for answers that tell it before they are settled. */
  chargeOf(bill: Bill): bigint {
    return this.#hold.chargeOf?.(bill) ?? bill.cost.nanoUsd;
  }

  close(outcome: Outcome): void {
    if (this.#closed) return;
    this.#closed = true;
    // Each of the three happens even where another one fails.
    try {
      this.#slot.release(outcome.bill);
    } finally {
      try {
        if (outcome.bill === undefined) this.#hold.release();
        else this.#hold.settle(outcome.bill);
      } finally {
        this.#write(outcome);
      }
    }
  }

  #write(outcome: Outcome): void {
    const { id, protocol, caller, model, understanding, leftOut, decidedBy, weighed, inputBounds } = this.#planned;
    const { receivedAtMs, startedAtMs } = this.#planned;
    // Every member by its name: all records have one form, and a spread costs more than the rest.
    this.#record({
      how: outcome.how,
      fault: outcome.fault,
      reading: outcome.reading,
      bill: outcome.bill,
      chargedNanoUsd: this.#hold.chargedNanoUsd,
      provider: outcome.provider,
      lane: outcome.lane,
      laneWhy: outcome.laneWhy,
      losses: outcome.losses,
      firstByteAtMs: outcome.firstByteAtMs,
      requestId: id,
      protocol,
      accountId: caller.accountId,
      keyId: caller.keyId,
      modelId: outcome.modelId ?? model.id,
      stream: understanding.stream,
      attempts: this.attempts,
      leftOut,
      decidedBy,
      weighed,
      inputBounds,
      receivedAtMs,
      durationMs: this.#clock.monotonicMs() - startedAtMs,
      firstByteMs: outcome.firstByteAtMs === undefined ? undefined : outcome.firstByteAtMs - startedAtMs,
      metadata: understanding.metadata,
    });
  }
}
