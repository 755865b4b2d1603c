/**
 * Opens the store at startup, with the schema of this release. A database that cannot be reached is waited for; one that
 * answers and refuses ends the startup.
 */
import { pause } from '../kernel/clock.ts';
import { reasonOf } from '../kernel/reason-of.ts';
import type { Log } from '../telemetry/log.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { Store, type StoreSettings } from './postgres/store.ts';
import { isAway, placeOf } from './postgres/unreachable.ts';

const AGAIN_MS = 1000;
/** How often the log repeats that it waits. */
const SAY_EVERY = 30;

export async function openStore(settings: StoreSettings & { readonly migrate: boolean }, log: Log): Promise<Store> {
  for (let tries = 0; ; tries++)
    try {
      await requireSchema(settings, log);
      break;
    } catch (error) {
      if (!isAway(error)) throw error;
      if (tries % SAY_EVERY === 0) log.warn('database unreachable: waiting for it', unreachable(settings.url, error));
      await pause(AGAIN_MS);
    }
  return new Store(settings, (error) => log.warn('database connection lost', { problem: error.message }));
}

/** Which database, why, and what to do. */
function unreachable(url: string, error: unknown): Record<string, string> {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return { problem: `${placeOf(url)}: ${reasonOf(cause)}`, next: 'start PostgreSQL there, or correct database.url' };
}

async function requireSchema(settings: StoreSettings & { readonly migrate: boolean }, log: Log): Promise<void> {
  if (settings.migrate) {
    const { applied } = await migrate(settings);
    if (applied.length > 0) log.info('database migrated', { steps: applied.join(', ') });
    return;
  }
  const pending = await pendingMigrations(settings);
  if (pending.length > 0)
    throw new Error(`the database lacks ${pending.join(', ')}: run \`trivium migrate\`, or set database.migrate`);
}
