/** A circuit breaker in the terms of the admin API. */
import type { Circuit } from '../control/models/contract.ts';
import type { Clock } from '../kernel/clock.ts';
import type { CircuitState } from '../models/health/route-health.ts';

const timeAt = (monotonicMs: number | undefined, { nowMs, monotonicMs: now }: Clock): string | null =>
  monotonicMs === undefined ? null : new Date(nowMs() + monotonicMs - now()).toISOString();

export const circuitOf = ({ state, why, sinceMs, untilMs }: CircuitState, clock: Clock): Circuit => ({
  state,
  why: why ?? null,
  since: timeAt(sinceMs, clock),
  until: timeAt(untilMs, clock),
});
