/** Captured content in the database: rules, data keys encrypted by the vault, and the location of the content. */
import { randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { KEY_BYTES } from '../../people/secrets/aead.ts';
import type { Vault } from '../../people/secrets/vault.ts';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';
import type { CaptureKeysTable, CapturesTable } from '../../store/postgres/tables.ts';
import { isUnreferenced } from '../../store/postgres/unreachable.ts';
import type { CaptureRow, CaptureRows, CaptureStoreName, DataKey } from './ports.ts';
import type { CaptureRule } from './rules.ts';
import type { CaptureRulesTable } from './tables.ts';

/** Notified with the account's id when a rule is added. */
export const CAPTURE_CHANNEL = 'trivium_capture';

const ID_BYTES = 12;
const STORE_SEEN_MINUTES = 10;

const identityOf = (accountId: string): string => `capture_keys:${accountId}`;

type RuleRow = Omit<Selectable<CaptureRulesTable>, 'id' | 'created_by'>;

const ruleOf = (row: RuleRow): CaptureRule => ({
  accountId: row.account_id,
  keyId: row.key_id,
  bodies: row.bodies,
  samplePercent: row.sample_percent,
  keepHours: row.keep_hours,
  untilMs: row.until_at?.getTime() ?? null,
  fromMs: row.from_at.getTime(),
});

const COLUMNS = sql`account_id, key_id, bodies, sample_percent, keep_hours, until_at, from_at`;

/** The latest rule of the account or, with `keyId`, of the key. */
export async function findCaptureRule(
  db: Db,
  accountId: string,
  keyId: string | null,
): Promise<CaptureRule | undefined> {
  const { rows } = await sql<RuleRow>`
    select ${COLUMNS} from capture_rules
    where account_id = ${accountId} and key_id is not distinct from ${keyId}
    order by from_at desc, id desc limit 1`.execute(db);
  return rows[0] && ruleOf(rows[0]);
}

export async function insertCaptureRule(
  db: Db,
  { accountId, keyId, bodies, samplePercent, keepHours, untilMs }: Omit<CaptureRule, 'fromMs'>,
  createdBy: string,
): Promise<CaptureRule> {
  const { rows } = await sql<RuleRow>`
    insert into capture_rules (account_id, key_id, bodies, sample_percent, keep_hours, until_at, created_by)
    values (${accountId}, ${keyId}, ${bodies}, ${samplePercent}, ${keepHours},
      ${untilMs === null ? null : new Date(untilMs)}, ${createdBy})
    returning ${COLUMNS}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a rule was not stored');
  return ruleOf(row);
}

/** Rewraps all data keys under the operator's current key; returns how many were changed. */
export async function rewrapCaptureKeys(db: Db, vault: Vault): Promise<number> {
  const rows = await db.selectFrom('capture_keys').selectAll().execute();
  const outdated = rows.map(sealedOf).filter((stored) => !vault.isCurrent(stored));
  for (const stored of outdated) {
    const { sealed, wrappedKey, wrapping } = vault.rewrap(identityOf(stored.accountId), stored);
    await db
      .updateTable('capture_keys')
      .set({ sealed, wrapped_key: wrappedKey, wrapping })
      .where('id', '=', stored.id)
      .execute();
  }
  return outdated.length;
}

const sealedOf = (row: Selectable<CaptureKeysTable>) => ({
  accountId: row.account_id,
  id: row.id,
  sealed: row.sealed,
  wrappedKey: row.wrapped_key,
  wrapping: row.wrapping,
});

export class StoredCaptures implements CaptureRows {
  readonly #store: Store;
  readonly #vault: () => Vault | undefined;

  constructor(store: Store, vault: () => Vault | undefined) {
    this.#store = store;
    this.#vault = vault;
  }

  get isReady(): boolean {
    return this.#vault() !== undefined;
  }

  async rulesInForce(): Promise<readonly CaptureRule[]> {
    return this.#store.within(OPERATOR, async (db) => {
      // A key's `off` or `inherit` counts as long as any rule of its account does.
      const { rows } = await sql<RuleRow>`
        select distinct on (account_id, key_id) ${COLUMNS} from capture_rules
        where account_id in (select account_id from capture_rules where until_at > now())
        order by account_id, key_id, from_at desc, id desc`.execute(db);
      return rows.map(ruleOf);
    });
  }

  rulesAt(accountId: string, keyId: string, atMs: number): Promise<readonly CaptureRule[]> {
    return this.#store.within(accountId, async (db) => {
      const { rows } = await sql<RuleRow>`
        select distinct on (key_id) ${COLUMNS} from capture_rules
        where account_id = ${accountId} and (key_id is null or key_id = ${keyId}) and from_at <= ${new Date(atMs)}
        order by key_id, from_at desc, id desc`.execute(db);
      return rows.map(ruleOf);
    });
  }

  async dataKeyFor(accountId: string): Promise<DataKey> {
    const found = await this.findDataKey(accountId);
    if (found !== undefined) return found;
    const vault = this.#requireVault();
    const id = `cak_${randomBytes(ID_BYTES).toString('base64url')}`;
    const secret = randomBytes(KEY_BYTES).toString('base64');
    const { sealed, wrappedKey, wrapping } = vault.seal(identityOf(accountId), secret);
    await this.#store.within(accountId, (db) =>
      db
        .insertInto('capture_keys')
        .values({ account_id: accountId, id, sealed, wrapped_key: wrappedKey, wrapping })
        .onConflict((conflict) => conflict.column('account_id').doNothing())
        .execute(),
    );
    // Another node may have been first.
    const made = await this.findDataKey(accountId);
    if (made === undefined) throw new Error('the data key was deleted while it was made');
    return made;
  }

  async findDataKey(accountId: string): Promise<DataKey | undefined> {
    const row = await this.#store.within(accountId, (db) =>
      db.selectFrom('capture_keys').selectAll().where('account_id', '=', accountId).executeTakeFirst(),
    );
    if (row === undefined) return undefined;
    const secret = this.#requireVault().open(identityOf(accountId), sealedOf(row));
    return { id: row.id, key: Buffer.from(secret, 'base64') };
  }

  async insert(row: CaptureRow): Promise<boolean> {
    try {
      await this.#store.within(row.accountId, (db) =>
        db
          .insertInto('captures')
          .values({
            request_id: row.requestId,
            account_id: row.accountId,
            data_key_id: row.dataKeyId,
            blob_id: row.blobId,
            store_id: row.storeId,
            bytes: BigInt(row.bytes),
            received_at: new Date(row.receivedAtMs),
            expires_at: new Date(row.expiresAtMs),
          })
          .execute(),
      );
      return true;
    } catch (error) {
      if (isUnreferenced(error)) return false;
      throw error;
    }
  }

  async find(accountId: string, requestId: string): Promise<CaptureRow | undefined> {
    const row = await this.#store.within(accountId, (db) =>
      db.selectFrom('captures').selectAll().where('request_id', '=', requestId).executeTakeFirst(),
    );
    return row && captureOf(row);
  }

  erase(accountId: string): Promise<readonly CaptureRow[]> {
    return this.#store.within(accountId, async (db) => {
      // First, so that a writer holding the key cannot insert a row after the rows were deleted.
      await sql`select from capture_keys where account_id = ${accountId} for update`.execute(db);
      const rows = await db.deleteFrom('captures').where('account_id', '=', accountId).returningAll().execute();
      // What does not go with the key: jobs, which end first, and answers that are not encrypted.
      await sql`delete from background_jobs where account_id = ${accountId} and finished_at is not null`.execute(db);
      await db.deleteFrom('repeats').where('account_id', '=', accountId).where('state', '=', 'kept').execute();
      await db.deleteFrom('capture_keys').where('account_id', '=', accountId).execute();
      return rows.map(captureOf);
    });
  }

  deleteExpired(nowMs: number): Promise<number> {
    return this.#store.within(OPERATOR, async (db) => {
      const deleted = await db.deleteFrom('captures').where('expires_at', '<=', new Date(nowMs)).executeTakeFirst();
      return Number(deleted.numDeletedRows);
    });
  }

  async noteStore({ id, kind }: CaptureStoreName): Promise<void> {
    await this.#store.within(OPERATOR, (db) =>
      db
        .insertInto('capture_stores')
        .values({ id, kind })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql<Date>`now()` }))
        .execute(),
    );
  }

  storesInUse(): Promise<readonly CaptureStoreName[]> {
    return this.#store.within(OPERATOR, (db) =>
      db
        .selectFrom('capture_stores')
        .select(['id', 'kind'])
        .where('seen_at', '>', sql<Date>`now() - ${STORE_SEEN_MINUTES} * interval '1 minute'`)
        .execute(),
    );
  }

  #requireVault(): Vault {
    const vault = this.#vault();
    if (vault === undefined) throw new Error('secrets.keys is not configured on this node');
    return vault;
  }
}

const captureOf = (row: Selectable<CapturesTable>): CaptureRow => ({
  requestId: row.request_id,
  accountId: row.account_id,
  dataKeyId: row.data_key_id,
  blobId: row.blob_id,
  storeId: row.store_id,
  bytes: Number(row.bytes),
  receivedAtMs: row.received_at.getTime(),
  expiresAtMs: row.expires_at.getTime(),
});
