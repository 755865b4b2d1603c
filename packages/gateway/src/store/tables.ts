/** The rows of the database, as Kysely sees them. Each aggregate adds its tables here and its SQL in a file of its own. */
import type { ColumnType, Generated } from 'kysely';

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

export type Tables = {
  readonly accounts: AccountsTable;
};
