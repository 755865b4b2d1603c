/**
 * Cache affinity: the host that last received a prompt, for as long as its cache may hold it. Bounded; the oldest entry
 * is evicted first.
 */
import { BoundedMap } from '../../kernel/bounded-map.ts';

const MAX_HELD = 16_384;

type Held = { readonly routeKey: string; readonly untilMs: number };

export class CacheAffinity {
  readonly #held = new BoundedMap<string, Held>(MAX_HELD);

  keep(promptKey: string, routeKey: string, untilMs: number): void {
    this.#held.set(promptKey, { routeKey, untilMs });
  }

  find(promptKey: string, nowMs: number): string | undefined {
    const held = this.#held.get(promptKey);
    if (held === undefined || nowMs < held.untilMs) return held?.routeKey;
    this.#held.delete(promptKey);
    return undefined;
  }
}
