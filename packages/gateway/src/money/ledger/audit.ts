/**
 * Checks an account's rows against the same invariants the simulation checks. Entries and closed holds never change, so
 * they may be read in several steps; everything mutable is read in one snapshot, together with the last of them.
 */
import { createHash } from 'node:crypto';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { Examination, type Violation } from './core/invariants.ts';
import type { Account, BudgetBalance, Entry, Hold } from './core/ledger-state.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Rows in memory at a time: bounds how long the audit delays requests of this process. */
const PAGE = 500;

const OPEN = sql`state = 'open'`;
const CLOSED = sql`state <> 'open'`;

/** Reads every entry and every hold of the account, page by page: for audits, not for requests. */
export const auditAccount = async <Tables>(
  writer: Kysely<Tables>,
  id: string,
  page: number = PAGE,
): Promise<readonly Violation[]> => (await new AccountAudit(writer, id, page).readOn(Number.POSITIVE_INFINITY)) ?? [];

/** One audit of one account, in as many steps as it takes. After a failed step it must be discarded. */
export class AccountAudit<Tables> {
  readonly #writer: Kysely<Tables>;
  readonly #id: string;
  readonly #page: number;
  readonly #exam: Examination;
  #entriesRead = 0;
  #lastHold = '';

  constructor(writer: Kysely<Tables>, id: string, page: number = PAGE) {
    this.#writer = writer;
    this.#id = id;
    this.#page = page;
    this.#exam = new Examination(id, sha256);
  }

  /** The violations, or undefined if `mostRows` entries and closed holds were read and more are left. */
  readOn(mostRows: number): Promise<readonly Violation[] | undefined> {
    return this.#writer
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (db) => {
        let rows = 0;
        for await (const entry of entriesOf(db, this.#id, this.#entriesRead, this.#page)) {
          if (rows++ >= mostRows) return undefined;
          this.#exam.entry(entry);
          this.#entriesRead = entry.sequence;
        }
        for await (const hold of holdsOf(db, this.#id, CLOSED, this.#lastHold, this.#page)) {
          if (rows++ >= mostRows) return undefined;
          this.#exam.hold(hold, hold.hasEntry, hold.hasCorrection);
          this.#lastHold = hold.id;
        }
        return this.#conclude(db);
      });
  }

  async #conclude(db: Transaction<Tables>): Promise<readonly Violation[]> {
    for await (const hold of holdsOf(db, this.#id, OPEN, '', this.#page))
      this.#exam.hold(hold, hold.hasEntry, hold.hasCorrection);
    return (await conclusions(db, new Map([[this.#id, this.#exam]]))).get(this.#id)!;
  }
}

/**
 * Several accounts at once, for those with few rows. Undefined if they have more than `mostRows` entries or holds: each must be
 * audited alone.
 */
export const auditTogether = <Tables>(
  writer: Kysely<Tables>,
  ids: readonly string[],
  mostRows: number,
): Promise<ReadonlyMap<string, readonly Violation[]> | undefined> =>
  writer
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (db) => {
      const exams = new Map(ids.map((id) => [id, new Examination(id, sha256)]));
      const entries = await sql<Entry>`
        select ${ENTRY} from ledger_entries where account_id = any(${ids})
        order by account_id, sequence limit ${mostRows + 1}`.execute(db);
      const holds = await sql<AuditedHold>`
        select ${HOLD} from ledger_holds h where account_id = any(${ids}) limit ${mostRows + 1}`.execute(db);
      if (entries.rows.length > mostRows || holds.rows.length > mostRows) return undefined;
      for (const entry of entries.rows) exams.get(entry.account)!.entry(entry);
      for (const hold of holds.rows) exams.get(hold.account)!.hold(hold, hold.hasEntry, hold.hasCorrection);
      return conclusions(db, exams);
    });

/** Of examinations that have seen all entries and holds in this snapshot, or rows that never change before it. */
async function conclusions<Tables>(
  db: Transaction<Tables>,
  exams: ReadonlyMap<string, Examination>,
): Promise<ReadonlyMap<string, readonly Violation[]>> {
  const ids = [...exams.keys()];
  const purses = await sql<BudgetBalance & { key: string }>`
    select account_id as account, key, scope, span, start_ms::float8 as "startMs", posted, pending
    from ledger_purses where account_id = any(${ids}) and scope <> 'group'`.execute(db);
  for (const { key, ...purse } of purses.rows) exams.get(purse.account)!.purse(key, purse);
  // Holds of accounts below count against group budgets, too.
  const groups = await sql<{ account: string; key: string; pending: bigint; held: bigint }>`
    select p.account_id as account, p.key, p.pending, (select coalesce(sum(h.granted - h.drawn), 0)::bigint from ledger_holds h
      where h.state = 'open' and p.key = any(h.purses)) as held
    from ledger_purses p where p.account_id = any(${ids}) and p.scope = 'group'`.execute(db);
  for (const { account, key, held, ...purse } of groups.rows) exams.get(account)!.purse(key, purse, held);
  const { rows } = await sql<Account & { listedKind: string | null }>`
    select account_id as id, l.kind, overdraft, credit, posted, pending, overrun, sequence::int, head,
      a.kind as "listedKind"
    from ledger_accounts l left join accounts a on a.id = l.account_id where account_id = any(${ids})`.execute(db);
  const found = new Map<string, readonly Violation[]>(ids.map((id) => [id, []]));
  for (const account of rows) {
    const { id, kind, listedKind } = account;
    const says = `the account is listed as ${listedKind} and charged as ${kind}`;
    const isListedOtherwise = listedKind !== null && listedKind !== kind;
    const ofKind = isListedOtherwise ? [{ invariant: 'I13' as const, account: id, says }] : [];
    found.set(id, [...exams.get(id)!.end(account), ...ofKind]);
  }
  return found;
}

const ENTRY = sql`account_id as account, sequence::int, id, kind, debit, credit, amount, price_version as "priceVersion", estimated,
  memo, previous, hash`;

const HOLD = sql`account_id as account, id, kind, epoch, lease, granted, drawn, state, checkpoint,
  price_version as "priceVersion", purses, version, recall, idempotency_key as "idempotencyKey", forgone,
  exists (select from ledger_entries e where e.account_id = h.account_id and e.id = h.id) as "hasEntry",
  exists (select from ledger_entries e where e.account_id = h.account_id and e.id = 'correction:' || h.id)
    as "hasCorrection"`;

async function* entriesOf<Tables>(
  db: Transaction<Tables>,
  account: string,
  from: number,
  page: number,
): AsyncGenerator<Entry> {
  for (let after = from; ; ) {
    const { rows } = await sql<Entry>`
      select ${ENTRY} from ledger_entries
      where account_id = ${account} and sequence > ${after} order by sequence limit ${page}`.execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
    after = last.sequence;
  }
}

type AuditedHold = Hold & { readonly hasEntry: boolean; readonly hasCorrection: boolean };

async function* holdsOf<Tables>(
  db: Transaction<Tables>,
  account: string,
  which: RawBuilder<unknown>,
  from: string,
  page: number,
): AsyncGenerator<AuditedHold> {
  for (let after = from; ; ) {
    const { rows } = await sql<AuditedHold>`
      select ${HOLD}
      from ledger_holds h where account_id = ${account} and ${which} and id > ${after} order by id limit ${page}`.execute(
      db,
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) return;
    after = last.id;
  }
}
