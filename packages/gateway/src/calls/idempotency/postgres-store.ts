/**
 * Answers by Idempotency-Key in PostgreSQL, so that all nodes together make one call. A key belongs to the request that
 * makes its call for as long as that request's node sends heartbeats; after that, a waiting request takes it over.
 */
import { hash } from 'node:crypto';
import { GatewayError } from '@trivium/protocol/canonical';
import { every, pause } from '../../kernel/clock.ts';
import type { IdempotencyClaim, IdempotencyStore, Reservation, StoredAnswer } from '../../kernel/idempotency.ts';
import type { RepeatOwner, RepeatRows } from '../../store/postgres/repeat-rows.ts';
import type { AnswerSeals } from './answer-seals.ts';
import { type RepeatBounds, stillRunning } from './bounds.ts';

export type PostgresIdempotencyOptions = {
  readonly rows: RepeatRows;
  readonly seals: AnswerSeals;
  readonly bounds: () => RepeatBounds;
  /** Interval of a node's heartbeats; well below the time after which it counts as dead. */
  readonly renewMs: number;
  readonly nowMs: () => number;
  readonly onTrouble: (error: unknown) => void;
};

const SHORTEST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 250;
/** Retries of an answer that cannot be stored: without it, waiting requests would make the call again. */
const SAVE_TRIES = 60;
const SAVE_PAUSE_MS = 500;
const SWEEP_EVERY_MS = 60_000;

const unsure = (cause: unknown): GatewayError =>
  new GatewayError(
    { kind: 'overloaded', message: 'Idempotency keys cannot be checked at the moment. Try again later.' },
    { cause },
  );

export class PostgresIdempotencyStore implements IdempotencyStore {
  readonly #options: PostgresIdempotencyOptions;
  readonly #stopTending: () => void;
  readonly #saving = new Set<Promise<void>>();
  #running = 0;
  #sweptAtMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: PostgresIdempotencyOptions) {
    this.#options = options;
    this.#stopTending = every(options.renewMs, () => this.#tend(), options.onTrouble);
  }

  get maxAnswerLength(): number {
    return this.#options.bounds().maxAnswerBytes;
  }

  async claim(request: Parameters<IdempotencyStore['claim']>[0]): Promise<IdempotencyClaim> {
    const { rows, seals, bounds, nowMs } = this.#options;
    const { ttlMs, waitMs } = bounds();
    const content = hash('sha256', request.content, 'buffer');
    const untilMs = nowMs() + waitMs;
    for (let lookMs = SHORTEST_LOOK_MS; ; lookMs = Math.min(2 * lookMs, LONGEST_LOOK_MS)) {
      const found = await rows.take(request, content, ttlMs).catch((error: unknown) => {
        throw unsure(error);
      });
      if (found.kind === 'taken') return { kind: 'first', keeping: this.#keepingOf(request) };
      if (found.kind === 'sealed') {
        const answer = await seals
          .open({ ...request, requestId: found.requestId }, found.answer)
          .catch((error: unknown) => {
            throw unsure(error);
          });
        return { kind: 'kept', answer };
      }
      if (found.kind !== 'running') return found;
      if (nowMs() + lookMs > untilMs) throw stillRunning();
      await pause(lookMs);
    }
  }

  /** Stores finished answers first. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopTending();
    await Promise.all(this.#saving);
  }

  #keepingOf(owner: RepeatOwner): Reservation {
    const { rows } = this.#options;
    this.#running += 1;
    let over = false;
    const end = (work: () => Promise<void>): void => {
      if (over) return;
      over = true;
      const saving = this.#save(work);
      this.#saving.add(saving);
      void saving.then(() => {
        this.#running -= 1;
        this.#saving.delete(saving);
      });
    };
    return {
      keep: (answer) => end(() => this.#keep(owner, answer)),
      tooLong: () => end(() => rows.tooLong(owner)),
      forget: () => end(() => rows.forget(owner)),
    };
  }

  /** The account's content may be erased meanwhile, and its key with it: the retry finds another. */
  async #keep(owner: RepeatOwner, answer: StoredAnswer): Promise<void> {
    const { rows, seals } = this.#options;
    const sealed = await seals.seal(owner, answer);
    await (sealed === undefined ? rows.keep(owner, answer) : rows.keepSealed(owner, sealed));
  }

  async #save(work: () => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await work();
        return;
      } catch (error) {
        this.#options.onTrouble(error);
        if (this.#closed || tries === SAVE_TRIES) return;
        await pause(SAVE_PAUSE_MS);
      }
    }
  }

  async #tend(): Promise<void> {
    const { rows, nowMs } = this.#options;
    if (this.#running > 0) await rows.renew();
    if (nowMs() - this.#sweptAtMs < SWEEP_EVERY_MS) return;
    this.#sweptAtMs = nowMs();
    await rows.sweep();
  }
}
