/** A circuit breaker in the terms of the admin API. */
import type { Circuit } from '../control/models/contract.ts';
import type { Clock } from '../kernel/clock.ts';
import type { CircuitState } from '../models/health/route-health.ts';

export function circuitOf({ state, why, sinceMs, untilMs }: CircuitState, clock: Clock): Circuit {
  // One reading for both times: the pause between them is exact.
  const offsetMs = clock.nowMs() - clock.monotonicMs();
  const timeAt = (monotonicMs: number | undefined): string | null =>
    monotonicMs === undefined ? null : new Date(Math.round(offsetMs + monotonicMs)).toISOString();
  return { state, why: why ?? null, since: timeAt(sinceMs), until: timeAt(untilMs) };
}
