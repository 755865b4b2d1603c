/** Processor time that a PostgreSQL server spends for one database. */
import { readFileSync } from 'node:fs';
import type { Client } from 'pg';

const NANO_PER_MS = 1e6;
const MS_PER_TICK = 10;

const runMs = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / NANO_PER_MS;
  } catch {
    return 0;
  }
};

/** Of processes of the server that have ended: parallel workers do with their statement. */
function endedMs(postmaster: number): number {
  const text = readFileSync(`/proc/${postmaster}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(') ') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
}

export async function serverMsOf(watcher: Client, work: () => Promise<unknown>): Promise<number> {
  const { rows } = await watcher.query<{ pid: number; own: boolean }>(
    `select pid, pid = pg_backend_pid() as own from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend'`,
  );
  const backends = rows.filter(({ own }) => !own).map(({ pid }) => pid);
  const postmaster = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${backends[0]}/status`, 'utf8'))?.[1]);
  const total = (): number => backends.reduce((sum, pid) => sum + runMs(pid), endedMs(postmaster));
  const before = total();
  await work();
  return total() - before;
}
