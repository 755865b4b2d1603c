/** One process at a time may call a database, or one job in it, its own; the database itself forgets a process that has died. */
import { Client } from 'pg';

/** Any numbers that only we use; the migrations have others. */
const SOLE_USER_LOCK = 7_214_390;
export const RECORD_SINK_LOCK = 7_214_391;
const CONNECT_LIMIT_MS = 10_000;

/** Lost: the connection has ended, and another process may have taken it. */
export type SoleUse = { readonly isLost: boolean; release(): Promise<void> };

/** Undefined when another process has it. */
export async function becomeSoleUser(url: string, lock = SOLE_USER_LOCK): Promise<SoleUse | undefined> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    application_name: 'trivium_sole_user',
  });
  // A server that goes away takes the lock with it; whoever works with the database hears of it elsewhere.
  client.on('error', () => undefined);
  let isLost = false;
  client.on('end', () => {
    isLost = true;
  });
  await client.connect();
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lock]);
  if (rows[0]?.taken === true)
    return {
      get isLost() {
        return isLost;
      },
      release: () => client.end(),
    };
  await client.end();
  return undefined;
}
