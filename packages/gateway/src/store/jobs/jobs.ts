/**
 * The queue that wakes operations, in a schema of its own: pg-boss keeps leases, heartbeats and repeats. A job says no more
 * than which row to look at, and may come twice.
 */
import { fromKysely, PgBoss } from 'pg-boss';
import type { Wakes } from '../../operations/ports.ts';
import { type Db, openPool, type StoreSettings } from '../postgres/store.ts';
import { JobRounds } from './job-rounds.ts';

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
const LOOK_FOR_JOBS_MS = 100;
/** Of the jobs a node is at; the queue waits for more than two of them. */
const SIGN_OF_LIFE_MS = 4000;
const JOBS_AT_ONE_LOOK = 64;
/** Looks under way on one node, most of them waiting for a host or a clip. */
const JOBS_AT_ONCE = 1024;
const LAST_LOOKS_MS = 5000;

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
  readonly #onTrouble: (error: unknown) => void;
  readonly #close: () => Promise<void>;
  #rounds: JobRounds<Wake> | undefined;

  private constructor(boss: PgBoss, onTrouble: (error: unknown) => void, close: () => Promise<void>) {
    this.#boss = boss;
    this.#onTrouble = onTrouble;
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
    return new OperationJobs(boss, onTrouble, () => pool.end());
  }

  /** With whatever else the transaction does, or not at all. */
  async send(db: Db, id: string, inMs: number): Promise<void> {
    await this.#boss.send(QUEUE, { id } satisfies Wake, { startAfter: inMs / 1000, db: fromKysely(db) });
  }

  async work(look: (id: string) => Promise<void>): Promise<void> {
    this.#rounds = new JobRounds<Wake>(
      this.#boss,
      {
        queue: QUEUE,
        everyMs: LOOK_FOR_JOBS_MS,
        signOfLifeMs: SIGN_OF_LIFE_MS,
        atOneLook: JOBS_AT_ONE_LOOK,
        mostAtOnce: JOBS_AT_ONCE,
        onTrouble: this.#onTrouble,
      },
      ({ id }) => look(id),
    );
    this.#rounds.start();
  }

  /** What is being looked at is finished first, within a bound; what is not is given to another node. */
  async stop(): Promise<void> {
    await this.#rounds?.stop(LAST_LOOKS_MS);
    await this.#boss.stop({ graceful: false });
    await this.#close();
  }
}
