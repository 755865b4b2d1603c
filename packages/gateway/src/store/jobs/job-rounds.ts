/**
 * Takes jobs from the queue when they are due, as many as there is room for. Jobs run independently, so that a slow one
 * occupies only its own slot; while one runs, this node sends heartbeats for it.
 */
import { Rounds } from '../../kernel/rounds.ts';

/** The queue accepts reports about a job only for its current attempt. */
type Attempt = { readonly id: string; readonly retryCount: number };

/** The part of pg-boss's interface that is used. */
export interface JobQueue {
  fetch<Data>(queue: string, options: { batchSize: number }): Promise<readonly (Attempt & { readonly data: Data })[]>;
  complete(queue: string, jobs: Attempt[]): Promise<unknown>;
  fail(queue: string, jobs: Attempt[]): Promise<unknown>;
  touch(queue: string, jobs: Attempt[]): Promise<unknown>;
}

export type RoundSettings = {
  readonly queue: string;
  /** Pause between polls while jobs run, or while this node would not hear of new ones. */
  readonly everyMs: number;
  /** Longest pause: a job may be sent back to the queue without notice, by a node that died. */
  readonly restMs: number;
  /** After this time the queue gives a failed job again. */
  readonly retryMs: number;
  /** Whether this node hears of every new job. */
  readonly isNotified: () => boolean;
  /** Heartbeat interval; well below the time after which the queue considers a job dead. */
  readonly heartbeatMs: number;
  /** Jobs taken per poll, so that other nodes get their share of a burst. */
  readonly perPoll: number;
  readonly maxConcurrent: number;
  readonly onTrouble: (error: unknown) => void;
};

/** How many times are remembered; jobs beyond that wait for the next poll. */
const MAX_DUES = 2000;

type Outcome = 'completed' | 'failed';

export class JobRounds<Data extends object> {
  readonly #boss: JobQueue;
  readonly #settings: RoundSettings;
  readonly #work: (data: Data) => Promise<void>;
  readonly #underWay = new Map<Attempt, Promise<void>>();
  /** Ended, but not reported to the queue yet. Bounded: these jobs keep their slots until then. */
  readonly #over = new Map<Attempt, Outcome>();
  /** When waiting jobs are due, in steps of `everyMs`. */
  readonly #dues = new Set<number>();
  // The next round retries an unreachable database; until then nothing is lost.
  readonly #rounds = new Rounds({
    run: () => this.#goRound(),
    pauseMs: () => this.#pauseMs(),
    onTrouble: (error) => this.#settings.onTrouble(error),
  });
  #heartbeatAtMs = 0;

  constructor(boss: JobQueue, settings: RoundSettings, work: (data: Data) => Promise<void>) {
    this.#boss = boss;
    this.#settings = settings;
    this.#work = work;
  }

  start(): void {
    this.#rounds.start(0);
  }

  /** A job was sent to the queue, by any node, and is due after this time. */
  expect(inMs: number): void {
    if (inMs > 0) this.#dueIn(inMs);
    this.#rounds.wake();
  }

  /** Running jobs may end within the limit; the others are returned for another node to take. */
  async stop(limitMs: number): Promise<void> {
    await this.#rounds.stop();
    await Promise.race([Promise.all(this.#underWay.values()), afterMs(limitMs)]);
    for (const job of this.#underWay.keys()) this.#over.set(job, 'failed');
    await this.#settle().catch(this.#settings.onTrouble);
  }

  #dueIn(ms: number): void {
    const { everyMs } = this.#settings;
    if (this.#dues.size < MAX_DUES) this.#dues.add(Math.ceil((performance.now() + ms) / everyMs) * everyMs);
  }

  #pauseMs(): number {
    const { everyMs, restMs, isNotified } = this.#settings;
    if (this.#underWay.size > 0 || this.#over.size > 0 || !isNotified()) return everyMs;
    return Math.max(everyMs, Math.min(restMs, Math.min(...this.#dues) - performance.now()));
  }

  async #goRound(): Promise<void> {
    const { perPoll, maxConcurrent } = this.#settings;
    const beganMs = performance.now();
    await this.#settle();
    await this.#sendHeartbeats();
    for (let isMore = true; isMore && !this.#rounds.isStopped; ) {
      const room = Math.min(perPoll, maxConcurrent - this.#underWay.size - this.#over.size);
      isMore = room > 0 && (await this.#take(room)) === room;
    }
    for (const dueMs of this.#dues) if (dueMs <= beganMs) this.#dues.delete(dueMs);
  }

  async #take(room: number): Promise<number> {
    const jobs = await this.#boss.fetch<Data>(this.#settings.queue, { batchSize: room });
    for (const job of jobs) this.#begin(job);
    return jobs.length;
  }

  #begin({ id, retryCount, data }: Attempt & { readonly data: Data }): void {
    const attempt: Attempt = { id, retryCount };
    const end = (outcome: Outcome): void => {
      this.#underWay.delete(attempt);
      this.#over.set(attempt, outcome);
    };
    const work = this.#work(data).then(
      () => end('completed'),
      () => end('failed'),
    );
    this.#underWay.set(attempt, work);
  }

  async #settle(): Promise<void> {
    const { queue, retryMs } = this.#settings;
    for (const outcome of ['completed', 'failed'] as const) {
      const jobs = [...this.#over].filter(([, how]) => how === outcome).map(([job]) => job);
      if (jobs.length === 0) continue;
      await (outcome === 'completed' ? this.#boss.complete(queue, jobs) : this.#boss.fail(queue, jobs));
      for (const job of jobs) this.#over.delete(job);
      if (outcome === 'failed') this.#dueIn(retryMs);
    }
  }

  async #sendHeartbeats(): Promise<void> {
    const { queue, heartbeatMs } = this.#settings;
    if (this.#underWay.size === 0 || performance.now() - this.#heartbeatAtMs < heartbeatMs) return;
    await this.#boss.touch(queue, [...this.#underWay.keys()]);
    this.#heartbeatAtMs = performance.now();
  }
}

/** Does not keep the process alive. */
const afterMs = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());
