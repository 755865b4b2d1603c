/**
 * Seals remembered by all nodes: in this node's memory first, and behind it in the database, which is written and read
 * without ever failing a request. A slow or unreachable database costs the model's reasoning, not the conversation.
 */
import { every } from '../../kernel/clock.ts';
import type { KeptTurn, Recalled, SealMemory } from '../../kernel/seals.ts';
import type { KeptTurnRows, SealedTurn } from '../../store/postgres/kept-turn-rows.ts';
import { AbsentCalls } from './absent-calls.ts';
import { keyOf } from './seal-memory.ts';
import type { TurnCipher } from './turn-cipher.ts';

export type SharedSealOptions = {
  readonly here: SealMemory;
  readonly rows: KeptTurnRows;
  readonly cipher: () => TurnCipher;
  readonly ttlMs: () => number;
  readonly nowMs: () => number;
  readonly onTrouble: (error: unknown) => void;
};

/** A request waits no longer than this (in ms) for another node's seals. */
const RECALL_MS = 500;
/** Turns being written to the database; beyond it, new ones stay on this node. */
const MAX_WRITING = 1000;
const SWEEP_MS = 60_000;

export class SharedSealMemory implements SealMemory {
  readonly #options: SharedSealOptions;
  readonly #stopSweeping: () => void;
  readonly #writing = new Set<Promise<void>>();
  readonly #absent: AbsentCalls;

  constructor(options: SharedSealOptions) {
    this.#options = options;
    this.#absent = new AbsentCalls(options.nowMs);
    this.#stopSweeping = every(SWEEP_MS, () => options.rows.sweep(), options.onTrouble);
  }

  keep(accountId: string, turn: KeptTurn): void {
    const { here, rows, cipher, ttlMs, onTrouble } = this.#options;
    here.keep(accountId, turn);
    for (const item of turn) if ('call' in item) this.#absent.forget(keyOf(accountId, item.call.id));
    if (this.#writing.size >= MAX_WRITING) return;
    const sealing = cipher();
    const sealed = turn.flatMap((item): SealedTurn[] =>
      'call' in item ? [{ callId: item.call.id, sealed: sealing.seal(accountId, item.call.id, turn) }] : [],
    );
    if (sealed.length === 0) return;
    const writing: Promise<void> = rows
      .keep(accountId, sealed, ttlMs())
      .catch(onTrouble)
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  nothingToKeep(accountId: string, callIds: readonly string[]): void {
    for (const id of callIds) this.#absent.never(keyOf(accountId, id), this.#options.ttlMs());
  }

  recall(accountId: string, callIds: readonly string[]): Recalled | Promise<Recalled> {
    const here = this.#options.here.recall(accountId, callIds);
    return here instanceof Promise
      ? here.then((found) => this.#complete(accountId, callIds, found))
      : this.#complete(accountId, callIds, here);
  }

  /** Pending writes to the database are finished first. */
  async close(): Promise<void> {
    this.#stopSweeping();
    await Promise.all(this.#writing);
  }

  #complete(accountId: string, callIds: readonly string[], found: Recalled): Recalled | Promise<Recalled> {
    const missing = callIds.filter((id) => !found.has(id) && !this.#absent.has(keyOf(accountId, id)));
    return missing.length === 0 ? found : this.#elsewhere(accountId, missing, found);
  }

  async #elsewhere(accountId: string, callIds: readonly string[], found: Recalled): Promise<Recalled> {
    const { here, rows, cipher, onTrouble, ttlMs } = this.#options;
    const tooLate = new Promise<undefined>((resolve) => {
      setTimeout(resolve, RECALL_MS, undefined).unref();
    });
    const asked = rows.find(accountId, callIds).catch((error: unknown) => {
      onTrouble(error);
      return undefined;
    });
    const sealedTurns = await Promise.race([asked, tooLate]);
    if (sealedTurns === undefined) return found;
    const opening = cipher();
    const all = new Map(found);
    for (const { callId, sealed } of sealedTurns) {
      const turn = opening.open(accountId, callId, sealed);
      if (turn === undefined) continue;
      all.set(callId, turn);
      // The next turn of this conversation needs no lookup.
      here.keep(accountId, turn);
    }
    for (const id of callIds) if (!all.has(id)) this.#absent.missed(keyOf(accountId, id), ttlMs());
    return all;
  }
}
