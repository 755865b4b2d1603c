/**
 * Time to first token by route key, as a moving average: newer samples weigh more, and a value that is not renewed
 * decays, so that a host that was slow once gets another chance. Streams and non-streamed answers are measured
 * separately: a non-streamed answer begins when it ends.
 */

import { BoundedMap } from '../../kernel/bounded-map.ts';
import type { Kind, Latency } from '../../kernel/route.ts';

const MAX_ROUTES = 4096;

/** A sample this much later replaces the average as far as `GREATEST_WEIGHT` allows; an earlier one counts in part. */
const MIXING_MS = 30_000;
const LEAST_WEIGHT = 0.1;
/** A single outlier must not replace the average. */
const GREATEST_WEIGHT = 0.5;
const HALF_LIFE_MS = 600_000;

class Series {
  valueMs = 0;
  atMs = Number.NEGATIVE_INFINITY;

  note(sampleMs: number, nowMs: number): void {
    if (this.atMs === Number.NEGATIVE_INFINITY) this.valueMs = sampleMs;
    else {
      const fresh = 1 - Math.exp((this.atMs - nowMs) / MIXING_MS);
      const weight = Math.min(GREATEST_WEIGHT, Math.max(LEAST_WEIGHT, fresh));
      this.valueMs += (sampleMs - this.valueMs) * weight;
    }
    this.atMs = nowMs;
  }

  at(nowMs: number): number | undefined {
    if (this.atMs === Number.NEGATIVE_INFINITY) return undefined;
    return this.valueMs * 2 ** ((this.atMs - nowMs) / HALF_LIFE_MS);
  }
}

class Route {
  readonly stream = new Series();
  readonly whole = new Series();
  waiting = 0;
}

export class LatencyStatistics {
  readonly #routes = new BoundedMap<string, Route>(MAX_ROUTES);

  /** A request waits for its first token there, until `over`. */
  asked(routeKey: string): void {
    this.#route(routeKey).waiting++;
  }

  over(routeKey: string): void {
    const route = this.#routes.get(routeKey);
    if (route !== undefined && route.waiting > 0) route.waiting--;
  }

  began(routeKey: string, kind: Kind, firstTokenMs: number, nowMs: number): void {
    this.#route(routeKey)[kind].note(firstTokenMs, nowMs);
  }

  of(routeKey: string, kind: Kind, nowMs: number): Latency {
    const route = this.#routes.get(routeKey);
    return { firstTokenMs: route?.[kind].at(nowMs), waiting: route?.waiting ?? 0 };
  }

  #route(routeKey: string): Route {
    return this.#routes.getOrInsertComputed(routeKey, () => new Route());
  }
}
