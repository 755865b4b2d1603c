/** The rows of alerts and their destinations. */
import type { ColumnType } from 'kysely';
import type { TableOf } from '../api/shown.ts';
import type { Alert, AlertDestination } from './contract.ts';

export type AlertsTable = TableOf<
  typeof Alert,
  { readonly window_key: string; readonly resolved_at: ColumnType<Date | null, Date | null, Date> }
>;

export type AlertDestinationsTable = Omit<
  TableOf<
    typeof AlertDestination,
    { readonly shown: string; readonly sealed: Buffer; readonly wrapped_key: Buffer; readonly wrapping: string }
  >,
  'target'
>;

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly alerts: AlertsTable;
    readonly alert_destinations: AlertDestinationsTable;
  }
}
