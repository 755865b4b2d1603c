/**
 * The threads for large texts, and the jobs that wait for them: a queue for each account, and accounts take turns. All jobs
 * about one request go to the thread that has parsed it.
 */
import { availableParallelism } from 'node:os';
import { GatewayError } from '@trivium/protocol/canonical';
import { MEMORY_FACTOR, type Memory } from '../../kernel/memory.ts';
import {
  type HeavyAnswer,
  type HeavyJob,
  type HeavyJobs,
  type HeavyPorts,
  type HeavyRequest,
  type HeavyWork,
  NO_ROOM,
  type RunOptions,
} from '../heavy-work.ts';
import { GONE } from '../request.ts';
import { type BegunJob, HeavyThread } from './heavy-thread.ts';
import { resultOf, type ThreadOutcome, type ToThread } from './messages.ts';

/** Jobs of one account that wait. Their texts are in the account book of memory. */
const MAX_WAITING = 32;
const MAX_THREADS = 3;
const MAX_JOB_MS = 120_000;

/** Jobs that leave what they parsed in the thread's cache, or take it from there. */
const CACHED: ReadonlySet<HeavyJob> = new Set(['understand', 'lane', 'bareLane', 'foresee']);

type Waiting = {
  readonly job: HeavyJob;
  readonly input: readonly [HeavyRequest | HeavyAnswer, ...unknown[]];
  readonly sealKeys: readonly string[];
  readonly ports: HeavyPorts;
  readonly isWanted: () => boolean;
  settle(outcome: ThreadOutcome | GatewayError): void;
};

export type HeavyOptions = {
  readonly onLost: (problem: string) => void;
  /** Absent: it is not counted. */
  readonly memory?: Pick<Memory, 'fits' | 'count'>;
  readonly maxJobMs?: number;
  readonly threads?: number;
};

/** One core is left for the event loop. */
const usualThreads = (): number => Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));

export class HeavyThreads {
  readonly #memory: HeavyOptions['memory'];
  readonly #threads: readonly HeavyThread[];
  /** By account; accounts in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  #lastId = 0;
  #closed = false;

  constructor({ onLost, memory, maxJobMs = MAX_JOB_MS, threads = usualThreads() }: HeavyOptions) {
    this.#memory = memory;
    const events = { onLost, onFree: () => this.#next() };
    this.#threads = Array.from({ length: threads }, () => new HeavyThread(events, maxJobMs));
  }

  /** For an engine whose seals are signed with these keys. */
  with(sealKeys: readonly string[]): HeavyWork {
    const run = <J extends HeavyJob>(
      job: J,
      input: Parameters<HeavyJobs[J]>,
      { ports = {}, isWanted = () => true }: RunOptions = {},
    ): Promise<Awaited<ReturnType<HeavyJobs[J]>>> =>
      this.#run({ job, input, sealKeys, ports, isWanted }).then(
        // The thread ran the job of this name.
        (outcome) => resultOf(outcome) as Awaited<ReturnType<HeavyJobs[J]>>,
      );
    return { run };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#threads.map((thread) => thread.stop()));
    const left = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const one of left) one.settle(new GatewayError(NO_ROOM));
  }

  #run(asked: Omit<Waiting, 'settle'>): Promise<ThreadOutcome> {
    const { accountId } = asked.input[0];
    const own = this.#waiting.get(accountId);
    if (this.#closed || (own?.length ?? 0) >= MAX_WAITING) return Promise.reject(new GatewayError(NO_ROOM));
    return new Promise((resolve, reject) => {
      const settle = (outcome: ThreadOutcome | GatewayError): void =>
        outcome instanceof GatewayError ? reject(outcome) : resolve(outcome);
      const waiting = { ...asked, settle };
      if (own === undefined) this.#waiting.set(accountId, [waiting]);
      else own.push(waiting);
      this.#next();
    });
  }

  #next(): void {
    if (this.#closed) return;
    for (const thread of this.#threads) {
      while (thread.isFree) {
        const next = this.#pick(thread);
        if (next === undefined) break;
        if (!next.isWanted()) {
          this.#remove(next);
          next.settle(GONE);
        } else if (this.#hasRoom(next)) {
          this.#remove(next);
          this.#begin(thread, next);
        } else break;
      }
      thread.rest();
    }
  }

  /** A job about the request that the thread has parsed, or the next one of the account whose turn it is. */
  #pick(thread: HeavyThread): Waiting | undefined {
    let next: Waiting | undefined;
    for (const own of this.#waiting.values())
      for (const waiting of own) {
        const owner = this.#ownerOf(waiting);
        if (owner === thread) return waiting;
        if (owner === undefined) next ??= waiting;
      }
    return next;
  }

  #ownerOf(waiting: Waiting): HeavyThread | undefined {
    const id = cachedIdOf(waiting);
    return id === undefined ? undefined : this.#threads.find(({ cachedId }) => cachedId === id);
  }

  /** One job may always run; another one only if its copies fit. */
  #hasRoom({ input: [text] }: Waiting): boolean {
    if (this.#memory === undefined || !this.#threads.some(({ hasJobs }) => hasJobs)) return true;
    return this.#memory.fits(lengthOf(text) * MEMORY_FACTOR.thread);
  }

  /** The account goes behind the others. */
  #remove(waiting: Waiting): void {
    const { accountId } = waiting.input[0];
    const own = this.#waiting.get(accountId);
    this.#waiting.delete(accountId);
    if (own === undefined) return;
    own.splice(own.indexOf(waiting), 1);
    if (own.length > 0) this.#waiting.set(accountId, own);
  }

  #begin(thread: HeavyThread, waiting: Waiting): void {
    const { job, input, sealKeys, ports } = waiting;
    const [text, ...more] = input;
    const id = ++this.#lastId;
    const caches = cachedIdOf(waiting);
    const release = this.#memory?.count(text.accountId, 'thread', lengthOf(text));
    const has = (['seals', 'media'] as const).filter((name) => ports[name] !== undefined);
    const begun: BegunJob = {
      id,
      ports,
      caches,
      settle: (outcome) => {
        release?.();
        waiting.settle(outcome);
      },
    };
    // A text that the thread has parsed is not copied again.
    const isCached = caches !== undefined && thread.cachedId === caches;
    const posted = isCached ? [{ ...text, text: '' }, ...more] : input;
    thread.begin(begun, { kind: 'job', id, job, input: posted, sealKeys, has } satisfies ToThread);
  }
}

const lengthOf = (text: HeavyRequest | HeavyAnswer): number => ('body' in text ? text.body : text.text).length;

const cachedIdOf = ({ job, input: [text] }: Waiting): string | undefined =>
  CACHED.has(job) && 'id' in text ? text.id : undefined;
