/**
 * One thread parses large texts, one after another, so that they do not delay other callers. It starts with the first
 * of them, and ends after 30 s without any, which frees all its memory.
 */
import { Worker } from 'node:worker_threads';
import { GatewayError } from '@trivium/protocol/canonical';
import {
  type HeavyJob,
  type HeavyJobs,
  type HeavyPorts,
  type HeavyWork,
  NO_ROOM,
  type RunOptions,
} from '../lanes/heavy.ts';
import { type FromThread, failed, type PortName, resultOf, type ThreadOutcome, type ToThread } from './messages.ts';

/** Jobs queued behind the running one. */
const MAX_WAITING = 32;
/** Jobs started at once: one that runs, and some that wait for a file or a seal. Each holds all it has parsed. */
const MAX_BEGUN = 4;
const MAX_JOB_MS = 120_000;
const IDLE_MS = 30_000;
/** Of the thread's own heap: many times the largest body the default limits admit. */
const MAX_HEAP_MB = 2048;

const GONE = new GatewayError({ kind: 'cancelled', message: 'The caller hung up.' });
const TOO_LARGE = new GatewayError({
  kind: 'too-large',
  message: 'The request needs more memory or time to be read than this gateway has for one.',
});

type Waiting = {
  readonly message: Extract<ToThread, { kind: 'job' }>;
  readonly ports: HeavyPorts;
  readonly isWanted: () => boolean;
  settle(outcome: ThreadOutcome | GatewayError): void;
};

export class HeavyThread {
  readonly #onLost: (problem: string) => void;
  readonly #maxJobMs: number;
  readonly #waiting: Waiting[] = [];
  /** Started and not done. All but one of them wait for an answer of the gateway. */
  readonly #begun = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #busyWith: number | undefined;
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(onLost: (problem: string) => void, maxJobMs: number = MAX_JOB_MS) {
    this.#onLost = onLost;
    this.#maxJobMs = maxJobMs;
  }

  /** For an engine whose seals are signed with these keys. */
  with(sealKeys: readonly string[]): HeavyWork {
    const run = async <J extends HeavyJob>(
      job: J,
      input: Parameters<HeavyJobs[J]>,
      { ports = {}, isWanted = () => true }: RunOptions = {},
    ): Promise<Awaited<ReturnType<HeavyJobs[J]>>> => {
      const outcome = await this.#run(job, input, sealKeys, ports, isWanted);
      // The thread ran the job of this name.
      return resultOf(outcome) as Awaited<ReturnType<HeavyJobs[J]>>;
    };
    return { run };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#stop();
    for (const one of this.#waiting.splice(0)) one.settle(new GatewayError(NO_ROOM));
  }

  #run(
    job: HeavyJob,
    input: readonly unknown[],
    sealKeys: readonly string[],
    ports: HeavyPorts,
    isWanted: () => boolean,
  ): Promise<ThreadOutcome> {
    if (this.#closed || this.#waiting.length >= MAX_WAITING) return Promise.reject(new GatewayError(NO_ROOM));
    const has = (['seals', 'media'] as const).filter((name) => ports[name] !== undefined);
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        message: { kind: 'job', id: ++this.#lastId, job, input, sealKeys, has },
        ports,
        isWanted,
        settle: (outcome) => (outcome instanceof GatewayError ? reject(outcome) : resolve(outcome)),
      });
      this.#next();
    });
  }

  #next(): void {
    if (this.#busyWith !== undefined || this.#closed || this.#begun.size >= MAX_BEGUN) return;
    clearTimeout(this.#timer);
    const next = this.#waiting.shift();
    if (next === undefined) {
      if (this.#begun.size > 0) return;
      // A thread without a job keeps no process alive.
      this.#worker?.unref();
      this.#timer = setTimeout(() => void this.#stop(), IDLE_MS).unref();
    } else if (next.isWanted()) this.#begin(next);
    else {
      next.settle(GONE);
      this.#next();
    }
  }

  #begin(next: Waiting): void {
    const { message } = next;
    this.#begun.set(message.id, next);
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#work(message.id);
    this.#worker.postMessage(message);
  }

  #work(id: number): void {
    this.#busyWith = id;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#stop(), this.#maxJobMs).unref();
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
    done?.settle(outcome);
    this.#next();
  }

  /** While the gateway gets the answer, the thread is free for another job. */
  async #answer(worker: Worker, { id, askId, port, input }: Extract<FromThread, { kind: 'ask' }>): Promise<void> {
    if (this.#busyWith === id) this.#busyWith = undefined;
    this.#next();
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
    this.#worker = undefined;
    this.#busyWith = undefined;
    const lost = [...this.#begun.values()];
    this.#begun.clear();
    if (lost.length > 0) this.#onLost(problem);
    for (const one of lost) one.settle(TOO_LARGE);
    this.#next();
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#worker?.terminate();
  }
}

/** The thread names the port and passes the arguments of its method. */
function asked(ports: HeavyPorts | undefined, port: PortName, input: readonly unknown[]): unknown {
  const [one, two] = input;
  if (port === 'seals') return ports?.seals?.recall(String(one), two as readonly string[]);
  return ports?.media?.fetch(String(one), two as Parameters<NonNullable<HeavyPorts['media']>['fetch']>[1]);
}
