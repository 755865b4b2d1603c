/** PostgreSQL: whether it answers, its schema version, and its clock. */
import type { DatabaseSettings } from '../../config/config.ts';
import { pendingMigrations } from '../../store/migrate.ts';
import { openPool } from '../../store/postgres/store.ts';
import { type Finding, reasonOf } from './finding.ts';
import { type ClockReading, readClock, skewFinding } from './skew.ts';

const OLDEST_VERSION = 15;

type Server = { readonly version: number; readonly clock: ClockReading };

async function askServer(settings: DatabaseSettings): Promise<Server> {
  const pool = openPool({ ...settings, maxConnections: 1 }, undefined, () => undefined);
  try {
    const { rows } = await pool.query<{ version: string }>("select current_setting('server_version_num') as version");
    const clock = await readClock(async () => {
      const answer = await pool.query<{ ms: number }>(
        'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
      );
      return Number(answer.rows[0]?.ms);
    }, Date.now);
    return { version: Math.floor(Number(rows[0]?.version) / 10_000), clock };
  } finally {
    await pool.end();
  }
}

const schemaFinding = (pending: readonly string[], appliesAtStart: boolean): Finding => {
  const check = 'Database schema';
  if (pending.length === 0) return { check, status: 'ok', detail: 'up to date' };
  const detail = `${pending.length} migration${pending.length === 1 ? '' : 's'} pending`;
  return appliesAtStart
    ? { check, status: 'ok', detail: `${detail}; serve applies them at its start` }
    : { check, status: 'fail', detail, next: 'run trivium migrate (database.migrate is off)' };
};

export async function diagnoseDatabase(settings: DatabaseSettings | undefined): Promise<readonly Finding[]> {
  const check = 'Database';
  if (settings === undefined)
    return [{ check, status: 'ok', detail: 'none configured: keys come from the file, and nothing is charged' }];
  try {
    const { version, clock } = await askServer(settings);
    const detail = `PostgreSQL ${version} answers`;
    const answered: Finding =
      version < OLDEST_VERSION
        ? { check, status: 'fail', detail, next: `use PostgreSQL ${OLDEST_VERSION} or newer` }
        : { check, status: 'ok', detail };
    const schema = await pendingMigrations(settings).then(
      (pending) => schemaFinding(pending, settings.migrate),
      (error): Finding => ({
        check: 'Database schema',
        status: 'fail',
        detail: reasonOf(error),
        next: 'read docs/operate/upgrade.md',
      }),
    );
    return [answered, schema, skewFinding('database', clock)];
  } catch (error) {
    const next = 'check database.url, that the server runs, and that this machine may connect to it';
    return [{ check, status: 'fail', detail: reasonOf(error), next }];
  }
}
