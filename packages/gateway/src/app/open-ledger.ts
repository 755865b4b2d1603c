/**
 * The ledger the gateway starts with. Without a database nothing is charged; with one, nothing is sent without funds
 * for it.
 */

import type { Config } from '../config/config.ts';
import type { AlertWatch } from '../control/alerts/alert-watch.ts';
import type { AccountCredit, CreditPort, LedgerChange, TemplatePort } from '../control/api/credit-port.ts';
import { RecordRows } from '../control/requests/record-rows.ts';
import { UsageRows } from '../control/usage/usage-rows.ts';
import { systemClock } from '../kernel/clock.ts';
import { requestIds } from '../kernel/request-ids.ts';
import { LostUsageError, ParkedCommandError } from '../money/ledger/apply-in-parts.ts';
import { AuditRounds } from '../money/ledger/audit-rounds.ts';
import { BudgetTemplates, UnknownTimeZoneError } from '../money/ledger/budget-templates.ts';
import { Credits, DoesNotFitError, OperatorsBudgetError, OtherAmountError } from '../money/ledger/credits.ts';
import { DatabaseSetBackError, ServerChangedError } from '../money/ledger/database-watch.ts';
import { OtherNameError } from '../money/ledger/left-journals.ts';
import { changeMany, standingsIn } from '../money/ledger/many-changes.ts';
import { NodeLedger } from '../money/ledger/node-ledger.ts';
import { OpenLedger } from '../money/ledger/open-ledger.ts';
import { startNodeLedger } from '../money/ledger/start-node-ledger.ts';
import { eventsInFormerJournal, interruptedIn } from '../money/usage/journal-format.ts';
import { BLAMED_OUTCOMES } from '../money/usage/outcome-class.ts';
import type { UsageStorage } from '../money/usage/recorder.ts';
import type { ReportedBalance } from '../money/usage/reports.ts';
import type { Tables } from '../store/postgres/tables.ts';
import type { Log } from '../telemetry/log.ts';
import type { MetricsOptions } from '../telemetry/metrics.ts';
import type { Backing } from './backing.ts';

/** Errors of the disk, which are no fault of the database. */
const isOfDisk = (error: unknown): error is Error =>
  error instanceof Error && ('path' in error || ('code' in error && DISK_CODES.has(String(error.code))));
const DISK_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']);

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
    usage: { interrupted: interruptedIn, inFormerJournal: eventsInFormerJournal, blamedOutcomes: BLAMED_OUTCOMES },
    onTrouble: (error) => logTrouble(log, error),
  });
  backing.onRecall = (accountId) => ledger.recalled(accountId);
  backing.onAccount = (accountId) => ledger.changed(accountId);
  return ledger;
}

export function logTrouble(log: Log, error: unknown): void {
  if (error instanceof ParkedCommandError)
    log.error('ledger command parked: the database refused it', { problem: error.message });
  else if (error instanceof LostUsageError) log.error('usage event lost', { problem: error.message });
  else if (error instanceof ServerChangedError)
    log.warn('another ledger database server has taken over: posting all journals again', { problem: error.message });
  else if (error instanceof DatabaseSetBackError)
    log.error('ledger database was set back to an earlier copy: posting all journals again', {
      problem: error.message,
    });
  else if (error instanceof OtherNameError)
    log.error('ledger journals wait for a database of another name: their charges are not posted', {
      problem: error.message,
    });
  else if (isOfDisk(error)) log.error('ledger journal cannot be written', { problem: error.message });
  else log.warn('ledger database unreachable', { problem: String(error) });
}

export const auditOf = (
  backing: Backing | undefined,
  log: Log,
  onViolation: AlertWatch['violation'] = () => undefined,
): AuditRounds<Tables> | undefined =>
  backing === undefined
    ? undefined
    : new AuditRounds({
        writer: backing.store.writer,
        onViolation: ({ invariant, account, says }) => {
          log.error('ledger audit failed', { problem: `${invariant}, account ${account}: ${says}` });
          onViolation(account, invariant, says);
        },
        onTrouble: (error) => log.warn('ledger audit not completed', { problem: String(error) }),
      });

/** What `/credits` returns to an account. */
export const balanceIn = ({ store }: Backing) => {
  const credits = new Credits(store.writer);
  return async (accountId: string): Promise<ReportedBalance | undefined> => {
    const balance = await credits.balance(accountId);
    return balance && { kind: balance.kind, creditNano: balance.credit, pendingNano: balance.pending };
  };
};

const unlessItDoesNotFit = async (change: () => Promise<void>): Promise<boolean> => {
  try {
    await change();
    return true;
  } catch (error) {
    if (error instanceof DoesNotFitError) return false;
    throw error;
  }
};

const unlessItIsTheOperators = async <Outcome>(change: () => Promise<Outcome>): Promise<Outcome | 'operators'> => {
  try {
    return await change();
  } catch (error) {
    if (error instanceof OperatorsBudgetError) return 'operators';
    throw error;
  }
};

const commandOf = ({ accountId: account, ...change }: LedgerChange) => {
  if (change.do === 'terms')
    return { do: 'open-account', account, kind: change.kind, overdraft: change.limitNano } as const;
  if (change.do === 'parent') return { do: 'set-parent', account, parent: change.parentId } as const;
  if (change.do === 'template') return { do: 'set-template', account, ...change.template } as const;
  if (change.do === 'no-template')
    return { do: 'remove-template', account, each: change.each, span: change.span } as const;
  const { scope, span, nano: limit, setBy } = change;
  return { do: 'set-budget', account, scope, span, limit, setBy } as const;
};

/** What operators can see and do of an account's balance. */
export function creditIn({ store }: Backing): CreditPort {
  const credits = new Credits(store.writer);
  return {
    standings: (db, accountIds) =>
      store.asWriter(db, async (writer) =>
        (await standingsIn(writer, accountIds)).map(({ account, overdraft, parent, budgets }) => ({
          accountId: account,
          limitNano: overdraft,
          parentId: parent,
          budgets: budgets.map(({ most, ...budget }) => ({ ...budget, mostNano: BigInt(most) })),
        })),
      ),
    changeAll: async (db, changes, by) => {
      const refused = await store.asWriter(db, (writer) => changeMany(writer, changes.map(commandOf), by));
      if (refused === undefined) return undefined;
      const { at, result } = refused;
      if (result === 'operators') return { at, why: 'operators' };
      if (result.is === 'unknown-account') return { at, why: 'unknown' };
      if (result.is !== 'refused') throw new Error(`the ledger database answered ${result.is}`);
      if (changes[at]?.do !== 'parent') return { at, why: 'does-not-fit' };
      return { at, why: result.scope === 'depth' ? 'depth' : 'cycle' };
    },
    credit: async (accountId): Promise<AccountCredit> => {
      await credits.open(accountId);
      const balance = await credits.balance(accountId);
      if (balance === undefined) throw new Error(`the ledger database does not know the account ${accountId}`);
      const { kind, credit, posted, pending, leased, overdraft, overrun } = balance;
      return {
        kind,
        creditNano: credit,
        spentNano: posted,
        heldNano: pending - leased,
        leasedNano: leased,
        limitNano: overdraft,
        overrunNano: overrun,
      };
    },
    deposit: async (of, note) => {
      try {
        return await store.writing(of.accountId, (db) => new Credits<Tables>(db).deposit(of), note);
      } catch (error) {
        if (error instanceof DoesNotFitError) return 'refused';
        if (error instanceof OtherAmountError) return 'other-amount';
        throw error;
      }
    },
    setTerms: (accountId, kind, limitNano, note) =>
      unlessItDoesNotFit(() =>
        store.writing(accountId, (db) => new Credits<Tables>(db).setTerms(accountId, kind, limitNano), note),
      ),
    setParent: (accountId, parentId, note) =>
      store.writing(
        accountId,
        (db) => new Credits<Tables>(db).setParent(accountId, parentId),
        async (db, problem) => {
          if (problem === undefined) await note(db);
        },
      ),
    family: (accountId) => credits.familyOf(accountId),
    parentsOf: (accountIds) => credits.parentsOf(accountIds),
    budgets: async (accountId) =>
      (await credits.budgets(accountId)).map(({ scope, span, most, setBy, posted, pending }) => ({
        scope,
        span,
        setBy,
        mostNano: most,
        spentNano: posted,
        heldNano: pending,
      })),
    setBudget: (accountId, scope, span, nano, note, by) =>
      unlessItIsTheOperators(async () => {
        await store.writing(
          accountId,
          (db) => new Credits<Tables>(db).setBudget(accountId, scope, span, nano, by),
          note,
        );
        return 'done' as const;
      }),
    removeBudget: (accountId, scope, span, note, by) =>
      unlessItIsTheOperators(async () => {
        const wasSet = await store.writing(
          accountId,
          (db) => new Credits<Tables>(db).removeBudget(accountId, scope, span, by),
          async (db, isRemoved) => {
            if (isRemoved) await note(db);
          },
        );
        return wasSet ? ('done' as const) : ('none' as const);
      }),
  };
}

/** Budget templates, for the admin API. */
export function templatesIn({ store }: Backing, isModel: TemplatePort['isModel']): TemplatePort {
  const templates = new BudgetTemplates(store.writer);
  return {
    isModel,
    list: (accountId) => templates.list(accountId),
    balances: (...of) => templates.balances(...of),
    set: (accountId, template, note) =>
      unlessItIsTheOperators(async () => {
        try {
          await store.writing(accountId, (db) => new BudgetTemplates<Tables>(db).set(accountId, template), note);
          return 'done' as const;
        } catch (error) {
          if (error instanceof UnknownTimeZoneError) return 'time-zone' as const;
          throw error;
        }
      }),
    remove: (accountId, each, span, note, by) =>
      unlessItIsTheOperators(async () => {
        const wasSet = await store.writing(
          accountId,
          (db) => new BudgetTemplates<Tables>(db).remove(accountId, each, span, by),
          async (db, isRemoved) => {
            if (isRemoved) await note(db);
          },
        );
        return wasSet ? ('done' as const) : ('none' as const);
      }),
  };
}

export const ledgerGauges = (
  ledger: OpenLedger | NodeLedger,
  audit: AuditRounds<Tables> | undefined,
): Pick<MetricsOptions['gauges'], 'ledger'> =>
  ledger instanceof NodeLedger
    ? {
        ledger: {
          byLease: () => ledger.leaseAdmissions,
          byDatabase: () => ledger.strictAdmissions,
          unposted: () => ledger.unpostedSettlements,
          unpostedMs: () => ledger.unpostedMs,
          violations: () => audit?.violations ?? 0,
          unaudited: () => audit?.unaudited ?? 0,
        },
      }
    : {};

/**
 * Adds the requests refused because their account has too many unposted settlements to those refused by in-flight
 * limits and load shedding.
 */
export const refusalsWith = (
  refusals: ReadonlyMap<string, number>,
  ledger: OpenLedger | NodeLedger,
): ReadonlyMap<string, number> =>
  ledger instanceof NodeLedger ? new Map([...refusals, ['unposted-settlements', ledger.backlogRefusals]]) : refusals;

/** Usage is stored beside the ledger, by the node that writes both. */
export function storedUsage(backing: Backing | undefined, ledger: OpenLedger | NodeLedger): UsageStorage | undefined {
  if (backing === undefined || !(ledger instanceof NodeLedger)) return undefined;
  return {
    store: new UsageRows(backing.store),
    records: new RecordRows(backing.store),
    journal: ledger.usage,
  };
}
