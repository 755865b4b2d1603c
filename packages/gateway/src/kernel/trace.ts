/** Where a request stands in a distributed trace: W3C Trace Context and Baggage. Absent wherever traces are off. */
import type { RawHeaders } from './caller-port.ts';

export type RequestTrace = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Of the span of the request itself; 16 hexadecimal digits. */
  readonly spanId: string;
  /** Of the caller, where it sent one. */
  readonly parentSpanId: string | undefined;
  /** `tracestate`, passed on unchanged. */
  readonly state: string | undefined;
  readonly baggage: string | undefined;
  readonly isSampled: boolean;
};

export interface Tracing {
  /** When a request has arrived. */
  begin(headers: RawHeaders): RequestTrace;
  newSpanId(): string;
  /** Names and values for one call of a provider; the provider's span is `spanId`. */
  headersFor(trace: RequestTrace, spanId: string, provider: string): readonly string[];
}
