/** The rows of alerts and their destinations. */
import type { ColumnType } from 'kysely';
import type { LaterStamp, Stamp } from '../../store/postgres/tables.ts';
import type { AlertKind } from '../webhooks/events.ts';
import type { DestinationKind } from './bodies.ts';

export type AlertsTable = {
  readonly id: string;
  readonly kind: AlertKind;
  readonly account_id: string | null;
  readonly subject: string;
  readonly window_key: string;
  readonly title: string;
  readonly detail: ColumnType<Readonly<Record<string, string | number>>, string, never>;
  readonly raised_at: Stamp;
  readonly last_seen_at: ColumnType<Date, never, Date>;
  readonly resolved_at: ColumnType<Date | null, Date | null, Date>;
  readonly acknowledged_at: LaterStamp;
  readonly acknowledged_by: ColumnType<string | null, never, string>;
};

export type AlertDestinationsTable = {
  readonly id: string;
  readonly kind: DestinationKind;
  readonly name: string;
  readonly shown: string;
  readonly sealed: Buffer;
  readonly wrapped_key: Buffer;
  readonly wrapping: string;
  readonly events: readonly string[] | null;
  readonly created_at: Stamp;
  readonly gone_at: LaterStamp;
};

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly alerts: AlertsTable;
    readonly alert_destinations: AlertDestinationsTable;
  }
}
