/**
 * Seals of answers with tool calls, in this process only: bounded in number, in bytes and in time; the oldest are
 * evicted first.
 */
import type { KeptTurn, Recalled, SealMemory } from '../../kernel/seals.ts';

export type SealMemoryBounds = { readonly maxEntries: number; readonly maxBytes: number; readonly ttlMs: number };

type Entry = { readonly turn: KeptTurn; readonly bytes: number; readonly keptAtMs: number };

export class LocalSealMemory implements SealMemory {
  /** In insertion order, so that the first is always the oldest. */
  readonly #entries = new Map<string, Entry>();
  readonly #bounds: () => SealMemoryBounds;
  readonly #nowMs: () => number;
  #bytes = 0;

  constructor(bounds: () => SealMemoryBounds, nowMs: () => number) {
    this.#bounds = bounds;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#entries.size;
  }
  get bytes(): number {
    return this.#bytes;
  }

  keep(accountId: string, turn: KeptTurn): void {
    const { maxEntries, maxBytes } = this.#bounds();
    const bytes = bytesOf(turn);
    if (maxEntries === 0 || bytes > maxBytes) return;
    const keptAtMs = this.#nowMs();
    for (const item of turn) {
      if (!('call' in item)) continue;
      const key = keyOf(accountId, item.call.id);
      this.#forget(key);
      this.#entries.set(key, { turn, bytes, keptAtMs });
      this.#bytes += bytes;
    }
    this.#tidy();
  }

  recall(accountId: string, callIds: readonly string[]): Recalled {
    this.#tidy();
    const found = new Map<string, KeptTurn>();
    for (const id of callIds) {
      const entry = this.#entries.get(keyOf(accountId, id));
      if (entry !== undefined) found.set(id, entry.turn);
    }
    return found;
  }

  #tidy(): void {
    const { maxEntries, maxBytes, ttlMs } = this.#bounds();
    const oldestMs = this.#nowMs() - ttlMs;
    for (const [key, { keptAtMs }] of this.#entries) {
      if (keptAtMs > oldestMs && this.#entries.size <= maxEntries && this.#bytes <= maxBytes) return;
      this.#forget(key);
    }
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

export const keyOf = (accountId: string, callId: string): string => JSON.stringify([accountId, callId]);

/** Estimated size of an entry besides its texts, which count as two bytes per character. */
const ITEM_BYTES = 256;

/** Counted in full for each call that refers to it: an upper bound. */
function bytesOf(turn: KeptTurn): number {
  let bytes = 0;
  for (const item of turn) {
    const text = 'call' in item ? item.call.argumentsJson : item.thought.kind === 'thinking' ? item.thought.text : '';
    const { seal } = 'call' in item ? item.call : item.thought;
    bytes += ITEM_BYTES + 2 * (text.length + (seal?.data.length ?? 0));
  }
  return bytes;
}
