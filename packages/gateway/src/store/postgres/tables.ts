/**
 * The rows of the database, as Kysely sees them. Each aggregate adds its tables here and its SQL in a separate file.
 */
import type { ColumnType, Generated } from 'kysely';
import type { StoredAnswer } from '../../kernel/idempotency.ts';

/** Set by the database only. */
export type Stamp = ColumnType<Date, never, never>;
/** Set later, to the database's time. */
export type LaterStamp = ColumnType<Date | null, never, Date>;

type RepeatsTable = {
  readonly account_id: string;
  readonly key: string;
  readonly content: Buffer;
  readonly request_id: string;
  readonly node: string;
  readonly state: 'running' | 'kept' | 'too-long';
  readonly alive_until: Date;
  readonly expires_at: Date;
  readonly answer: Omit<StoredAnswer, 'body'> | null;
  readonly body: string | null;
  /** Instead of the answer and its body. */
  readonly sealed: Buffer | null;
  readonly data_key_id: string | null;
};

type KeptTurnsTable = {
  readonly account_id: string;
  readonly call_id: string;
  readonly sealed: Buffer;
  readonly expires_at: Date;
};

export type AuditTable = {
  readonly id: ColumnType<bigint, never, never>;
  readonly at: Stamp;
  readonly account_id: string | null;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: ColumnType<Readonly<Record<string, unknown>>, string, never>;
};

type OperatorSecretsTable = {
  readonly hash: Buffer;
  readonly is_first: boolean | null;
  readonly created_at: Stamp;
  readonly revoked_at: LaterStamp;
};

type ProviderCredentialsTable = {
  readonly provider: string;
  readonly sealed: Buffer;
  readonly wrapped_key: Buffer;
  readonly wrapping: string;
  readonly created_at: Stamp;
  readonly updated_at: ColumnType<Date, never, Date>;
};

export type WebhookMessagesTable = {
  readonly account_id: string;
  readonly id: string;
  readonly webhook_id: string;
  readonly body: string;
  readonly state: Generated<'due' | 'delivered' | 'failed'>;
  readonly tries: Generated<number>;
  readonly due_at: Generated<Date>;
  readonly last_status: Generated<number | null>;
  readonly event: string | null;
  readonly last_problem: Generated<string | null>;
  readonly last_tried_at: LaterStamp;
  readonly created_at: Stamp;
};

export type AlertMessagesTable = {
  readonly id: string;
  readonly destination_id: string;
  readonly event: string;
  readonly body: string;
  readonly state: Generated<'due' | 'delivered' | 'failed'>;
  readonly tries: Generated<number>;
  readonly due_at: Generated<Date>;
  readonly last_status: Generated<number | null>;
  readonly last_problem: Generated<string | null>;
  readonly last_tried_at: LaterStamp;
  readonly created_at: Stamp;
};

export type CaptureKeysTable = {
  readonly account_id: string;
  readonly id: string;
  readonly sealed: Buffer;
  readonly wrapped_key: Buffer;
  readonly wrapping: string;
  readonly created_at: Stamp;
};

export type CapturesTable = {
  readonly request_id: string;
  readonly account_id: string;
  readonly data_key_id: string;
  readonly blob_id: string;
  readonly store_id: string;
  readonly bytes: bigint;
  readonly received_at: Date;
  readonly expires_at: Date;
  readonly stored_at: Stamp;
};

type CaptureStoresTable = {
  readonly id: string;
  readonly kind: 'folder' | 's3';
  readonly seen_at: ColumnType<Date, never, Date>;
};

/** Tables whose rows hold types of one capability are declared beside it. */
export interface Tables {
  readonly repeats: RepeatsTable;
  readonly kept_turns: KeptTurnsTable;
  readonly audit: AuditTable;
  readonly operator_secrets: OperatorSecretsTable;
  readonly provider_credentials: ProviderCredentialsTable;
  readonly webhook_messages: WebhookMessagesTable;
  readonly alert_rounds: { readonly is_only: boolean; readonly checked_at: ColumnType<Date, never, Date> };
  readonly alert_messages: AlertMessagesTable;
  readonly capture_keys: CaptureKeysTable;
  readonly captures: CapturesTable;
  readonly capture_stores: CaptureStoresTable;
}
