/** What an apply has made, as it made it. */
import { type ColumnType, sql } from 'kysely';
import type { Db } from '../../store/postgres/store.ts';
import type { DeclaredValue } from '../api/declared.ts';

declare module '../../store/postgres/tables.ts' {
  interface Tables {
    readonly declared: {
      readonly account_id: string;
      readonly kind: string;
      readonly name: string;
      readonly value: ColumnType<DeclaredValue, string, string>;
      readonly applied_by: string;
      readonly applied_at: ColumnType<Date, never, Date>;
    };
  }
}

export type KeptThing = {
  readonly account: string;
  readonly kind: string;
  readonly name: string;
  readonly value: DeclaredValue;
};

const ROWS_AT_ONCE = 1000;
/** One apply at a time: two at once would make a key twice. */
const LOCK = 'trivium apply';

export async function lockApply(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`.execute(db);
}

export async function listKept(db: Db): Promise<readonly KeptThing[]> {
  const { rows } = await sql<KeptThing>`select account_id as account, kind, name, value from declared`.execute(db);
  return rows;
}

export async function keepThings(db: Db, things: readonly KeptThing[], appliedBy: string): Promise<void> {
  for (let from = 0; from < things.length; from += ROWS_AT_ONCE) {
    const rows = JSON.stringify(things.slice(from, from + ROWS_AT_ONCE));
    await sql`
      insert into declared (account_id, kind, name, value, applied_by)
      select account, kind, name, value, ${appliedBy}
      from jsonb_to_recordset(${rows}::jsonb) as given (account text, kind text, name text, value jsonb)
      on conflict (account_id, kind, name) do update
      set value = excluded.value, applied_by = excluded.applied_by, applied_at = now()`.execute(db);
  }
}

export async function forgetThings(db: Db, things: readonly Omit<KeptThing, 'value'>[]): Promise<void> {
  if (things.length === 0) return;
  await sql`
    delete from declared d using jsonb_to_recordset(${JSON.stringify(things)}::jsonb) as given (account text, kind text, name text)
    where d.account_id = given.account and d.kind = given.kind and d.name = given.name`.execute(db);
}
