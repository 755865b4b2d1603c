/** Limits of stored answers, and the error for a caller that has waited too long. */
import { GatewayError } from '@trivium/protocol/canonical';

export type RepeatBounds = {
  readonly maxAnswerBytes: number;
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly ttlMs: number;
  readonly waitMs: number;
};

export const stillRunning = (): GatewayError =>
  new GatewayError({
    kind: 'overloaded',
    message: 'A request with this Idempotency-Key is still being made. Try again later.',
  });
