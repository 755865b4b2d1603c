/** What a backup needs to know of a database before it is dumped, and a restore before it is filled. */

import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * Tables of which this user would see some rows only: row-level security holds for it, and no policy opens the whole table to
 * it with the operator's tenant. A dump of them would lack rows without an error.
 */
export async function unreadableTables(db: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind in ('r', 'p') and c.relrowsecurity
      and not (select rolsuper or rolbypassrls from pg_roles where rolname = current_user)
      and (c.relforcerowsecurity or not pg_has_role(c.relowner, 'usage'))
      and (
        exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive)
        or not exists (
          select from pg_policy p, unnest(p.polroles) role
          where p.polrelid = c.oid and p.polcmd in ('*', 'r') and (role = 0 or pg_has_role(role, 'usage'))
            and pg_get_expr(p.polqual, p.polrelid) ~ '^(true|trivium_sees\\((?!.*\\) (AND|OR) ).*\\))$'))
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

const isSystem = sql`(n.nspname like 'pg\\_%' or n.nspname = 'information_schema')`;

/** How many tables the database has, and whether there are processes of ours to ask about in it. */
export async function contentsOf(
  db: Kysely<Tables>,
): Promise<{ readonly database: string; readonly tables: number; readonly hasNodes: boolean }> {
  const { rows } = await sql<{ database: string; tables: number; hasNodes: boolean }>`
    select current_database() as database, to_regclass('public.nodes') is not null as "hasNodes",
      (select count(*)::int from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p') and not ${isSystem}) as tables`.execute(db);
  return rows[0] ?? { database: '', tables: 0, hasNodes: false };
}

/** Before the statements of a dump, in the same transaction: roles belong to the server, and are not in it. */
export const BEFORE_RESTORE = `
do $$ begin create role trivium_app nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role trivium_writer nologin; exception when duplicate_object or unique_violation then null; end $$;
grant trivium_app, trivium_writer to current_user;
`;

/** Deletes everything in the database; schemas that others need are made again. */
export const EMPTY_DATABASE = `
do $$ declare one name; begin
  for one in select nspname from pg_namespace n where not (nspname like 'pg\\_%' or nspname = 'information_schema') loop
    execute format('drop schema %I cascade', one);
  end loop;
end $$;
create schema public authorization pg_database_owner;
grant usage on schema public to public;
`;

/** The processes that ran when the backup was made do not run here. */
export const AFTER_RESTORE = `
set row_security = on;
set trivium.tenant = '*';
do $$ begin if to_regclass('public.nodes') is not null then delete from public.nodes; end if; end $$;
`;
