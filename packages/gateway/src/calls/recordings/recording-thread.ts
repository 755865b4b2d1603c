/**
 * Measures recordings on a thread, one after another, so that a hostile file costs no other caller: whatever takes too
 * long or too much memory has no known length. The thread ends after a time without any.
 */
import { Worker } from 'node:worker_threads';
import type { Recordings } from '../../kernel/recordings.ts';

/** The largest honest files take half a second. */
const MAX_MS = 3000;
const IDLE_MS = 30_000;
const MAX_HEAP_MB = 128;
/** More are not measured. Their bytes are counted by the callers they belong to. */
const MAX_WAITING = 32;

type Waiting = { readonly pieces: readonly Uint8Array[]; readonly settle: (seconds: number | undefined) => void };

/** In memory of its own, which the thread gets: pieces may be parts of larger memory. */
function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

export class RecordingThread implements Recordings {
  readonly #maxMs: number;
  readonly #waiting: Waiting[] = [];
  #running: Waiting | undefined;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(maxMs = MAX_MS) {
    this.#maxMs = maxMs;
  }

  measure(pieces: readonly Uint8Array[]): Promise<number | undefined> {
    if (this.#closed || this.#waiting.length >= MAX_WAITING) return Promise.resolve(undefined);
    return new Promise((settle) => {
      this.#waiting.push({ pieces, settle });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { settle } of this.#waiting.splice(0)) settle(undefined);
    clearTimeout(this.#timer);
    await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    clearTimeout(this.#timer);
    this.#running = this.#waiting.shift();
    if (this.#running === undefined) {
      // A thread without work keeps no process alive.
      this.#worker?.unref();
      this.#timer = setTimeout(() => void this.#worker?.terminate(), IDLE_MS).unref();
      return;
    }
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#timer = setTimeout(() => void this.#worker?.terminate(), this.#maxMs).unref();
    const bytes = joined(this.#running.pieces);
    this.#worker.postMessage(bytes, [bytes.buffer]);
  }

  #start(): Worker {
    const isSource = import.meta.url.endsWith('.ts');
    const worker = new Worker(new URL(isSource ? './thread.ts' : './thread.js', import.meta.url), {
      ...(isSource && { execArgv: ['--conditions=trivium-source'] }),
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.on('message', (seconds: number | undefined) => this.#done(seconds));
    worker.on('error', () => this.#lost(worker));
    worker.on('exit', () => this.#lost(worker));
    return worker;
  }

  #done(seconds: number | undefined): void {
    const done = this.#running;
    this.#running = undefined;
    done?.settle(seconds);
    this.#next();
  }

  #lost(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    if (this.#closed) {
      this.#running?.settle(undefined);
      this.#running = undefined;
    } else if (this.#running !== undefined) this.#done(undefined);
    else clearTimeout(this.#timer);
  }
}
