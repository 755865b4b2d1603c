/** The rows of the database, as Kysely sees them. Each aggregate adds its tables here and its SQL in a file of its own. */
import type { ColumnType, Generated } from 'kysely';
import type { KeptAnswer } from '../engine/ports.ts';

/** Set by the database, never by us. */
export type Stamp = ColumnType<Date, never, never>;

export type AccountKind = 'prepaid' | 'postpaid' | 'unlimited';

export type AccountsTable = {
  readonly id: string;
  readonly name: string;
  readonly kind: AccountKind;
  readonly status: Generated<'active' | 'suspended'>;
  readonly created_at: Stamp;
  readonly updated_at: ColumnType<Date, never, Date>;
};

export type RepeatsTable = {
  readonly account_id: string;
  readonly key: string;
  readonly content: Buffer;
  readonly request_id: string;
  readonly node: string;
  readonly state: 'running' | 'kept' | 'too-long';
  readonly alive_until: Date;
  readonly expires_at: Date;
  readonly answer: Omit<KeptAnswer, 'body'> | null;
  readonly body: string | null;
};

export type KeptTurnsTable = {
  readonly account_id: string;
  readonly call_id: string;
  readonly sealed: Buffer;
  readonly expires_at: Date;
};

export type Tables = {
  readonly accounts: AccountsTable;
  readonly repeats: RepeatsTable;
  readonly kept_turns: KeptTurnsTable;
};
