/** The ledger the gateway starts with. Without a database nothing is charged; with one, nothing is sent that nobody pays for. */
import type { Config } from './config/config.ts';
import { AuditRounds } from './ledger/audit-rounds.ts';
import { NodeLedger } from './ledger/node-ledger.ts';
import { OpenLedger } from './ledger/open-ledger.ts';
import { startNodeLedger } from './ledger/start-node-ledger.ts';
import { systemClock } from './runtime/clock.ts';
import { requestIds } from './runtime/request-ids.ts';
import type { Backing } from './store/backing.ts';
import type { Tables } from './store/tables.ts';
import type { Log } from './telemetry/log.ts';
import type { MetricsOptions } from './telemetry/metrics.ts';

export async function openLedger(
  { ledger: { journal } }: Config,
  backing: Backing | undefined,
  log: Log,
): Promise<OpenLedger | NodeLedger> {
  if (backing === undefined) return new OpenLedger();
  const ledger = await startNodeLedger({
    writer: backing.store.writer,
    journalFolder: journal,
    nextId: requestIds(systemClock.nowMs),
    monotonicMs: systemClock.monotonicMs,
    onTrouble: (error) => log.warn('the ledger is in trouble', { problem: String(error) }),
  });
  backing.onRecall = (accountId) => ledger.recalled(accountId);
  return ledger;
}

export const auditOf = (backing: Backing | undefined, log: Log): AuditRounds<Tables> | undefined =>
  backing === undefined
    ? undefined
    : new AuditRounds({
        writer: backing.store.writer,
        onViolation: ({ invariant, account, says }) =>
          log.error('the ledger is wrong', { problem: `${invariant}, account ${account}: ${says}` }),
        onTrouble: (error) => log.warn('the ledger could not be audited', { problem: String(error) }),
      });

export const ledgerGauges = (
  ledger: OpenLedger | NodeLedger,
  audit: AuditRounds<Tables> | undefined,
): Pick<MetricsOptions['gauges'], 'ledger'> =>
  ledger instanceof NodeLedger
    ? {
        ledger: {
          byLease: () => ledger.leaseAdmissions,
          byBook: () => ledger.strictAdmissions,
          violations: () => audit?.violations ?? 0,
          unaudited: () => audit?.unaudited ?? 0,
        },
      }
    : {};
