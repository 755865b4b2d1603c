/**
 * The terms of accounts, cached by a node. Notifications report changes; since one may be lost in rare cases, terms are read
 * again when they are used after a while. Reads of many accounts go to the database together.
 */
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { Gathered } from '../../kernel/gathered.ts';
import type { LedgerDatabase, Terms } from './ledger-database.ts';

const MOST_KNOWN = 100_000;
/** One batch at a time: while it is under way, those asked for next gather. */
const BATCHES = { waitMs: 2, idleWaitMs: 100, mostInBatch: 500, mostUnderWay: 1 };
/** Terms in use are read again in the background after this time. */
const REFRESH_MS = 30_000;
/** A request waits for terms older than this to be read again. */
const STALE_MS = 60_000;

type Known = { readonly terms: Terms; readonly readAtMs: number };

export type KnownTermsPorts = {
  readonly database: Pick<LedgerDatabase, 'termsOf'>;
  readonly monotonicMs: () => number;
  readonly onTrouble: (error: unknown) => void;
};

export class KnownTerms {
  readonly #ports: KnownTermsPorts;
  readonly #known = new BoundedMap<string, Known>(MOST_KNOWN);
  /** By account: the latest read under way. What an earlier one finds may be outdated. */
  readonly #reads = new Map<string, Promise<Terms | undefined>>();
  readonly #asks: Gathered<string, Terms>;

  constructor(ports: KnownTermsPorts) {
    this.#ports = ports;
    this.#asks = new Gathered((accounts) => ports.database.termsOf(accounts), BATCHES);
  }

  /**
   * Undefined when they are not known and the ledger database cannot be reached now. Cached terms stay valid while it cannot;
   * no request waits for it then.
   */
  of(account: string, isDatabaseInReach: boolean): Terms | undefined | Promise<Terms | undefined> {
    const known = this.#known.get(account);
    if (known === undefined) return this.#reads.get(account) ?? this.#read(account);
    const ageMs = this.#ports.monotonicMs() - known.readAtMs;
    if (ageMs <= REFRESH_MS) return known.terms;
    const isWaitedFor = ageMs > STALE_MS && isDatabaseInReach;
    const read = this.#reads.get(account) ?? this.#read(account, isWaitedFor);
    return isWaitedFor ? read.then((terms) => terms ?? known.terms) : known.terms;
  }

  /** Resolves when the terms of all these accounts are known or could not be read. */
  async learn(accounts: Iterable<string>): Promise<void> {
    await Promise.all(Array.from(new Set(accounts), (account) => this.#read(account)));
  }

  /** The account's terms may have changed: stale ones could serve requests that its balance no longer pays for. */
  changed(account: string): void {
    if (this.#known.has(account) || this.#reads.has(account)) void this.#read(account);
  }

  some(holds: (terms: Terms) => boolean): boolean {
    for (const [, { terms }] of this.#known.entries()) if (holds(terms)) return true;
    return false;
  }

  #read(account: string, isUrgent = true): Promise<Terms | undefined> {
    const read: Promise<Terms | undefined> = this.#asks.ask(account, isUrgent).then(
      (terms) => {
        if (this.#reads.get(account) === read) {
          this.#reads.delete(account);
          this.#known.set(account, { terms, readAtMs: this.#ports.monotonicMs() });
        }
        return terms;
      },
      (error: unknown) => {
        if (this.#reads.get(account) === read) this.#reads.delete(account);
        this.#ports.onTrouble(error);
        return undefined;
      },
    );
    this.#reads.set(account, read);
    return read;
  }
}
