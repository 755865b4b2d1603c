/**
 * One thread that parses large texts, one after another, so that they do not delay other callers. It starts with the
 * first of them, and ends after 30 s without any, which frees all its memory.
 */
import { Worker } from 'node:worker_threads';
import { GatewayError } from '@trivium/protocol/canonical';
import type { HeavyPorts } from '../heavy-work.ts';
import { type FromThread, failed, type PortName, type ThreadOutcome, type ToThread } from './messages.ts';

/** Jobs started at once: one that runs, and some that wait for a file or a seal. Each holds all it has parsed. */
const MAX_BEGUN = 4;
const IDLE_MS = 30_000;
/** Of the thread's own heap: many times the largest body the default limits admit. */
const MAX_HEAP_MB = 2048;

const TOO_LARGE = new GatewayError({
  kind: 'too-large',
  message: 'The request needs more memory or time to be read than this gateway has for one.',
});

/** What is left of a job here once it was posted: its text is on the thread. */
export type BegunJob = {
  readonly id: number;
  readonly ports: HeavyPorts;
  /** The request whose parsed text it leaves in the thread's cache, if any. */
  readonly caches: string | undefined;
  settle(outcome: ThreadOutcome | GatewayError): void;
};

export type ThreadEvents = {
  /** It can begin another job. */
  readonly onFree: () => void;
  readonly onLost: (problem: string) => void;
};

export class HeavyThread {
  /** The request whose parsed text the thread has, if the job that parsed it did not fail. */
  cachedId: string | undefined;
  readonly #events: ThreadEvents;
  readonly #maxJobMs: number;
  /** Started and not done. All but one of them wait for an answer of the gateway. */
  readonly #begun = new Map<number, BegunJob>();
  #worker: Worker | undefined;
  #busyWith: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(events: ThreadEvents, maxJobMs: number) {
    this.#events = events;
    this.#maxJobMs = maxJobMs;
  }

  get isFree(): boolean {
    return this.#busyWith === undefined && this.#begun.size < MAX_BEGUN;
  }

  get hasJobs(): boolean {
    return this.#begun.size > 0;
  }

  begin(job: BegunJob, message: Extract<ToThread, { kind: 'job' }>): void {
    this.#begun.set(job.id, job);
    if (job.caches !== undefined) this.cachedId = job.caches;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#work(job.id);
    this.#worker.postMessage(message);
  }

  /** No job waits for it. */
  rest(): void {
    if (this.#begun.size > 0 || this.#worker === undefined) return;
    clearTimeout(this.#timer);
    // A thread without a job keeps no process alive.
    this.#worker.unref();
    this.#timer = setTimeout(() => void this.stop(), IDLE_MS).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#worker?.terminate();
  }

  #work(id: number): void {
    this.#busyWith = id;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.stop(), this.#maxJobMs).unref();
  }

  #start(): Worker {
    const isSource = import.meta.url.endsWith('.ts');
    const worker = new Worker(new URL(isSource ? './thread.ts' : './thread.js', import.meta.url), {
      ...(isSource && { execArgv: ['--conditions=trivium-source'] }),
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'ask') void this.#answer(worker, message);
      else this.#done(message.id, message.outcome);
    });
    worker.on('error', (error) => this.#lost(worker, String(error)));
    worker.on('exit', (code) => this.#lost(worker, `exit code ${code}`));
    return worker;
  }

  #done(id: number, outcome: ThreadOutcome): void {
    const done = this.#begun.get(id);
    this.#begun.delete(id);
    this.#busyWith = undefined;
    if (!('value' in outcome) && done?.caches === this.cachedId) this.cachedId = undefined;
    done?.settle(outcome);
    // After the next job of the same request, if there is one: its text is still parsed.
    setImmediate(this.#events.onFree);
  }

  /** While the gateway gets the answer, the thread is free for another job. */
  async #answer(worker: Worker, { id, askId, port, input }: Extract<FromThread, { kind: 'ask' }>): Promise<void> {
    if (this.#busyWith === id) this.#busyWith = undefined;
    this.#events.onFree();
    let outcome: ThreadOutcome;
    try {
      outcome = { value: await asked(this.#begun.get(id)?.ports, port, input) };
    } catch (error) {
      outcome = failed(error);
    }
    if (this.#worker !== worker) return;
    if (this.#busyWith === undefined) this.#work(id);
    worker.postMessage({ kind: 'port', askId, outcome } satisfies ToThread);
  }

  /** Out of memory, too slow, or crashed: all started jobs fail, and the next job gets a new thread. */
  #lost(worker: Worker, problem: string): void {
    if (this.#worker !== worker) return;
    clearTimeout(this.#timer);
    this.#worker = undefined;
    this.#busyWith = undefined;
    this.cachedId = undefined;
    const lost = [...this.#begun.values()];
    this.#begun.clear();
    if (lost.length > 0) this.#events.onLost(problem);
    for (const one of lost) one.settle(TOO_LARGE);
    this.#events.onFree();
  }
}

/** The thread names the port and passes the arguments of its method. */
function asked(ports: HeavyPorts | undefined, port: PortName, input: readonly unknown[]): unknown {
  const [one, two] = input;
  if (port === 'seals') return ports?.seals?.recall(String(one), two as readonly string[]);
  return ports?.media?.fetch(String(one), two as Parameters<NonNullable<HeavyPorts['media']>['fetch']>[1]);
}
