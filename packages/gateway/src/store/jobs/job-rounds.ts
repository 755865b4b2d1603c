/**
 * Polls the queue for jobs at short intervals, and takes as many as there is room for. Jobs run independently, so that
 * a slow one occupies only its own slot; while one runs, this node sends heartbeats for it.
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
  readonly everyMs: number;
  /** Heartbeat interval; well below the time after which the queue considers a job dead. */
  readonly heartbeatMs: number;
  /** Jobs taken per poll, so that other nodes get their share of a burst. */
  readonly perPoll: number;
  readonly maxConcurrent: number;
  readonly onTrouble: (error: unknown) => void;
};

type Outcome = 'completed' | 'failed';

export class JobRounds<Data extends object> {
  readonly #boss: JobQueue;
  readonly #settings: RoundSettings;
  readonly #work: (data: Data) => Promise<void>;
  readonly #underWay = new Map<Attempt, Promise<void>>();
  /** Ended, but not reported to the queue yet. Bounded: these jobs keep their slots until then. */
  readonly #over = new Map<Attempt, Outcome>();
  // The next round retries an unreachable database; until then nothing is lost.
  readonly #rounds = new Rounds({
    run: () => this.#goRound(),
    pauseMs: () => this.#settings.everyMs,
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

  /** Running jobs may end within the limit; the others are returned for another node to take. */
  async stop(limitMs: number): Promise<void> {
    await this.#rounds.stop();
    await Promise.race([Promise.all(this.#underWay.values()), afterMs(limitMs)]);
    for (const job of this.#underWay.keys()) this.#over.set(job, 'failed');
    await this.#settle().catch(this.#settings.onTrouble);
  }

  async #goRound(): Promise<void> {
    const { perPoll, maxConcurrent } = this.#settings;
    await this.#settle();
    await this.#sendHeartbeats();
    for (let isMore = true; isMore && !this.#rounds.isStopped; ) {
      const room = Math.min(perPoll, maxConcurrent - this.#underWay.size - this.#over.size);
      isMore = room > 0 && (await this.#take(room)) === room;
    }
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
    const { queue } = this.#settings;
    for (const outcome of ['completed', 'failed'] as const) {
      const jobs = [...this.#over].filter(([, how]) => how === outcome).map(([job]) => job);
      if (jobs.length === 0) continue;
      await (outcome === 'completed' ? this.#boss.complete(queue, jobs) : this.#boss.fail(queue, jobs));
      for (const job of jobs) this.#over.delete(job);
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
