/**
 * What accounts store, known to within a second: asked of the database once for all turns of that time, to which what is
 * written here is added. Another node's turns of that second are not seen: an account may go beyond its bound by them.
 */
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { Batches } from './batches.ts';
import type { StoredRows } from './rows.ts';

const MAX_KNOWN = 10_000;
const KNOWN_MS = 1000;

type Known = { bytes: bigint; readonly untilMs: number; readonly losses: number };
type Rows = Pick<StoredRows, 'bytesOf' | 'losses'>;

export class StoredTotals {
  #known = new BoundedMap<string, Known>(MAX_KNOWN);
  readonly #asked: Batches<string, bigint>;
  readonly #monotonicMs: () => number;

  readonly #rows: Rows;

  constructor(rows: Rows, monotonicMs: () => number) {
    this.#rows = rows;
    this.#monotonicMs = monotonicMs;
    this.#asked = new Batches(async (accounts) => {
      const bytes = await rows.bytesOf([...new Set(accounts)]);
      return accounts.map((accountId) => bytes.get(accountId) ?? 0n);
    });
  }

  /** Rejects if the store cannot be reached. An account is full only if the database says so now. */
  async isFull(accountId: string, maxBytes: bigint): Promise<boolean> {
    const known = this.#known.get(accountId);
    const isKnown = known !== undefined && this.#monotonicMs() < known.untilMs && known.losses === this.#rows.losses;
    return !(isKnown && known.bytes < maxBytes) && (await this.#ask(accountId)) >= maxBytes;
  }

  async #ask(accountId: string): Promise<bigint> {
    const untilMs = this.#monotonicMs() + KNOWN_MS;
    const { losses } = this.#rows;
    const bytes = await this.#asked.add(accountId);
    this.#known.set(accountId, { bytes, untilMs, losses });
    return bytes;
  }

  written(accountId: string, bytes: number): void {
    const known = this.#known.get(accountId);
    if (known !== undefined) known.bytes += BigInt(bytes);
  }

  /** The store could not be reached: the next turn asks again. */
  forget(): void {
    this.#known = new BoundedMap(MAX_KNOWN);
  }
}
