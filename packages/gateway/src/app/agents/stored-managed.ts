/** Managed settings in memory, with their answers and checksums; part of the composition root. */
import { managedInForce } from '../../control/managed-settings/rows.ts';
import type { Caller } from '../../kernel/caller.ts';
import {
  type ManagedAnswer,
  type ManagedSettings,
  managedAnswer,
  matchedBy,
} from '../../people/managed/managed-settings.ts';
import { OPERATOR } from '../../store/postgres/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Backing } from '../backing.ts';

export class StoredManaged {
  readonly #backing: Backing;
  readonly #log: Log;
  #inForce: readonly (ManagedAnswer & { readonly entry: ManagedSettings })[] = [];
  #reading: Promise<void> = Promise.resolve();

  private constructor(backing: Backing, log: Log) {
    this.#backing = backing;
    this.#log = log;
  }

  static async open(backing: Backing, log: Log): Promise<StoredManaged> {
    const managed = new StoredManaged(backing, log);
    await managed.#read();
    backing.onManaged = () => managed.#refresh();
    return managed;
  }

  /** Undefined: there are none for this caller. */
  readonly of = ({ accountId, grant }: Caller): ManagedAnswer | undefined => {
    if (grant === undefined) return undefined;
    const { groups } = grant;
    return this.#inForce.find(({ entry }) => matchedBy(entry, { accountId, groups }) !== undefined);
  };

  /** One read at a time: an older result must not overwrite a newer one. */
  #refresh(): void {
    this.#reading = this.#reading
      .then(() => this.#read())
      .catch((error: unknown) => this.#log.warn('managed settings not read', { problem: String(error) }));
  }

  async #read(): Promise<void> {
    const rows = await this.#backing.store.within(OPERATOR, managedInForce);
    this.#inForce = rows.map(({ entry, version }) => ({ entry, ...managedAnswer(entry, version) }));
  }
}
