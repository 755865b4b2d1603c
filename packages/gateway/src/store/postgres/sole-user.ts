/**
 * An advisory lock for one process at a time, on a database or on one job in it; the database releases it when the
 * process dies.
 */
import { Client } from 'pg';

/** Arbitrary numbers that nothing else uses; the migrations have others. */
const SOLE_USER_LOCK = 7_214_390;
export const RECORD_SINK_LOCK = 7_214_391;
const CONNECT_LIMIT_MS = 10_000;

/** `isLost`: the connection has ended, and another process may have taken the lock. */
export type SoleUse = { readonly isLost: boolean; release(): Promise<void> };

/** Undefined if another process has it. */
export async function becomeSoleUser(url: string, lock = SOLE_USER_LOCK): Promise<SoleUse | undefined> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    application_name: 'trivium_sole_user',
  });
  // A lost server releases the lock; users of the database notice the loss elsewhere.
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
