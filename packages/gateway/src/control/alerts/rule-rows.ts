/** Rules of alerts that operators set while the gateway runs: each replaces the values of the configuration for its kind. */
import { type ColumnType, sql } from 'kysely';
import type { Db } from '../../store/postgres/store.ts';
import type { AlertKind } from '../webhooks/events.ts';
import type { AlertRuleChange } from './contract.ts';

type AlertRulesTable = {
  readonly kind: AlertKind;
  readonly rule: ColumnType<AlertRuleChange, string, string>;
  readonly updated_by: string;
  readonly updated_at: ColumnType<Date, never, Date>;
};

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly alert_rules: AlertRulesTable;
  }
}

export type StoredAlertRule = { readonly kind: AlertKind; readonly rule: AlertRuleChange };

export const listAlertRules = (db: Db): Promise<StoredAlertRule[]> =>
  db.selectFrom('alert_rules').select(['kind', 'rule']).orderBy('kind').execute();

export async function setAlertRule(db: Db, kind: AlertKind, rule: AlertRuleChange, updatedBy: string): Promise<void> {
  const row = { rule: JSON.stringify(rule), updated_by: updatedBy };
  await db
    .insertInto('alert_rules')
    .values({ kind, ...row })
    .onConflict((conflict) => conflict.column('kind').doUpdateSet({ ...row, updated_at: sql<Date>`now()` }))
    .execute();
}

export const deleteAlertRule = async (db: Db, kind: AlertKind): Promise<boolean> => {
  const { numDeletedRows } = await db.deleteFrom('alert_rules').where('kind', '=', kind).executeTakeFirst();
  return numDeletedRows > 0n;
};
