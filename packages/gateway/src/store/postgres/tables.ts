/**
 * The rows of the database, as Kysely sees them. Each aggregate adds its tables here and its SQL in a separate file.
 */
import type { ColumnType, Generated } from 'kysely';
import type { RateRule } from '../../kernel/caller.ts';
import type { StoredAnswer } from '../../kernel/idempotency.ts';
import type { AccountKind } from '../../money/ledger/core/ledger-state.ts';
import type { Rights, Role } from '../../people/accounts/rights.ts';

/** Set by the database only. */
export type Stamp = ColumnType<Date, never, never>;
/** Set later, to the database's time. */
export type LaterStamp = ColumnType<Date | null, never, Date>;

export type AccountStatus = 'active' | 'suspended';

export type AccountsTable = {
  readonly id: string;
  readonly name: string;
  readonly kind: AccountKind;
  readonly status: Generated<AccountStatus>;
  /** Null: as configured. */
  readonly rate_limits: ColumnType<RateRule | null, string | null | undefined, string | null>;
  readonly created_at: Stamp;
  readonly updated_at: ColumnType<Date, never, Date>;
};

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
};

export type PaymentOrdersTable = {
  readonly account_id: string;
  readonly id: string;
  readonly provider: string;
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly credit_nano: bigint;
  readonly state: Generated<'open' | 'paid'>;
  readonly event_id: Generated<string | null>;
  readonly created_at: Stamp;
  readonly paid_at: ColumnType<Date | null, never, Date>;
};

type KeptTurnsTable = {
  readonly account_id: string;
  readonly call_id: string;
  readonly sealed: Buffer;
  readonly expires_at: Date;
};

export type MembersTable = {
  readonly account_id: string;
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly created_at: Stamp;
  readonly removed_at: LaterStamp;
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

export type WebhooksTable = {
  readonly account_id: string;
  readonly id: string;
  readonly url: string;
  readonly sealed: Buffer;
  readonly wrapped_key: Buffer;
  readonly wrapping: string;
  readonly previous_sealed: Buffer | null;
  readonly previous_wrapped_key: Buffer | null;
  readonly previous_wrapping: string | null;
  readonly previous_until: Date | null;
  readonly created_at: Stamp;
  readonly gone_at: LaterStamp;
  /** Null: the ends of operations. */
  readonly events: readonly string[] | null;
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
  readonly accounts: AccountsTable;
  readonly repeats: RepeatsTable;
  readonly kept_turns: KeptTurnsTable;
  readonly payment_orders: PaymentOrdersTable;
  readonly members: MembersTable;
  readonly audit: AuditTable;
  readonly operator_secrets: OperatorSecretsTable;
  readonly provider_credentials: ProviderCredentialsTable;
  readonly webhooks: WebhooksTable;
  readonly webhook_messages: WebhookMessagesTable;
  readonly alert_rounds: { readonly is_only: boolean; readonly checked_at: ColumnType<Date, never, Date> };
  readonly alert_messages: AlertMessagesTable;
  readonly capture_keys: CaptureKeysTable;
  readonly captures: CapturesTable;
  readonly capture_stores: CaptureStoresTable;
}
