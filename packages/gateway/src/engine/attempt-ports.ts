/** What an attempt needs of the world, and what it gives its caller's stream. */
import type { Fault } from '@trivium/protocol/canonical';
import type { EarlyPorts } from './early-reply.ts';
import type { HeavyWork } from './heavy.ts';
import type { Waits } from './patience.ts';
import type { Clock, Health, Hedging, MaskInverter, MediaFetcher, ModelClass, SealMemory, Upstream } from './ports.ts';
import type { Pulse } from './pulse.ts';
import type { PumpLimits } from './pump.ts';
import type { RedactUpstream } from './upstream-words.ts';

export type AttemptLimits = PumpLimits & {
  readonly answerLength: number;
  readonly waits: Readonly<Record<ModelClass, Waits>>;
};
export type AttemptPorts = EarlyPorts & {
  readonly upstream: Upstream;
  readonly health: Health;
  /** Told how long the first content of streams took. */
  readonly firstTokens?: Pick<Hedging, 'began'>;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly pulse: Pulse;
  readonly limits: AttemptLimits;
  readonly redact: RedactUpstream;
  readonly seals?: SealMemory;
  readonly media?: MediaFetcher;
  readonly masks?: MaskInverter;
  /** Reads large answers on another thread; absent: they are read here. */
  readonly heavy?: HeavyWork;
  /** What an account pays, in millionths of the catalogue's prices; absent: those prices. */
  readonly priceFactorPpm?: (accountId: string) => number;
  /** For images that upstreams leave behind a URL. */
  readonly results?: MediaFetcher;
};

/** Takes what the upstream says once the answer has begun. */
export interface StreamSink {
  onText(text: string): void;
  onEnd(text: string): void;
  onFault(fault: Fault, text: string): void;
}
