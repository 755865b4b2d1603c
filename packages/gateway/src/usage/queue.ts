/**
 * Finished requests on their way to the store: batched, bounded, in order. A batch the store could not take is tried
 * again until it does; storing twice is the same as once, so nobody has to know whether the first try arrived.
 */
import type { RequestRecord } from '../engine/settle.ts';
import type { UsageEvent } from './event.ts';

export interface UsageSink {
  /** Resolves when every event is stored, whether now or before. Rejects when none or only some are. */
  store(events: readonly UsageEvent[]): Promise<void>;
  /** True where trying the same again cannot help: something in the events themselves was refused. */
  isRefusal(error: unknown): boolean;
}

export type UsageQueuePorts = {
  readonly eventOf: (record: RequestRecord) => UsageEvent;
  readonly onTrouble: (error: unknown, waiting: number) => void;
  readonly onLost: (events: number, why: 'full' | 'refused' | 'closed') => void;
};

export type UsageQueueSettings = {
  readonly maxWaiting: number;
  readonly batchEvents: number;
  readonly batchMs: number;
};

export const USAGE_QUEUE: UsageQueueSettings = { maxWaiting: 100_000, batchEvents: 1000, batchMs: 100 };

const RETRY_MS = 250;
const MAX_RETRY_MS = 5000;

export class UsageQueue {
  readonly #sink: UsageSink;
  readonly #ports: UsageQueuePorts;
  readonly #settings: UsageQueueSettings;
  #waiting: RequestRecord[] = [];
  /** Being stored now. */
  #storing: readonly RequestRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(sink: UsageSink, ports: UsageQueuePorts, settings: UsageQueueSettings = USAGE_QUEUE) {
    this.#sink = sink;
    this.#ports = ports;
    this.#settings = settings;
  }

  get waiting(): number {
    return this.#waiting.length + this.#storing.length;
  }

  push(record: RequestRecord): void {
    if (this.#waiting.length >= this.#settings.maxWaiting) {
      this.#ports.onLost(1, 'full');
      return;
    }
    this.#waiting.push(record);
    if (this.#work !== undefined) return;
    if (this.#waiting.length >= this.#settings.batchEvents) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), this.#settings.batchMs).unref();
  }

  /** What is not stored yet, so that a caller can read of a request the moment it is over. */
  find(requestId: string): UsageEvent | undefined {
    const isIt = (record: RequestRecord): boolean => record.requestId === requestId;
    const found = this.#waiting.findLast(isIt) ?? this.#storing.findLast(isIt);
    return found === undefined ? undefined : this.#ports.eventOf(found);
  }

  /** Stores what waits, and then takes no more. Gives up at the deadline. */
  async close(deadlineMs: number): Promise<void> {
    this.#start();
    const timer = setTimeout(() => {
      this.#closed = true;
      this.#wake?.();
    }, deadlineMs);
    await this.#work;
    clearTimeout(timer);
    this.#closed = true;
    if (this.waiting > 0) this.#ports.onLost(this.waiting, 'closed');
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#work ??= this.#drain().finally(() => {
      this.#work = undefined;
      if (this.#waiting.length > 0 && !this.#closed) this.#start();
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#closed) {
      this.#storing = this.#waiting.splice(0, this.#settings.batchEvents);
      await this.#storeWithPatience(this.#storing.map(this.#ports.eventOf));
      if (!this.#closed) this.#storing = [];
    }
  }

  async #storeWithPatience(events: readonly UsageEvent[]): Promise<void> {
    for (let waitMs = RETRY_MS; !this.#closed; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      try {
        await this.#sink.store(events);
        return;
      } catch (error) {
        this.#ports.onTrouble(error, this.waiting);
        if (this.#sink.isRefusal(error)) return this.#storeInHalves(events);
        await this.#sleep(waitMs);
      }
    }
  }

  /** One event that cannot be stored must not keep the others from it. */
  async #storeInHalves(events: readonly UsageEvent[]): Promise<void> {
    if (events.length === 1) {
      this.#ports.onLost(1, 'refused');
      return;
    }
    const middle = Math.ceil(events.length / 2);
    await this.#storeWithPatience(events.slice(0, middle));
    await this.#storeWithPatience(events.slice(middle));
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
