/** Opens the store of answers by Idempotency-Key: in memory, and in the database if there is one. */
import { randomUUID } from 'node:crypto';
import type { IdempotencyStore } from '../../kernel/idempotency.ts';
import { RepeatRows } from '../../store/postgres/repeat-rows.ts';
import type { Store } from '../../store/postgres/store.ts';
import { type AnswerKeys, AnswerSeals } from './answer-seals.ts';
import type { RepeatBounds } from './bounds.ts';
import { LayeredIdempotencyStore } from './layered-store.ts';
import { MemoryIdempotencyStore, type StoreRoom } from './memory-store.ts';
import { PostgresIdempotencyStore } from './postgres-store.ts';

export type OpenIdempotencyStore = IdempotencyStore & {
  /** Answers in the memory of this process. */
  forgetAccount(accountId: string): void;
  close(): Promise<void>;
};

/** How long a node keeps its keys without a heartbeat: a short pause of a live node must not cause a second call. */
const ALIVE_MS = 15_000;
const RENEW_MS = 3_000;

export function openIdempotencyStore(
  bounds: () => RepeatBounds,
  nowMs: () => number,
  stored: { readonly store: Store; readonly keys: AnswerKeys } | undefined,
  onTrouble: (error: unknown) => void,
  room: StoreRoom,
): OpenIdempotencyStore {
  const memory = new MemoryIdempotencyStore(bounds, nowMs, room);
  if (stored === undefined) return Object.assign(memory, { close: () => Promise.resolve() });
  const rows = new RepeatRows(stored.store, randomUUID(), ALIVE_MS);
  const seals = new AnswerSeals(stored.keys);
  const everywhere = new PostgresIdempotencyStore({ rows, seals, bounds, renewMs: RENEW_MS, nowMs, onTrouble });
  return Object.assign(new LayeredIdempotencyStore(memory, everywhere), {
    forgetAccount: (accountId: string) => memory.forgetAccount(accountId),
    close: () => everywhere.close(),
  });
}
