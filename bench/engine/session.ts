/** A connection to PostgreSQL that measures what a statement costs: CPU time of its backend, and bytes of write-ahead log. */
import { Client } from 'pg';
import { treeCpuNs } from '../cpu-time.ts';

/** Requests of a batch: as many as a busy node posts in one transaction. */
export const BATCH = 1024;

/** Per request. */
export type Cost = { readonly micros: number; readonly walBytes: number };

export type Session = {
  readonly client: Client;
  /** A statement for a batch. */
  measure(text: string, values: readonly unknown[]): Promise<Cost>;
};

/** `role`: product functions run as the role that writes, as in production. */
export async function openSession(url: string, role?: string): Promise<Session> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const pid: number = rows[0].pid;
  if (role !== undefined) await client.query(`set role ${role}`);
  const walAt = async (): Promise<number> =>
    Number((await client.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as at`)).rows[0].at);
  return {
    client,
    measure: async (text, values) => {
      const walBefore = await walAt();
      const cpuBefore = treeCpuNs(pid);
      await client.query(text, [...values]);
      const nanos = treeCpuNs(pid) - cpuBefore;
      return { micros: nanos / 1000 / BATCH, walBytes: ((await walAt()) - walBefore) / BATCH };
    },
  };
}

export type Ways<Way extends string> = Readonly<Record<Way, () => Promise<Cost>>>;

/** Each way once per round, the order reversed every other round, after one round that warms caches and plans. */
export async function interleaved<Way extends string>(rounds: number, ways: Ways<Way>): Promise<Record<Way, Cost[]>> {
  const names = Object.keys(ways) as Way[];
  const costs = Object.fromEntries(names.map((name): [Way, Cost[]] => [name, []])) as Record<Way, Cost[]>;
  for (let round = 0; round <= rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const cost = await ways[name]();
      if (round > 0) costs[name].push(cost);
    }
  return costs;
}
