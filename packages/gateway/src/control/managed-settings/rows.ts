/** Versions of managed settings: added for every change and never altered. */
import { sql } from 'kysely';
import { inOrder, type ManagedSettings } from '../../people/managed/managed-settings.ts';
import type { Db } from '../../store/postgres/store.ts';

export type ManagedRow = {
  readonly name: string;
  readonly version: number;
  readonly entry: ManagedSettings | null;
  readonly created_at: Date;
  readonly created_by: string;
};
export type ManagedInForce = ManagedRow & { readonly entry: ManagedSettings };

/** Notified whenever one changes. */
export const MANAGED_CHANNEL = 'trivium_managed_settings';

/** Safety limit: every node has all of them in memory. */
export const MAX_MANAGED = 1000;

const COLUMNS = sql`name, version, entry, created_at, created_by`;

/** In the order in which they decide. */
export async function managedInForce(db: Db): Promise<readonly ManagedInForce[]> {
  const { rows } = await sql<ManagedInForce>`
    select ${COLUMNS} from (select distinct on (name) ${COLUMNS} from managed_settings order by name, version desc) latest
    where entry is not null limit ${MAX_MANAGED}`.execute(db);
  return inOrder(rows.map((row) => ({ ...row, priority: row.entry.priority })));
}

/** Of one name, latest first. */
export async function managedVersions(db: Db, name: string, limit: number): Promise<readonly ManagedRow[]> {
  const { rows } = await sql<ManagedRow>`
    select ${COLUMNS} from managed_settings where name = ${name} order by version desc limit ${limit}`.execute(db);
  return rows;
}

/** Changes come one after the other: each is noted with what was before. */
export async function lockManaged(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('trivium_managed_settings'))`.execute(db);
}

/** `entry`: null removes it. */
export async function insertManaged(
  db: Db,
  name: string,
  entry: ManagedSettings | null,
  createdBy: string,
): Promise<ManagedRow> {
  const { rows } = await sql<ManagedRow>`
    insert into managed_settings (name, version, entry, created_by)
    select ${name}, coalesce(max(version), 0) + 1, ${entry === null ? null : JSON.stringify(entry)}::jsonb, ${createdBy}
    from managed_settings where name = ${name}
    returning ${COLUMNS}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('managed settings were not stored');
  return row;
}
