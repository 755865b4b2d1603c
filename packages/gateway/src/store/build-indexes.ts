/**
 * Indexes of tables that may be large, built without locking them, after the migrations and outside their transaction. The
 * gateway works without them, only slower.
 */
import type { Client } from 'pg';

/** An arbitrary number that nothing else uses: one process builds. */
const LOCK = 7_214_392;
/** Building waits for transactions that began before it. One that never ends must not keep a gateway from starting. */
const PATIENCE = '20s';

const INDEXES: Readonly<Record<string, string>> = {
  keys_by_id: 'keys (id)',
  accounts_by_name: 'accounts (lower(name), id)',
  accounts_by_creation: 'accounts (created_at, id)',
  ledger_purses_by_window: 'ledger_purses (account_id, span, start_ms)',
};

/** Where PostgreSQL comes without its contrib modules, or the role may not install them, a search reads all accounts. */
const WITH_TRIGRAMS: Readonly<Record<string, string>> = {
  accounts_by_text: "accounts using gin (lower(id || ' ' || name) gin_trgm_ops)",
};

/** The names of those it has built. What fails is tried again at the next start. */
export async function buildIndexes(client: Client, patience = PATIENCE): Promise<readonly string[]> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK]);
  if (rows[0]?.taken !== true) return [];
  try {
    await client.query(`set lock_timeout = '${patience}'; set statement_timeout = 0`);
    const hasTrigrams = await client.query('create extension if not exists pg_trgm').then(
      () => true,
      () => false,
    );
    const built: string[] = [];
    for (const [name, on] of Object.entries({ ...INDEXES, ...(hasTrigrams && WITH_TRIGRAMS) }))
      if (await build(client, name, on)) built.push(name);
    return built;
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]);
  }
}

async function build(client: Client, name: string, on: string): Promise<boolean> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  if (rows[0]?.valid === true) return false;
  try {
    // One whose building was interrupted costs every write and serves no reader.
    if (rows.length > 0) await client.query(`drop index concurrently ${name}`);
    await client.query(`create index concurrently ${name} on ${on}`);
    return true;
  } catch {
    return false;
  }
}
