/**
 * What a start needs besides a valid configuration, tried before anything else is done or said: each failure is one
 * sentence. A database that cannot be reached is no failure, since the gateway waits for it.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config, DatabaseSettings } from '../config/config.ts';
import { requireFree } from '../http/listening.ts';
import { openPool } from '../store/postgres/store.ts';
import { isAway } from '../store/postgres/unreachable.ts';

type StartNeeds = Pick<Config, 'listen' | 'admin' | 'database' | 'ledger'>;

export async function requireStartable(config: StartNeeds): Promise<void> {
  const { listen, admin, database } = config;
  // A second process on the same address would join the ledger but get no request.
  await requireFree([listen, admin, admin.members].filter((one) => one !== undefined));
  requireJournalFolder(config);
  if (database !== undefined) await requireAccess(database);
}

/** A volume with the wrong owner is a common mistake, and no fault of the database. */
export function requireJournalFolder({ database, ledger: { journal } }: Pick<Config, 'database' | 'ledger'>): void {
  if (database === undefined) return;
  const probe = join(journal, `.probe.${process.pid}`);
  try {
    mkdirSync(journal, { recursive: true, mode: 0o700 });
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new Error(`cannot write to the folder ledger.journal ${journal}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function requireAccess(settings: DatabaseSettings): Promise<void> {
  const pool = openPool({ ...settings, maxConnections: 1 }, undefined, () => undefined);
  try {
    await pool.query('select 1');
  } catch (error) {
    if (isAway(error)) return;
    throw new Error(`the database of database.url refuses: ${(error as Error).message}`, { cause: error });
  } finally {
    await pool.end();
  }
}
