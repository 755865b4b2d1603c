/**
 * Finished requests on their way from the backlog to the store, in batches. A batch the store could not take is tried
 * again until it does; storing twice is the same as once, so nobody has to know whether the first try arrived.
 */
import type { Backlog } from './backlog.ts';
import type { EncodedEvent } from './encoded-event.ts';

export interface UsageSink {
  /** Resolves when every event is stored, whether now or before. Rejects when none or only some are. */
  store(events: readonly EncodedEvent[]): Promise<void>;
  /** True where trying the same again cannot help: something in the events themselves was refused. */
  isRefusal(error: unknown): boolean;
}

export type UsageQueuePorts = {
  readonly onTrouble: (error: unknown) => void;
  readonly onLost: (events: number, why: 'full' | 'refused') => void;
};

export type UsageQueueSettings = { readonly batchEvents: number; readonly batchMs: number };

const USAGE_QUEUE: UsageQueueSettings = { batchEvents: 1000, batchMs: 100 };

const RETRY_MS = 250;
const MAX_RETRY_MS = 5000;

export class UsageQueue {
  readonly #sink: UsageSink;
  readonly #backlog: Backlog;
  readonly #ports: UsageQueuePorts;
  readonly #settings: UsageQueueSettings;
  /** Being stored now. */
  #storing: readonly EncodedEvent[] = [];
  #sinceBatch = 0;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(sink: UsageSink, backlog: Backlog, ports: UsageQueuePorts, settings: UsageQueueSettings = USAGE_QUEUE) {
    this.#sink = sink;
    this.#backlog = backlog;
    this.#ports = ports;
    this.#settings = settings;
  }

  get waiting(): number {
    return this.#backlog.waiting + this.#storing.length;
  }

  push(event: EncodedEvent): void {
    if (!this.#backlog.push(event)) this.#ports.onLost(1, 'full');
    if (this.#work !== undefined) return;
    if (++this.#sinceBatch >= this.#settings.batchEvents) this.start();
    else this.#timer ??= setTimeout(() => this.start(), this.#settings.batchMs).unref();
  }

  /** What is not stored yet, so that a caller can read of a request the moment it is over. */
  find(requestId: string): EncodedEvent | undefined {
    return this.#backlog.find(requestId) ?? this.#storing.find((event) => event.requestId === requestId);
  }

  /** Stores what waits until the deadline; the rest stays in the journal, and is told of. */
  async close(deadlineMs: number): Promise<number> {
    this.start();
    const timer = setTimeout(() => {
      this.#closed = true;
      this.#wake?.();
    }, deadlineMs);
    await this.#work;
    clearTimeout(timer);
    this.#closed = true;
    const left = this.waiting;
    this.#backlog.close(left === 0);
    return left;
  }

  /** Stores what waits, if it is not being stored already. */
  start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sinceBatch = 0;
    this.#work ??= this.#drain().finally(() => {
      this.#work = undefined;
      if (this.#backlog.waiting > 0 && !this.#closed) this.start();
    });
  }

  async #drain(): Promise<void> {
    while (!this.#closed) {
      this.#storing = this.#backlog.take(this.#settings.batchEvents);
      if (this.#storing.length === 0) return;
      if (await this.#storeWithPatience(this.#storing)) this.#storing = [];
    }
  }

  /** False when it was told to give up. */
  async #storeWithPatience(events: readonly EncodedEvent[]): Promise<boolean> {
    for (let waitMs = RETRY_MS; !this.#closed; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      try {
        await this.#sink.store(events);
        return true;
      } catch (error) {
        this.#ports.onTrouble(error);
        if (this.#sink.isRefusal(error)) return this.#storeInHalves(events);
        await this.#sleep(waitMs);
      }
    }
    return false;
  }

  /** One event that cannot be stored must not keep the others from it. */
  async #storeInHalves(events: readonly EncodedEvent[]): Promise<boolean> {
    if (events.length === 1) {
      this.#ports.onLost(1, 'refused');
      return true;
    }
    const middle = Math.ceil(events.length / 2);
    return (
      (await this.#storeWithPatience(events.slice(0, middle))) && (await this.#storeWithPatience(events.slice(middle)))
    );
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
