/**
 * Captures the bytes of a request and its answer as they pass; only for accounts or keys with a rule, until its end
 * date.
 */
import type { CallerPort, RawHeaders } from './caller-port.ts';
import type { RequestRecord } from './record.ts';
import type { UpstreamRequest } from './upstream.ts';

/** A request as it came. */
export type WireStart = {
  readonly id: string;
  readonly path?: string;
  readonly headers: RawHeaders;
  readonly caller: { readonly accountId: string; readonly keyId: string };
  readonly receivedAtMs: number;
  /** Monotonic; the times of frames count from here. */
  readonly startedAtMs: number;
};

export interface WireCapture {
  /** False while no rule is active; then nothing else is checked. */
  readonly isOn: boolean;
  begin(start: WireStart, text: string): WireTape | undefined;
}

/** The capture of one request. Only takes references, and never fails or waits. */
export interface WireTape {
  /** The same reply, captured as it passes. */
  through(reply: CallerPort): CallerPort;
  attempt(about: WireTarget): WireAttempt;
  /** An answer that no provider made. */
  refused(status: number, headers: readonly string[], text: string): void;
  /** The request was admitted, and is over. */
  finished(record: RequestRecord): void;
  /** Nothing more will come: an admitted request is kept as it is, any other is dropped. */
  close(): void;
}

export type WireTarget = { readonly provider: string; readonly modelId: string; readonly lane: string };

/** The capture of one call to a provider. */
export interface WireAttempt {
  sent(request: UpstreamRequest): void;
  head(status: number, headers: readonly string[]): void;
  text(piece: string): void;
}
