/**
 * Bounded queue of finished requests on their way to a collector. What does not fit, and what the collector does not
 * accept, is dropped and counted: no request waits for a trace. Spans are built from records when a batch is sent, not
 * when a request ends.
 */
import type { RecordObserver, RefusedRequest, RequestRecord } from '../../kernel/record.ts';
import { type NewIds, type SpanData, spanOfRefused, spansOf } from './spans.ts';

export type SpanQueueSettings = { readonly maxQueuedSpans: number; readonly batchMs: number };

/** False if the collector has not accepted them. Never rejects. */
export type ExportSpans = (spans: readonly SpanData[]) => Promise<boolean>;

type Ended = { readonly record: RequestRecord } | { readonly refused: RefusedRequest };

/** Small enough that building and encoding a batch takes a few milliseconds. */
const MAX_BATCH_SPANS = 256;

export class SpanQueue implements RecordObserver {
  readonly #settings: SpanQueueSettings;
  readonly #export: ExportSpans;
  readonly #ids: NewIds;
  #waiting: Ended[] = [];
  #waitingSpans = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  exported = 0;
  /** Dropped because the queue was full. */
  overflowed = 0;
  /** Not accepted by the collector. */
  refusedByCollector = 0;

  constructor(settings: SpanQueueSettings, exportSpans: ExportSpans, ids: NewIds) {
    this.#settings = settings;
    this.#export = exportSpans;
    this.#ids = ids;
  }

  get waiting(): number {
    return this.#waitingSpans;
  }

  readonly finished = (record: RequestRecord): void => {
    if (record.trace?.isSampled !== false) this.#add({ record }, 1 + record.attempts.length);
  };

  readonly refused = (refused: RefusedRequest): void => {
    if (refused.trace?.isSampled !== false) this.#add({ refused }, 1);
  };

  #add(ended: Ended, spans: number): void {
    if (this.#waitingSpans + spans > this.#settings.maxQueuedSpans) {
      this.overflowed += spans;
      return;
    }
    this.#waiting.push(ended);
    this.#waitingSpans += spans;
    this.#timer ??= setTimeout(() => void this.flush(), this.#settings.batchMs).unref();
  }

  /** Sends everything queued. A call while it runs returns the same promise. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => void this.flush(), this.#settings.batchMs).unref();
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let isTaken = true; isTaken && this.#waiting.length > 0; ) {
      const spans = this.#take();
      if (spans.length === 0) continue;
      isTaken = await this.#export(spans);
      if (isTaken) this.exported += spans.length;
      else this.refusedByCollector += spans.length;
    }
  }

  #take(): readonly SpanData[] {
    const spans: SpanData[] = [];
    let taken = 0;
    for (const ended of this.#waiting) {
      if (spans.length >= MAX_BATCH_SPANS) break;
      const made = 'record' in ended ? spansOf(ended.record, this.#ids) : spanOfRefused(ended.refused, this.#ids);
      spans.push(...made);
      this.#waitingSpans -= 'record' in ended ? 1 + ended.record.attempts.length : 1;
      taken++;
    }
    this.#waiting = this.#waiting.slice(taken);
    return spans;
  }
}
