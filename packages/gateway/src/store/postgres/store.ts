/**
 * The connections to PostgreSQL: one pool per role. Actions of callers and operators run as `trivium_app` under
 * row-level security; batched writes of ledger and usage run as `trivium_writer`, which cannot read keys.
 */
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import { type ClientBase, Pool, types } from 'pg';
import type { Tables } from './tables.ts';

export type StoreSettings = {
  readonly url: string;
  readonly maxConnections: number;
  readonly connectMs: number;
  readonly statementMs: number;
};

/** A transaction with its account set for row-level security. */
export type Db = Transaction<Tables>;

export type DatabaseRole = 'trivium_app' | 'trivium_writer';

/** Sees the rows of all accounts. */
export const OPERATOR = '*';

/** Idle connections are closed, so that a database that was moved or restarted is found again. */
const IDLE_MS = 30_000;

const INT8 = 20;
/** Money and counters are exact: `bigint` is never converted to a number. */
const exactTypes = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8 ? BigInt : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

/**
 * Without a role: as the user in the URL, as migrations need it. Errors of idle connections go to `onLost`.
 * `plain` counters: for a library with its own SQL, which expects them as the driver returns them.
 */
export function openPool(
  settings: StoreSettings,
  role: DatabaseRole | undefined,
  onLost: (error: Error) => void,
  counters: 'exact' | 'plain' = 'exact',
): Pool {
  const pool = new Pool({
    connectionString: settings.url,
    max: settings.maxConnections,
    connectionTimeoutMillis: settings.connectMs,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: settings.statementMs,
    // A silently lost server must not hold a request longer than a slow one.
    query_timeout: settings.statementMs + settings.connectMs,
    keepAlive: true,
    application_name: role ?? 'trivium',
    ...(counters === 'exact' && { types: exactTypes }),
    ...(role !== undefined && {
      onConnect: async (client: ClientBase): Promise<void> => {
        // JIT-compiling a sum of many columns takes longer than summing the rows that rollups leave.
        await client.query(`set role ${role}; set jit = off`);
      },
    }),
  });
  // The pool replaces a broken idle connection; without a listener its error would end the process.
  pool.on('error', onLost);
  // The same applies to a connection in use; its user gets the error with the next statement.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

export const kyselyOn = (pool: Pool): Kysely<Tables> => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });

export class Store {
  readonly app: Kysely<Tables>;
  readonly writer: Kysely<Tables>;
  #losses = 0;

  constructor(settings: StoreSettings, onLost: (error: Error) => void = () => undefined) {
    const pool = openPool(settings, 'trivium_app', onLost);
    // Idle or in use.
    pool.on('connect', (client) => void client.on('error', () => (this.#losses += 1)));
    this.app = kyselyOn(pool);
    this.writer = kyselyOn(openPool(settings, 'trivium_writer', onLost));
  }

  /** Grows whenever a connection breaks: what was known of the database before may be wrong. */
  get losses(): number {
    return this.#losses;
  }

  /** A transaction that sees one account's rows, or with OPERATOR the rows of all. */
  within<T>(accountId: string, work: (db: Db) => Promise<T>): Promise<T> {
    return this.app.transaction().execute((db) => seeing(db, accountId, work));
  }

  /** The same for statements that must be consistent: all of them see one snapshot. */
  reading<T>(accountId: string, work: (db: Db) => Promise<T>): Promise<T> {
    const snapshot = this.app.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
    return snapshot.execute((db) => seeing(db, accountId, work));
  }

  /** Runs a change of the ledger and then, in the same transaction, the matching change of the account's own rows. */
  writing<T>(
    accountId: string,
    change: (db: Db) => Promise<T>,
    note: (db: Db, changed: T) => Promise<void>,
  ): Promise<T> {
    return this.writer.transaction().execute(async (db) => {
      const changed = await change(db);
      await sql`set local role trivium_app`.execute(db);
      await sql`select set_config('trivium.tenant', ${accountId}, true)`.execute(db);
      await note(db, changed);
      return changed;
    });
  }

  /** Statements of the ledger within a transaction of `within`. */
  async asWriter<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
    await sql`set local role trivium_writer`.execute(db);
    const done = await work(db);
    await sql`set local role trivium_app`.execute(db);
    return done;
  }

  async close(): Promise<void> {
    await Promise.all([this.app.destroy(), this.writer.destroy()]);
  }
}

async function seeing<T>(db: Db, accountId: string, work: (db: Db) => Promise<T>): Promise<T> {
  await sql`select set_config('trivium.tenant', ${accountId}, true)`.execute(db);
  return work(db);
}
