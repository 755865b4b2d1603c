/**
 * Measures recordings on a thread, one after another. A hostile file costs others a moment: what takes longer goes on
 * beside them, one at a time, and whatever takes too long or too much memory has no known length. Threads end after a
 * time without any.
 */
import { Worker } from 'node:worker_threads';
import type { Recordings } from '../../kernel/recordings.ts';
import { type Measured, READY } from './measured.ts';

/** The largest honest files take half a second, and most a few ms. */
const MAX_MS = 3000;
/** For this long others wait for one. */
const QUICK_MS = 250;
const START_MS = 10_000;
const IDLE_MS = 30_000;
const MAX_HEAP_MB = 128;
/** More are not measured. Their bytes are counted by the callers they belong to. */
const MAX_WAITING = 32;
/** Of one caller, so that there is room for others. */
const MAX_OF_CALLER = 16;

type Waiting = {
  readonly pieces: readonly Uint8Array[];
  readonly owner: string;
  readonly settle: (seconds: number | undefined) => void;
};
/** A thread, and what it measures. */
type Seat = {
  readonly worker: Worker;
  isReady: boolean;
  running: Waiting | undefined;
  end: NodeJS.Timeout | undefined;
  hurry: NodeJS.Timeout | undefined;
};

const isSource = import.meta.url.endsWith('.ts');
const DEFAULTS = {
  maxMs: MAX_MS,
  quickMs: QUICK_MS,
  thread: new URL(isSource ? './thread.ts' : './thread.js', import.meta.url),
};

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
  readonly #options: typeof DEFAULTS;
  readonly #waiting: Waiting[] = [];
  readonly #ofCaller = new Map<string, number>();
  #quick: Seat | undefined;
  /** Where one goes on that takes longer. */
  #slow: Seat | undefined;
  #lastOwner = '';
  #closed = false;

  constructor(options: Partial<typeof DEFAULTS> = {}) {
    this.#options = { ...DEFAULTS, ...options };
  }

  measure(pieces: readonly Uint8Array[], owner: string): Promise<number | undefined> {
    const own = this.#ofCaller.get(owner) ?? 0;
    if (this.#closed || this.#waiting.length >= MAX_WAITING || own >= MAX_OF_CALLER) return Promise.resolve(undefined);
    this.#ofCaller.set(owner, own + 1);
    return new Promise((resolve) => {
      const settle = (seconds: number | undefined): void => {
        const left = (this.#ofCaller.get(owner) ?? 1) - 1;
        if (left === 0) this.#ofCaller.delete(owner);
        else this.#ofCaller.set(owner, left);
        resolve(seconds);
      };
      this.#waiting.push({ pieces, owner, settle });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { settle } of this.#waiting.splice(0)) settle(undefined);
    const seats = [this.#quick, this.#slow].filter((seat) => seat !== undefined);
    for (const seat of seats) this.#end(seat);
    await Promise.all(seats.map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    if (this.#closed || this.#quick?.running !== undefined) return;
    // Callers take turns.
    const other = this.#waiting.findIndex(({ owner }) => owner !== this.#lastOwner);
    const [next] = this.#waiting.splice(Math.max(other, 0), 1);
    if (next === undefined) {
      if (this.#quick !== undefined) this.#rest(this.#quick);
      return;
    }
    this.#quick ??= this.#start();
    const seat = this.#quick;
    seat.running = next;
    this.#lastOwner = next.owner;
    seat.worker.ref();
    // A thread that starts is no slow recording.
    if (seat.isReady) this.#time(seat);
    else this.#endIn(seat, START_MS);
    const bytes = joined(next.pieces);
    seat.worker.postMessage(bytes, [bytes.buffer]);
  }

  /** A thread without work keeps no process alive. */
  #rest(seat: Seat): void {
    seat.worker.unref();
    this.#endIn(seat, IDLE_MS);
  }

  #endIn(seat: Seat, ms: number): void {
    clearTimeout(seat.end);
    seat.end = setTimeout(() => this.#end(seat), ms).unref();
  }

  #time(seat: Seat): void {
    this.#endIn(seat, this.#options.maxMs);
    this.#hurry(seat);
  }

  #hurry(seat: Seat): void {
    seat.hurry = setTimeout(() => {
      if (this.#slow === undefined) {
        this.#leave(seat);
        this.#slow = seat;
        this.#next();
      } else if (this.#waiting.length > 0) this.#end(seat);
      else this.#hurry(seat);
    }, this.#options.quickMs).unref();
  }

  #leave(seat: Seat): void {
    clearTimeout(seat.hurry);
    if (this.#quick === seat) this.#quick = undefined;
    if (this.#slow === seat) this.#slow = undefined;
  }

  /** Of what it measures, nothing is known. */
  #end(seat: Seat): void {
    this.#leave(seat);
    clearTimeout(seat.end);
    void seat.worker.terminate();
    this.#settle(seat, undefined);
  }

  #settle(seat: Seat, seconds: number | undefined): void {
    const { running } = seat;
    seat.running = undefined;
    running?.settle(seconds);
    this.#next();
  }

  #start(): Seat {
    const worker = new Worker(this.#options.thread, {
      ...(isSource && { execArgv: ['--conditions=trivium-source'] }),
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const seat: Seat = { worker, isReady: false, running: undefined, end: undefined, hurry: undefined };
    worker.on('message', (message: Measured) => {
      if (message !== READY) this.#done(seat, message);
      else {
        seat.isReady = true;
        if (seat.running !== undefined) this.#time(seat);
      }
    });
    const lost = (): void => {
      if (this.#quick === seat || this.#slow === seat) this.#end(seat);
    };
    worker.on('error', lost);
    worker.on('exit', lost);
    return seat;
  }

  #done(seat: Seat, seconds: number | undefined): void {
    // It was ended while its answer was on the way.
    if (seat.running === undefined) return;
    this.#leave(seat);
    if (this.#quick === undefined) this.#quick = seat;
    else {
      clearTimeout(seat.end);
      void seat.worker.terminate();
    }
    this.#settle(seat, seconds);
  }
}
