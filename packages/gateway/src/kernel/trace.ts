/** A request's position in a distributed trace: W3C Trace Context and Baggage. Absent if traces are off. */
import type { RawHeaders } from './caller-port.ts';

export type RequestTrace = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Of the request's own span; 16 hexadecimal digits. */
  readonly spanId: string;
  /** Of the caller's span, if it sent one. */
  readonly parentSpanId: string | undefined;
  /** `tracestate`, passed on unchanged. */
  readonly state: string | undefined;
  readonly baggage: string | undefined;
  readonly isSampled: boolean;
};

export interface Tracing {
  /** Called when a request has arrived. */
  begin(headers: RawHeaders): RequestTrace;
  newSpanId(): string;
  /** Names and values for one call of a provider; the provider's span is `spanId`. */
  headersFor(trace: RequestTrace, spanId: string, provider: string): readonly string[];
}
