/** The tags accounts have declared, cached in memory for requests; part of the composition root. */

import { listTags } from '../control/accounts/tag-rows.ts';
import type { DeclaredTag, DeclaredTags } from '../kernel/tags.ts';
import { OPERATOR } from '../store/postgres/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Backing } from './backing.ts';

export class StoredTags {
  readonly #backing: Backing;
  readonly #log: Log;
  #byAccount = new Map<string, readonly DeclaredTag[]>();
  #reading: Promise<void> = Promise.resolve();

  private constructor(backing: Backing, log: Log) {
    this.#backing = backing;
    this.#log = log;
  }

  static async open(backing: Backing, log: Log): Promise<StoredTags> {
    const tags = new StoredTags(backing, log);
    await tags.#read();
    backing.onTags = (accountId) => tags.#refresh(accountId);
    return tags;
  }

  readonly of: DeclaredTags = (accountId) => this.#byAccount.get(accountId);

  /** One read at a time: an older result must not overwrite a newer one. Without an account: those of all. */
  #refresh(accountId?: string): void {
    this.#reading = this.#reading
      .then(() => this.#read(accountId))
      .catch((error: unknown) => this.#log.warn('declared tags not read', { problem: String(error) }));
  }

  async #read(accountId?: string): Promise<void> {
    const rows = await this.#backing.store.within(OPERATOR, (db) => listTags(db, accountId));
    if (accountId === undefined) this.#byAccount.clear();
    else this.#byAccount.delete(accountId);
    for (const { account_id, key, required } of rows)
      this.#byAccount.set(account_id, [...(this.#byAccount.get(account_id) ?? []), { key, required }]);
  }
}
