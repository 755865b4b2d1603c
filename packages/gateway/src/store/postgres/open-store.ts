/** Opens the store at startup: it must be reachable and have the schema of this release, otherwise startup fails. */
import type { Log } from '../../telemetry/log.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { Store, type StoreSettings } from './store.ts';

export async function openStore(settings: StoreSettings & { readonly migrate: boolean }, log: Log): Promise<Store> {
  if (settings.migrate) {
    const { applied } = await migrate(settings);
    if (applied.length > 0) log.info('database migrated', { steps: applied.join(', ') });
  } else {
    const pending = await pendingMigrations(settings);
    if (pending.length > 0)
      throw new Error(`the database lacks ${pending.join(', ')}: run \`trivium migrate\`, or set database.migrate`);
  }
  return new Store(settings, (error) => log.warn('database connection lost', { problem: error.message }));
}
