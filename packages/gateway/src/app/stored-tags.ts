/** The tags accounts have declared, cached in memory for requests; part of the composition root. */

import { listTags } from '../control/accounts/tag-rows.ts';
import type { DeclaredTag, DeclaredTags } from '../kernel/tags.ts';
import { OPERATOR } from '../store/postgres/store.ts';
import type { Log } from '../telemetry/log.ts';
import type { Backing } from './backing.ts';

export class StoredTags {
  readonly #backing: Backing;
  readonly #log: Log;
  #byAccount: ReadonlyMap<string, readonly DeclaredTag[]> = new Map();
  #reading: Promise<void> = Promise.resolve();

  private constructor(backing: Backing, log: Log) {
    this.#backing = backing;
    this.#log = log;
  }

  static async open(backing: Backing, log: Log): Promise<StoredTags> {
    const tags = new StoredTags(backing, log);
    await tags.#read();
    backing.onTags = () => tags.#refresh();
    return tags;
  }

  readonly of: DeclaredTags = (accountId) => this.#byAccount.get(accountId);

  /** One read at a time: an older result must not overwrite a newer one. */
  #refresh(): void {
    this.#reading = this.#reading
      .then(() => this.#read())
      .catch((error: unknown) => this.#log.warn('declared tags not read', { problem: String(error) }));
  }

  async #read(): Promise<void> {
    const byAccount = new Map<string, DeclaredTag[]>();
    for (const { account_id, key, required } of await this.#backing.store.within(OPERATOR, (db) => listTags(db))) {
      const tags = byAccount.get(account_id) ?? [];
      tags.push({ key, required });
      byAccount.set(account_id, tags);
    }
    this.#byAccount = byAccount;
  }
}
