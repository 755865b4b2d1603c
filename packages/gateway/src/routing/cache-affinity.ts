/** Which host was last given a prompt, for as long as it may hold it in its cache. Bounded, oldest first. */
const MAX_HELD = 16_384;

type Held = { readonly routeKey: string; readonly untilMs: number };

export class CacheAffinity {
  readonly #held = new Map<string, Held>();

  keep(promptKey: string, routeKey: string, untilMs: number): void {
    // Put in anew, so that what is in use is not the oldest.
    this.#held.delete(promptKey);
    if (this.#held.size >= MAX_HELD) {
      const oldest = this.#held.keys().next().value;
      if (oldest !== undefined) this.#held.delete(oldest);
    }
    this.#held.set(promptKey, { routeKey, untilMs });
  }

  find(promptKey: string, nowMs: number): string | undefined {
    const held = this.#held.get(promptKey);
    if (held === undefined || nowMs < held.untilMs) return held?.routeKey;
    this.#held.delete(promptKey);
    return undefined;
  }
}
