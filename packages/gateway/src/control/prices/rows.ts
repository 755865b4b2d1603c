/** Operators' changes of prices and terms: added, withdrawn and never updated, so that every bill can be explained. */
import { sql } from 'kysely';
import type { PriceChange } from '../../models/catalogue/price-change.ts';
import type { Db } from '../../store/postgres/store.ts';
import type { RowOf } from '../api/shown.ts';
import type { Price } from './contract.ts';

export type PriceChangeRow = RowOf<typeof Price>;

export type TermsRow = {
  readonly account_id: string;
  readonly from_at: Date;
  readonly change_percent: string | null;
  readonly created_at: Date;
};

/** Notified whenever one changes. */
export const PRICES_CHANNEL = 'trivium_prices';

/** Safety limits; each change is folded into the catalogue of every node. */
const MAX_IN_FORCE = 10_000;
const MAX_TERMS = 100_000;

const COLUMNS = sql`id, model_id as model, provider, dialect, from_day::text as "from", until_day::text as until, pricings,
  created_at, withdrawn_at`;

export async function insertPriceChange(
  db: Db,
  id: string,
  { modelId, provider, dialect, from, until, pricings }: PriceChange,
  createdBy: string,
): Promise<PriceChangeRow> {
  const { rows } = await sql<PriceChangeRow>`
    insert into price_changes (id, model_id, provider, dialect, from_day, until_day, pricings, created_by)
    values (${id}, ${modelId}, ${provider}, ${dialect ?? null}, ${from ?? null}::date, ${until ?? null}::date,
      ${JSON.stringify(pricings)}::jsonb, ${createdBy})
    returning ${COLUMNS}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a price was not stored');
  return row;
}

/** Undefined if it does not exist, or was withdrawn before. */
export async function withdrawPriceChange(db: Db, id: string): Promise<PriceChangeRow | undefined> {
  const { rows } = await sql<PriceChangeRow>`
    update price_changes set withdrawn_at = now() where id = ${id} and withdrawn_at is null
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** In the order of their ids, after `after`; withdrawn ones included. */
export async function listPriceChanges(db: Db, after: string, limit: number): Promise<readonly PriceChangeRow[]> {
  const { rows } = await sql<PriceChangeRow>`
    select ${COLUMNS} from price_changes where id > ${after} order by id limit ${limit}`.execute(db);
  return rows;
}

/** Those in force now or later, oldest first: later ones take precedence. */
export async function priceChangesInForce(db: Db): Promise<readonly PriceChangeRow[]> {
  const { rows } = await sql<PriceChangeRow>`
    select ${COLUMNS} from price_changes
    where withdrawn_at is null and (until_day is null or until_day > (now() at time zone 'UTC')::date)
    order by created_at, id limit ${MAX_IN_FORCE}`.execute(db);
  return rows;
}

/** `from`: a day, UTC; default: at once. */
export async function insertTerms(
  db: Db,
  accountId: string,
  { changePercent, from }: { readonly changePercent: number | null; readonly from?: string },
  createdBy: string,
): Promise<TermsRow> {
  const { rows } = await sql<TermsRow>`
    insert into account_terms (account_id, from_at, change_percent, created_by)
    values (${accountId}, coalesce(${from ?? null}::date::timestamp at time zone 'UTC', now()), ${changePercent}, ${createdBy})
    returning account_id, from_at, change_percent, created_at`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('terms were not stored');
  return row;
}

/** Of one account, latest first. */
export async function listTerms(db: Db, accountId: string, limit: number): Promise<readonly TermsRow[]> {
  const { rows } = await sql<TermsRow>`
    select account_id, from_at, change_percent, created_at from account_terms
    where account_id = ${accountId} order by from_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

/** For every account the terms in force and the future ones, in the order they come into force. */
export async function termsInForce(db: Db): Promise<readonly TermsRow[]> {
  const { rows } = await sql<TermsRow>`
    select account_id, from_at, change_percent, created_at from account_terms t
    where not exists (
      select from account_terms later
      where later.account_id = t.account_id and later.from_at <= now() and (later.from_at, later.id) > (t.from_at, t.id))
    order by from_at, id limit ${MAX_TERMS}`.execute(db);
  return rows;
}

/** The prices of a version. */
export async function findPriceVersion(
  db: Db,
  version: string,
): Promise<{ readonly rows: Readonly<Record<string, unknown>>; readonly first_seen: Date } | undefined> {
  const { rows } = await sql<{ rows: Record<string, unknown>; first_seen: Date }>`
    select rows, first_seen from price_versions where version = ${version}`.execute(db);
  return rows[0];
}
