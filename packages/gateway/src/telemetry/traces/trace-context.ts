/** Reads and writes `traceparent`, `tracestate` and `baggage`, to continue a trace or to begin one. */
import { randomFillSync } from 'node:crypto';
import type { RawHeaders } from '../../kernel/caller-port.ts';
import type { RequestTrace, Tracing } from '../../kernel/trace.ts';

export type PropagationSettings = {
  /** For traces that begin here; for others the caller's sampling decides. */
  readonly sampleRatio: number;
  /** Whether providers get `traceparent`. */
  readonly propagate: boolean;
  /** Providers that get `tracestate` and `baggage` as well. */
  readonly baggageTo: readonly string[];
};

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const SAMPLED = 1;
/** The minimum both recommendations require of receivers; longer values are dropped completely. */
const MAX_STATE = 512;
const MAX_BAGGAGE = 8192;

export type CallerTrace = { readonly traceId: string; readonly spanId: string; readonly isSampled: boolean };

/** Undefined if it is not valid: then a trace begins here. Later versions may have more members at the end. */
export function readTraceparent(text: string | undefined): CallerTrace | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = PARENT.exec(text?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff' || traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

const ID_BYTES = 8;
const POOL_BYTES = 4096;

/** Random, and never all zeros. One system call for hundreds of ids. */
class SpanIds {
  readonly #pool = Buffer.alloc(POOL_BYTES);
  #used = POOL_BYTES;

  next(): string {
    if (this.#used === POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const id = this.#pool.toString('hex', this.#used, this.#used + ID_BYTES);
    this.#used += ID_BYTES;
    return id === NO_SPAN ? this.next() : id;
  }
}

const headerText = (headers: RawHeaders, name: string): string | undefined => {
  const values = headers.get(name);
  // A repeated header is a list, in that order.
  return typeof values === 'string' ? values : values?.join(',');
};

const within = (text: string | undefined, length: number): string | undefined =>
  text === undefined || text.length > length ? undefined : text;

export class TraceContexts implements Tracing {
  readonly #settings: PropagationSettings;
  readonly #baggageTo: ReadonlySet<string>;
  readonly #random: () => number;
  readonly #ids = new SpanIds();

  constructor(settings: PropagationSettings, random: () => number) {
    this.#settings = settings;
    this.#baggageTo = new Set(settings.baggageTo);
    this.#random = random;
  }

  begin(headers: RawHeaders): RequestTrace {
    const caller = readTraceparent(headerText(headers, 'traceparent'));
    return {
      traceId: caller?.traceId ?? this.#ids.next() + this.#ids.next(),
      spanId: this.#ids.next(),
      parentSpanId: caller?.spanId,
      // It belongs to the parent: without one it means nothing.
      state: caller === undefined ? undefined : within(headerText(headers, 'tracestate'), MAX_STATE),
      baggage: within(headerText(headers, 'baggage'), MAX_BAGGAGE),
      isSampled: caller?.isSampled ?? this.#random() < this.#settings.sampleRatio,
    };
  }

  newSpanId(): string {
    return this.#ids.next();
  }

  headersFor({ traceId, isSampled, state, baggage }: RequestTrace, spanId: string, provider: string): string[] {
    if (!this.#settings.propagate) return [];
    const headers = ['traceparent', `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`];
    if (!this.#baggageTo.has(provider)) return headers;
    if (state !== undefined) headers.push('tracestate', state);
    if (baggage !== undefined) headers.push('baggage', baggage);
    return headers;
  }
}
