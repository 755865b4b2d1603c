/** One process at a time may call a database its own; the database itself forgets whoever has died. */
import { Client } from 'pg';

/** Any number that only we use; the migrations have others. */
const SOLE_USER_LOCK = 7_214_390;
const CONNECT_LIMIT_MS = 10_000;

export type SoleUse = { release(): Promise<void> };

/** Undefined when another process has it. */
export async function becomeSoleUser(url: string): Promise<SoleUse | undefined> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    application_name: 'trivium_sole_user',
  });
  // A server that goes away takes the lock with it; whoever works with the database hears of it elsewhere.
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [SOLE_USER_LOCK]);
  if (rows[0]?.taken === true) return { release: () => client.end() };
  await client.end();
  return undefined;
}
