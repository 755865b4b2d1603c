/**
 * Goes to the queue for jobs at short intervals, and takes as many as there is room for. Each is worked on by itself, so
 * that a slow one takes its own place and nobody else's; while it lasts, the queue is told that somebody is at it.
 */

/** The queue takes word of a job only from whoever has it now. */
type Attempt = { readonly id: string; readonly retryCount: number };

/** What is needed of pg-boss. */
export interface JobQueue {
  fetch<Data>(queue: string, options: { batchSize: number }): Promise<readonly (Attempt & { readonly data: Data })[]>;
  complete(queue: string, jobs: Attempt[]): Promise<unknown>;
  fail(queue: string, jobs: Attempt[]): Promise<unknown>;
  touch(queue: string, jobs: Attempt[]): Promise<unknown>;
}

export type RoundSettings = {
  readonly queue: string;
  readonly everyMs: number;
  /** Well within what the queue takes for a sign of death. */
  readonly signOfLifeMs: number;
  /** Taken with one look, so that other nodes get their share of a rush. */
  readonly atOneLook: number;
  readonly mostAtOnce: number;
  readonly onTrouble: (error: unknown) => void;
};

type Outcome = 'completed' | 'failed';

export class JobRounds<Data extends object> {
  readonly #boss: JobQueue;
  readonly #settings: RoundSettings;
  readonly #work: (data: Data) => Promise<void>;
  readonly #underWay = new Map<Attempt, Promise<void>>();
  /** Over, and the queue does not know yet. Bounded, as they keep their places until it does. */
  readonly #over = new Map<Attempt, Outcome>();
  #signedAtMs = 0;
  #next: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isStopped = false;

  constructor(boss: JobQueue, settings: RoundSettings, work: (data: Data) => Promise<void>) {
    this.#boss = boss;
    this.#settings = settings;
    this.#work = work;
  }

  start(): void {
    this.#round = this.#goRound().finally(() => {
      if (!this.#isStopped) this.#next = setTimeout(() => this.start(), this.#settings.everyMs);
    });
  }

  /** What is under way may end within the limit; what does not is given back for another node to take. */
  async stop(limitMs: number): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#next);
    await this.#round;
    await Promise.race([Promise.all(this.#underWay.values()), afterMs(limitMs)]);
    for (const job of this.#underWay.keys()) this.#over.set(job, 'failed');
    await this.#settle().catch(this.#settings.onTrouble);
  }

  async #goRound(): Promise<void> {
    const { atOneLook, mostAtOnce, onTrouble } = this.#settings;
    try {
      await this.#settle();
      await this.#signOfLife();
      for (let isMore = true; isMore && !this.#isStopped; ) {
        const room = Math.min(atOneLook, mostAtOnce - this.#underWay.size - this.#over.size);
        isMore = room > 0 && (await this.#take(room)) === room;
      }
    } catch (error) {
      // A database that is away is tried again with the next round; until then nothing is lost.
      onTrouble(error);
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

  async #signOfLife(): Promise<void> {
    const { queue, signOfLifeMs } = this.#settings;
    if (this.#underWay.size === 0 || performance.now() - this.#signedAtMs < signOfLifeMs) return;
    await this.#boss.touch(queue, [...this.#underWay.keys()]);
    this.#signedAtMs = performance.now();
  }
}

/** Keeps no process alive. */
const afterMs = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());
