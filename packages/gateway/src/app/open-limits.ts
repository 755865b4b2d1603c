/**
 * Where rate limits are counted: in Redis if configured, in the supervisor if there are workers, or in this process
 * alone; part of the composition root.
 */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { systemClock, systemTimer } from '../kernel/clock.ts';
import { InFlightLimits, type Pressure } from '../money/limits/in-flight.ts';
import { LeasedMeters, TICK_MS } from '../money/limits/leased-meters.ts';
import type { LeaseSource } from '../money/limits/leases.ts';
import { LocalMeters } from '../money/limits/local-meters.ts';
import type { MemoryBook } from '../money/limits/memory-book.ts';
import { RateLimits } from '../money/limits/rate-limits.ts';
import { RedisLeases } from '../store/redis/leases.ts';
import type { Log } from '../telemetry/log.ts';

export type OpenLimits = {
  readonly places: InFlightLimits;
  readonly limits: RateLimits;
  /** Absent if this process is the only one that counts. */
  readonly shared: LeasedMeters | undefined;
  close(): Promise<void>;
};

const PROCESS_BYTES = 8;

/** `config` may change while we run; the Redis server stays that of the start. */
export function openLimits(
  config: () => Config,
  pressure: Pressure,
  memory: MemoryBook,
  supervisor: LeaseSource | undefined,
  log: Log,
): OpenLimits {
  const places = new InFlightLimits(() => config().limits, pressure, Math.random, memory);
  const rules = () => config().rateLimits;
  const { redis: settings } = config();
  const redis = settings === undefined ? undefined : new RedisLeases(settings.url);
  const source = redis ?? supervisor;
  if (source === undefined) {
    const meters = new LocalMeters(systemClock.monotonicMs, () => rules().processes);
    return { places, limits: new RateLimits(places, rules, meters), shared: undefined, close: async () => undefined };
  }
  const shared = new LeasedMeters({
    source,
    process: randomBytes(PROCESS_BYTES).toString('hex'),
    monotonicMs: systemClock.monotonicMs,
    soon: setImmediate,
    owners: () => (redis === undefined ? rules().processes : 1),
    leastProcesses: () => rules().processes,
    onChange: (isShared, problem) => {
      if (isShared) log.info('rate limits shared again');
      else log.warn('Redis unavailable; rate limits enforced per process', { problem: String(problem) });
    },
  });
  void redis?.start();
  const stopTicking = systemTimer.start(() => void shared.tick(), TICK_MS);
  return {
    places,
    limits: new RateLimits(places, rules, shared),
    shared,
    close: async () => {
      stopTicking();
      await shared.close();
      redis?.close();
    },
  };
}
