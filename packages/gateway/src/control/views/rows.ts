/** Saved views in the database: those of an account, or of the operators, who have none. */
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Db } from '../../store/postgres/store.ts';
import { storedAs, type TableOf } from '../api/shown.ts';
import type { NewView, SavedView } from './contract.ts';

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly saved_views: Omit<TableOf<typeof SavedView, { readonly account_id: string | null }>, 'own'>;
  }
}

export type ViewOwner = { readonly accountId: string | null; readonly owner: string };
export type ViewRow = Omit<SavedView, 'own' | 'createdAt'> & { readonly created_at: Date };

const SHOWN = ['id', 'page', 'name', 'search', 'shared', 'owner', 'created_at'] as const;

/** Of one owner. */
export const MAX_VIEWS = 50;
/** With those that others share. */
const MAX_LISTED = 500;

const seenBy = (db: Db, { accountId }: ViewOwner) =>
  db.selectFrom('saved_views').where(sql<boolean>`account_id is not distinct from ${accountId}`);

export const listViews = (db: Db, by: ViewOwner, page: SavedView['page'] | undefined): Promise<ViewRow[]> =>
  seenBy(db, by)
    .select(SHOWN)
    .where(({ eb, or }) => or([eb('owner', '=', by.owner), eb('shared', '=', true)]))
    .$if(page !== undefined, (query) => query.where('page', '=', page ?? 'requests'))
    .orderBy('name')
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute();

export const findView = (db: Db, by: ViewOwner, id: string): Promise<ViewRow | undefined> =>
  seenBy(db, by).select(SHOWN).where('id', '=', id).executeTakeFirst();

export async function countViews(db: Db, by: ViewOwner): Promise<number> {
  const row = await seenBy(db, by)
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('owner', '=', by.owner)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

export const insertView = (
  db: Db,
  view: Static<typeof NewView> & ViewOwner & { readonly id: string },
): Promise<ViewRow> => db.insertInto('saved_views').values(storedAs(view)).returning(SHOWN).executeTakeFirstOrThrow();

export async function deleteView(db: Db, by: ViewOwner, id: string): Promise<void> {
  await sql`delete from saved_views
    where id = ${id} and account_id is not distinct from ${by.accountId}`.execute(db);
}
