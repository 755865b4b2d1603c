/** Circuit breakers that an operator closes, on every node: each is notified and closes its own. */
import { sql } from 'kysely';
import type { Db } from './store.ts';

export const RELEASE_CHANNEL = 'trivium_releases';

export type ReleasedCircuits = { readonly provider: string; readonly model?: string };

/** Delivered when the transaction is committed. */
export async function tellRelease(db: Db, provider: string, model: string | undefined): Promise<void> {
  const message: ReleasedCircuits = { provider, ...(model !== undefined && { model }) };
  await sql`select pg_notify(${RELEASE_CHANNEL}, ${JSON.stringify(message)})`.execute(db);
}

/** Undefined for an invalid message. */
export function readRelease(message: string): ReleasedCircuits | undefined {
  try {
    const read = JSON.parse(message) as Partial<ReleasedCircuits> | null;
    return typeof read?.provider === 'string' ? (read as ReleasedCircuits) : undefined;
  } catch {
    return undefined;
  }
}
