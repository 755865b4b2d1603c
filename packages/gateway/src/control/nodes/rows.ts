/** The serving processes, one row each: renewed every few seconds, and deleted soon after the process ends. */
import { sql } from 'kysely';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';

/** An older row belongs to a process that died, or has lost the database. */
const NODE_EXPIRY_MS = 60_000;

export type NodeRow<Report> = { readonly id: string; readonly seen_at: Date; readonly report: Report };

const isAlive = sql`seen_at > now() - ${NODE_EXPIRY_MS} * interval '1 millisecond'`;

/** `settings` is written only if given; null: they are too large. */
export const renewNode = (store: Store, id: string, report: object, settings?: string | null): Promise<void> =>
  store.within(OPERATOR, async (db: Db) => {
    const text = JSON.stringify(report);
    await sql`insert into nodes (id, report, settings) values (${id}, ${text}::jsonb, ${settings ?? null})
      on conflict (id) do update set seen_at = now(), report = excluded.report${
        settings === undefined ? sql`` : sql`, settings = excluded.settings`
      }`.execute(db);
    await sql`delete from nodes where not (${isAlive})`.execute(db);
  });

export const removeNode = (store: Store, id: string): Promise<void> =>
  store.within(OPERATOR, async (db) => {
    await sql`delete from nodes where id = ${id}`.execute(db);
  });

export const listNodes = <Report>(store: Store): Promise<readonly NodeRow<Report>[]> =>
  store.within(OPERATOR, async (db) => {
    const { rows } = await sql<NodeRow<Report>>`
      select id, seen_at, report from nodes where ${isAlive} order by id`.execute(db);
    return rows;
  });

/** Undefined: no such node. Null: it has not published them. */
export const settingsOfNode = (store: Store, id: string): Promise<string | null | undefined> =>
  store.within(OPERATOR, async (db) => {
    const { rows } = await sql<{ settings: string | null }>`
      select settings from nodes where id = ${id} and ${isAlive}`.execute(db);
    return rows[0]?.settings;
  });
