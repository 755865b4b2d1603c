/**
 * The queue that wakes operations, in a separate schema: pg-boss handles leases, heartbeats and retries. A job only
 * names the row to process, and may be delivered twice.
 */
import { sql } from 'kysely';
import { fromKysely, PgBoss } from 'pg-boss';
import { type Db, openPool, type StoreSettings } from '../postgres/store.ts';
import { JobRounds } from './job-rounds.ts';

const SCHEMA = 'trivium_jobs';
const QUEUE = 'operations';

/** pg-boss's own connections; its queries are rare and short. */
const CONNECTIONS = 4;
/** A job without a heartbeat for this long goes to another node: its own has died. */
const HEARTBEAT_S = 10;
const CHECK_HEARTBEATS_S = 5;
/** Longest time for one poll of an operation, including the download of the largest video. */
const LONGEST_POLL_S = 1800;
/** Nodes may die repeatedly while they process the same job. */
const MOST_REPEATS = 1000;
const FORGET_DONE_S = 60;
const RETRY_S = 1;
const LOOK_FOR_JOBS_MS = 100;
/** The same while no job runs or is known to be due, and this node is notified of new ones. */
const LOOK_AT_REST_MS = 5000;
/** Interval of a node's heartbeats for its running jobs; the queue waits for more than two of these intervals. */
const HEARTBEAT_EVERY_MS = 4000;
const JOBS_PER_POLL = 64;
/** Polls running at once on one node, most of them waiting for a host or a download. */
const MAX_CONCURRENT_JOBS = 1024;
const DRAIN_MS = 5000;

const QUEUE_OPTIONS = {
  heartbeatSeconds: HEARTBEAT_S,
  expireInSeconds: LONGEST_POLL_S,
  retryLimit: MOST_REPEATS,
  retryDelay: RETRY_S,
  deleteAfterSeconds: FORGET_DONE_S,
};

/** An arbitrary number that nothing else uses. */
const INSTALL_LOCK = 7_214_310;

type Wake = { readonly id: string };

/** Carries in how many ms a new job is due. */
export const JOBS_CHANNEL = 'trivium_jobs';

/** Runs as the owner of the schema; safe to repeat, and to run on several nodes at once. */
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

export class OperationJobs {
  readonly #boss: PgBoss;
  readonly #onTrouble: (error: unknown) => void;
  readonly #close: () => Promise<void>;
  #rounds: JobRounds<Wake> | undefined;
  /** Whether notifications of new jobs arrive, through `onSent`. */
  isNotified: () => boolean = () => false;

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
      superviseIntervalSeconds: CHECK_HEARTBEATS_S,
    });
    boss.on('error', onTrouble);
    await boss.start();
    return new OperationJobs(boss, onTrouble, () => pool.end());
  }

  /** Sent with the rest of the transaction, or not at all. */
  async send(db: Db, id: string, inMs: number): Promise<void> {
    await this.#boss.send(QUEUE, { id } satisfies Wake, { startAfter: inMs / 1000, db: fromKysely(db) });
    await sql`select pg_notify(${JOBS_CHANNEL}, ${String(Math.ceil(inMs))})`.execute(db);
  }

  /** On a notification: a node has sent a job. */
  onSent(message: string): void {
    const inMs = Number(message);
    if (inMs >= 0) this.#rounds?.expect(inMs);
  }

  async work(look: (id: string) => Promise<void>): Promise<void> {
    this.#rounds = new JobRounds<Wake>(
      this.#boss,
      {
        queue: QUEUE,
        everyMs: LOOK_FOR_JOBS_MS,
        restMs: LOOK_AT_REST_MS,
        retryMs: RETRY_S * 1000,
        isNotified: () => this.isNotified(),
        heartbeatMs: HEARTBEAT_EVERY_MS,
        perPoll: JOBS_PER_POLL,
        maxConcurrent: MAX_CONCURRENT_JOBS,
        onTrouble: this.#onTrouble,
      },
      ({ id }) => look(id),
    );
    this.#rounds.start();
  }

  /** Finishes running jobs first, within a time limit; the others go to another node. */
  async stop(): Promise<void> {
    await this.#rounds?.stop(DRAIN_MS);
    await this.#boss.stop({ graceful: false });
    await this.#close();
  }
}
