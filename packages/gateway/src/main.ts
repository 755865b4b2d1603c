/** The gateway's public API: start one, and the tools an operator's command line needs. */

import type { OpenSecrets } from './app/credentials/open-secrets.ts';
import { Gateway } from './app/gateway.ts';
import type { Config } from './config/config.ts';
import { makeNewSecret, makeOperatorCode } from './control/sessions/operator.ts';
import type { SignInCode } from './control/sessions/sign-in-code.ts';
import type { RequestRecord } from './kernel/record.ts';
import type { LeaseSource } from './money/limits/leases.ts';
import { Store } from './store/postgres/store.ts';
import { createLog, type Log } from './telemetry/log.ts';

export { auditLedger } from './app/audit-ledger.ts';
export {
  AFTER_RESTORE,
  BEFORE_RESTORE,
  EMPTY_DATABASE,
  type RestoreTarget,
  requireReadable,
  restoreTarget,
} from './app/backup.ts';
export type { CheckRow } from './app/check-live/check-live.ts';
export { openLiveCheck } from './app/check-live/open-check.ts';
export { fixtureLines, parseNanoUsd, reportText } from './app/check-live/report.ts';
export { configDiff } from './app/config-diff.ts';
export { diagnose } from './app/diagnose/diagnose.ts';
export type { Finding } from './app/diagnose/finding.ts';
export { diagnoseProviders } from './app/diagnose/providers.ts';
export * from './app/entries/config.ts';
export * from './app/entries/start.ts';
export * from './app/entries/supervisor.ts';
export type { Gateway } from './app/gateway.ts';
export type { DiffRow } from './app/price-diff.ts';
export { warmUp } from './app/warm-up/warm-up.ts';
export { settingsNeedingRestart } from './config/compare-settings.ts';
export { configJsonSchema } from './config/json-schema.ts';
export { watchConfig } from './config/watch.ts';
export { requireFree } from './http/listening.ts';
export type { RequestRecord } from './kernel/record.ts';
export { differenceText } from './models/shapes/differences.ts';
export { hashSecret, newKeySecret } from './people/accounts/key-secret.ts';
export { migrate } from './store/migrate.ts';
export { type PlannedMigration, planMigration } from './store/migration-plan.ts';
export { becomeSoleUser } from './store/postgres/sole-user.ts';
export { renderFigures } from './telemetry/metrics.ts';

export type StartOptions = {
  readonly config: Config;
  readonly log?: Log;
  readonly onRecord?: (record: RequestRecord) => void;
  /** Replaces this process's own metrics if several processes serve one address. */
  readonly renderFigures?: () => Promise<string>;
  /** Lease server for the rate limits of several processes that serve one address; Redis takes precedence. */
  readonly slices?: LeaseSource;
  /** Shows the operator's secret, once, when the first start with a database has created it. */
  readonly showFirstSecret?: (secret: string) => void;
  /** With which the configuration was read, if settings of it are in stores. */
  readonly secrets?: OpenSecrets;
};

export async function startGateway(options: StartOptions): Promise<Gateway> {
  const { config, log, ...ports } = options;
  return Gateway.start(config, { log: log ?? createLog({ level: config.log.level }), ...ports });
}

async function withStore<T>({ database }: Config, work: (store: Store) => Promise<T>): Promise<T> {
  if (database === undefined) throw new Error('the configuration names no database');
  const store = new Store(database);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** For an operator who has lost the admin API's secret and has the configuration. */
export const newOperatorSecret = (config: Config): Promise<string> => withStore(config, makeNewSecret);

/** A one-time code that signs an operator in, and the link to use it with. */
export const newOperatorCode = (config: Config): Promise<SignInCode> => {
  const { host, port, publicUrl } = config.admin;
  // Every address of this machine has none that a browser can open.
  const reached = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const origin = publicUrl === undefined ? `http://${reached}:${port}` : new URL(publicUrl).origin;
  return withStore(config, (store) => makeOperatorCode(store, origin));
};
