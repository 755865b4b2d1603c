/** Checks of `trivium backup` and `trivium restore` at the database; part of the composition root. */
import type { DatabaseSettings } from '../config/config.ts';
import { listNodes } from '../control/nodes/rows.ts';
import { contentsOf, unreadableTables } from '../store/postgres/backup-rows.ts';
import { kyselyOn, openPool, Store } from '../store/postgres/store.ts';

export { AFTER_RESTORE, BEFORE_RESTORE, EMPTY_DATABASE } from '../store/postgres/backup-rows.ts';

async function asked<T>(settings: DatabaseSettings, ask: (db: ReturnType<typeof kyselyOn>) => Promise<T>): Promise<T> {
  const db = kyselyOn(openPool({ ...settings, maxConnections: 1 }, undefined, () => undefined));
  try {
    return await ask(db);
  } finally {
    await db.destroy();
  }
}

/** Throws unless a dump as this user has every row. */
export async function requireReadable(settings: DatabaseSettings): Promise<void> {
  const tables = await asked(settings, unreadableTables);
  if (tables.length > 0)
    throw new Error(
      `the user of database.url cannot read every row of ${tables.slice(0, 3).join(', ')}${tables.length > 3 ? ' …' : ''}: back up as the user who owns the database, or as one with BYPASSRLS`,
    );
}

export type RestoreTarget = { readonly database: string; readonly tables: number; readonly nodes: readonly string[] };

/** What is in the way of a restore: tables, and nodes that run on them. */
export async function restoreTarget(settings: DatabaseSettings): Promise<RestoreTarget> {
  const { database, tables, hasNodes } = await asked(settings, contentsOf);
  if (!hasNodes) return { database, tables, nodes: [] };
  const store = new Store(settings);
  try {
    const nodes = await listNodes<{ readonly hostname: string; readonly pid: number }>(store);
    return { database, tables, nodes: nodes.map(({ report }) => `${report.hostname} (process ${report.pid})`) };
  } finally {
    await store.close();
  }
}
