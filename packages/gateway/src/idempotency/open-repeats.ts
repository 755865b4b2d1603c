/** Where answers are kept by Idempotency-Key: in memory, and in the database where there is one. */
import { randomUUID } from 'node:crypto';
import type { Repeats } from '../kernel/idempotency.ts';
import { RepeatRows } from '../store/postgres/repeat-rows.ts';
import type { Store } from '../store/postgres/store.ts';
import type { RepeatBounds } from './bounds.ts';
import { LayeredRepeats } from './layered-repeats.ts';
import { MemoryRepeats } from './memory-repeats.ts';
import { StoredRepeats } from './stored-repeats.ts';

export type OpenRepeats = Repeats & { close(): Promise<void> };

/** How long a dead node's keys stay its own: a short pause of a live one must not cost a second call. */
const ALIVE_MS = 15_000;
const RENEW_MS = 3_000;

export function openRepeats(
  bounds: () => RepeatBounds,
  nowMs: () => number,
  store: Store | undefined,
  onTrouble: (error: unknown) => void,
): OpenRepeats {
  const memory = new MemoryRepeats(bounds, nowMs);
  if (store === undefined) return Object.assign(memory, { close: () => Promise.resolve() });
  const rows = new RepeatRows(store, randomUUID(), ALIVE_MS);
  const stored = new StoredRepeats({ rows, bounds, renewMs: RENEW_MS, nowMs, onTrouble });
  return Object.assign(new LayeredRepeats(memory, stored), { close: () => stored.close() });
}
