/**
 * The queue that wakes operations, in a schema of its own: pg-boss keeps leases, heartbeats and repeats. A job says no more
 * than which row to look at, and may come twice.
 */
import { fromKysely, PgBoss } from 'pg-boss';
import type { Wakes } from '../operations/ports.ts';
import { type Db, openPool, type StoreSettings } from './store.ts';

const SCHEMA = 'trivium_jobs';
const QUEUE = 'operations';

/** pg-boss's own connections; it asks seldom and shortly. */
const CONNECTIONS = 4;
/** A node that is silent for so long has died, and its jobs are given to another. */
const HEARTBEAT_S = 10;
const LOOK_FOR_DEAD_S = 5;
/** One look at an operation, with a clip of the largest size to be fetched. */
const LONGEST_LOOK_S = 1800;
/** Nodes may die over one job again and again. */
const MOST_REPEATS = 1000;
const FORGET_DONE_S = 60;
const LOOK_FOR_JOBS_S = 0.5;
const JOBS_AT_ONCE = 64;
/** Each takes jobs of its own and more only when it is done with all of them: so many slow upstreams or clips do not hold up the others. */
const TAKERS = 16;

const QUEUE_OPTIONS = {
  heartbeatSeconds: HEARTBEAT_S,
  expireInSeconds: LONGEST_LOOK_S,
  retryLimit: MOST_REPEATS,
  retryDelay: 1,
  deleteAfterSeconds: FORGET_DONE_S,
};

/** Any number that only we use. */
const INSTALL_LOCK = 7_214_310;

type Wake = { readonly id: string };

/** As the owner of the schema; safe to repeat, and for several nodes at once. */
export async function installJobs(settings: StoreSettings): Promise<void> {
  const pool = openPool({ ...settings, maxConnections: 2 }, undefined, () => undefined, 'plain');
  const db = { executeSql: (text: string, values?: unknown[]) => pool.query(text, values) };
  const boss = new PgBoss({ db, schema: SCHEMA, supervise: false, schedule: false });
  const lock = await pool.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [INSTALL_LOCK]);
    boss.on('error', () => undefined);
    await boss.start();
    if ((await boss.getQueue(QUEUE)) === null) await boss.createQueue(QUEUE, QUEUE_OPTIONS);
    await pool.query(`grant usage on schema ${SCHEMA} to trivium_writer`);
    await pool.query(`grant select, insert, update, delete on all tables in schema ${SCHEMA} to trivium_writer`);
    await pool.query(`grant execute on all functions in schema ${SCHEMA} to trivium_writer`);
  } finally {
    await boss.stop({ graceful: false });
    lock.release(true);
    await pool.end();
  }
}

export class OperationJobs implements Wakes {
  readonly #boss: PgBoss;
  readonly #close: () => Promise<void>;

  private constructor(boss: PgBoss, close: () => Promise<void>) {
    this.#boss = boss;
    this.#close = close;
  }

  static async open(settings: StoreSettings, onTrouble: (error: unknown) => void): Promise<OperationJobs> {
    const pool = openPool({ ...settings, maxConnections: CONNECTIONS }, 'trivium_writer', onTrouble, 'plain');
    const boss = new PgBoss({
      db: { executeSql: (text: string, values?: unknown[]) => pool.query(text, values) },
      schema: SCHEMA,
      migrate: false,
      createSchema: false,
      schedule: false,
      reindex: false,
      monitorVacuum: false,
      superviseIntervalSeconds: LOOK_FOR_DEAD_S,
    });
    boss.on('error', onTrouble);
    await boss.start();
    return new OperationJobs(boss, () => pool.end());
  }

  /** With whatever else the transaction does, or not at all. */
  async send(db: Db, id: string, inMs: number): Promise<void> {
    await this.#boss.send(QUEUE, { id } satisfies Wake, { startAfter: inMs / 1000, db: fromKysely(db) });
  }

  async work(look: (id: string) => Promise<void>): Promise<void> {
    await this.#boss.work<Wake>(
      QUEUE,
      {
        batchSize: JOBS_AT_ONCE,
        localConcurrency: TAKERS,
        pollingIntervalSeconds: LOOK_FOR_JOBS_S,
        burstWhenBatchFull: true,
        perJobResults: true,
      },
      (jobs) =>
        Promise.all(
          jobs.map(async ({ id: job, data }) => {
            try {
              await look(data.id);
              return { id: job, status: 'completed' as const };
            } catch {
              return { id: job, status: 'failed' as const };
            }
          }),
        ),
    );
  }

  /** What is being looked at is finished first, within a bound; what is not is given to another node. */
  async stop(): Promise<void> {
    await this.#boss.stop({ graceful: true, timeout: 5000 });
    await this.#close();
  }
}
