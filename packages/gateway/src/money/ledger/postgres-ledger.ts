/**
 * The ledger database in PostgreSQL: a batch is one statement, one round trip and one commit, as the role that may
 * write.
 */
import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { type Command, DONE, type Result, type SetParent } from './core/commands.ts';
import { usageOf } from './core/posting-queue.ts';
import type { UsageLine } from './core/usage-line.ts';
import type { LedgerDatabase, Remembered, Terms } from './ledger-database.ts';

/** Amounts are decimal strings: JSON numbers are not exact. */
type Wire = { readonly is: Result['is'] } & Readonly<Record<string, unknown>>;
const AMOUNTS: readonly string[] = ['amount', 'room', 'recallable'];

/** SQLSTATEs of invalid data, violated constraints and exceptions raised by the ledger's own functions. */
const REFUSALS: readonly string[] = ['22', '23', 'P0001'];
/** SQLSTATEs of servers without WAL functions: no such function, no permission, not supported. */
const NO_TIMELINE: readonly string[] = ['42', '0A'];
const SQLSTATE_LENGTH = 5;
/** SQLSTATE of a violated check, and of a row without a partition. */
const NO_PARTITION = '23514';
const MOST_PROBLEM_CHARACTERS = 1000;

/** Usage is passed separately from the commands. */
const exactly = (name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}` : name === 'usage' ? undefined : value;

/** Most commands are settles, and a replacer would be called for each of their members. */
const jsonOf = (command: Command | SetParent): string =>
  command.do === 'settle'
    ? JSON.stringify({ ...command, cost: `${command.cost}`, usage: undefined })
    : JSON.stringify(command, exactly);

const isForLedger = (command: Command | SetParent): boolean => command.do !== 'usage';

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** UTC date in PostgreSQL's format. */
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function resultOf(wire: Wire): Result {
  const members = Object.entries(wire).map(([name, value]) => [
    name,
    AMOUNTS.includes(name) && typeof value === 'string' ? BigInt(value) : value,
  ]);
  return Object.fromEntries(members) as Result;
}

export class PostgresLedger<Tables> implements LedgerDatabase {
  readonly #writer: Kysely<Tables>;
  readonly #blamedOutcomes: string;
  #hasTimeline = true;
  /** Days that already have a partition. */
  readonly #days = new Set<string>();

  /** `blamedOutcomes`: outcomes by the party responsible for them, needed to post usage. */
  constructor(writer: Kysely<Tables>, blamedOutcomes = '{}') {
    this.#writer = writer;
    this.#blamedOutcomes = blamedOutcomes;
  }

  /** Usage is stored in the transaction of the commands it comes with. */
  async apply(commands: readonly (Command | SetParent)[]): Promise<readonly Result[]> {
    const usages = commands.map(usageOf).filter((usage): usage is UsageLine => usage?.json !== undefined);
    const json = `[${commands.filter(isForLedger).map(jsonOf).join(',')}]`;
    const results = await (usages.length === 0 ? this.#apply(json) : this.#post(json, usages));
    let next = 0;
    return commands.map((command) => (isForLedger(command) ? resultOf(results[next++]!) : DONE));
  }

  async #apply(json: string): Promise<readonly Wire[]> {
    const { rows } = await sql<{ results: readonly Wire[] }>`
      select ledger_apply(${json}::jsonb) as results`.execute(this.#writer);
    return rows[0]?.results ?? [];
  }

  async #post(json: string, usages: readonly UsageLine[], isRepeated = false): Promise<readonly Wire[]> {
    for (const day of new Set(usages.map(({ receivedAtMs }) => dayOf(receivedAtMs)))) await this.#ensureDay(day);
    try {
      const { rows } = await sql<{ results: readonly Wire[] }>`
        select ledger_post(${json}::jsonb, ${`[${usages.map((usage) => usage.json).join(',')}]`}::jsonb,
          ${this.#blamedOutcomes}::jsonb) as results`.execute(this.#writer);
      return rows[0]?.results ?? [];
    } catch (error) {
      // A database that was set back may lack partitions it had.
      if (isRepeated || codeOf(error) !== NO_PARTITION || this.#days.size === 0) throw error;
      this.#days.clear();
      return this.#post(json, usages, true);
    }
  }

  async #ensureDay(day: string): Promise<void> {
    if (this.#days.has(day)) return;
    await sql`select trivium_usage_day(${day}::date)`.execute(this.#writer);
    this.#days.add(day);
  }

  isRefusal(error: unknown): boolean {
    const code = codeOf(error);
    return code.length === SQLSTATE_LENGTH && REFUSALS.some((start) => code.startsWith(start));
  }

  async park(command: Command, problem: string): Promise<void> {
    const text = jsonOf(command);
    const digest = createHash('sha256').update(text).digest('hex');
    const account = 'account' in command ? command.account : '';
    await sql`insert into ledger_parked (digest, account_id, command, problem)
      values (${digest}, ${account}, ${text}, ${problem.slice(0, MOST_PROBLEM_CHARACTERS)})
      on conflict do nothing`.execute(this.#writer);
  }

  async standing(epoch: string): Promise<Remembered> {
    const timeline = this.#hasTimeline ? sql`left(pg_walfile_name(pg_current_wal_lsn()), 8)` : sql`''`;
    try {
      const { rows } = await sql<{ timeline: string; beats: number | null }>`
        select ${timeline} as timeline, (select beats::float8 from ledger_nodes where epoch = ${epoch}) as beats`.execute(
        this.#writer,
      );
      return { timeline: rows[0]?.timeline ?? '', beats: rows[0]?.beats ?? undefined };
    } catch (error) {
      if (!this.#hasTimeline || !NO_TIMELINE.some((start) => codeOf(error).startsWith(start))) throw error;
      this.#hasTimeline = false;
      return this.standing(epoch);
    }
  }

  /** The last heartbeat of the epochs that the database has deleted, which were dead for a day by then. */
  async forgotUntilMs(): Promise<number> {
    const { rows } = await sql<{ until: number }>`
      select forgot_until_ms::float8 as until from ledger_book`.execute(this.#writer);
    return rows[0]?.until ?? 0;
  }

  /** Unique id of this database; a copy under another name has another id. */
  async identity(): Promise<string> {
    const { rows } = await sql<{ id: string }>`
      select current_database() || '.' || id as id from ledger_book`.execute(this.#writer);
    return rows[0]?.id ?? '';
  }

  async openAccount(account: string): Promise<void> {
    await sql`select ledger_open_known(${account})`.execute(this.#writer);
  }

  async termsOf(accounts: readonly string[]): Promise<readonly Terms[]> {
    const { rows } = await sql<{ account: string; kind: string; budgeted: readonly string[] }>`
      select account, kind, budgeted from ledger_terms_of(${accounts})`.execute(this.#writer);
    const found = new Map(rows.map((row) => [row.account, row]));
    return accounts.map((account) => {
      const { kind, budgeted = [] } = found.get(account) ?? {};
      const each = budgeted.filter((scope) => scope.startsWith(EACH)).map((scope) => scope.slice(EACH.length));
      const terms = { unlimited: kind === 'unlimited', budgeted: new Set(budgeted) };
      return each.length === 0 ? terms : { ...terms, each: new Set(each) };
    });
  }
}

/** How the database names the kinds of scopes with a template among the budgeted ones. */
const EACH = 'each:';
