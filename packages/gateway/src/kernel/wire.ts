/** The bytes of a request and its answer, noted while they pass; only where an account or key asked for it until a date. */
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
  /** On the monotonic clock; the times of frames count from here. */
  readonly startedAtMs: number;
};

export interface WireCapture {
  /** False while no rule is active; then nothing else is looked at. */
  readonly isOn: boolean;
  begin(start: WireStart, text: string): WireTape | undefined;
}

/** Of one request. Takes references to what is there anyway, and never fails or waits. */
export interface WireTape {
  /** The same reply, noted on its way. */
  through(reply: CallerPort): CallerPort;
  attempt(about: WireTarget): WireAttempt;
  /** An answer in place of one from a provider. */
  refused(status: number, headers: readonly string[], text: string): void;
  /** The request was let in, and is over. */
  finished(record: RequestRecord): void;
  /** No more will come: what was let in is kept as it is, and the rest is not. */
  close(): void;
}

export type WireTarget = { readonly provider: string; readonly modelId: string; readonly lane: string };

/** Of one call to a provider. */
export interface WireAttempt {
  sent(request: UpstreamRequest): void;
  head(status: number, headers: readonly string[]): void;
  text(piece: string): void;
}
