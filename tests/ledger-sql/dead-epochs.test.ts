/** Epochs of processes that ended long ago are deleted, and no audit takes that for a database that was set back. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Command, Result } from '../../packages/gateway/src/money/ledger/core/commands.ts';
import { setBackSince } from '../../packages/gateway/src/money/ledger/database-watch.ts';
import { PostgresLedger } from '../../packages/gateway/src/money/ledger/postgres-ledger.ts';
import { Store } from '../../packages/gateway/src/store/postgres/store.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 1, 1);

let database: TestDatabase;
let store: Store;
let folder: string;
beforeAll(async () => {
  database = await freshDatabase();
  store = new Store(database.settings);
  folder = mkdtempSync(join(tmpdir(), 'trivium-epochs-'));
});
afterAll(async () => {
  await store.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

/** As the role that writes, by a clock of the test. */
async function applyAt(nowMs: number, ...commands: readonly Command[]): Promise<readonly Result[]> {
  const json = JSON.stringify(commands, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  const { rows } = await sql<{ results: readonly Result[] }>`
    select ledger_apply_at(${json}::jsonb, ${nowMs}, 0) as results`.execute(store.writer);
  return rows[0]?.results ?? [];
}

const epochs = async (): Promise<readonly string[]> => {
  const { rows } = await sql<{ epoch: string }>`select epoch from ledger_nodes order by epoch`.execute(store.writer);
  return rows.map(({ epoch }) => epoch);
};

/** As a process that ended at this time left it. */
function leavePosition(epoch: string, atMs: number): void {
  const path = join(folder, 'last-position.json');
  writeFileSync(path, JSON.stringify({ epoch, beats: 7 }));
  utimesSync(path, atMs / 1000, atMs / 1000);
}

test('dead epochs are deleted after a day, once they have no open hold, and are no sign of a set-back', async () => {
  await applyAt(
    START_MS,
    { do: 'register', node: 'busy', epoch: 'busy.1' },
    { do: 'register', node: 'idle', epoch: 'idle.1' },
    { do: 'open-account', account: 'a', kind: 'prepaid', overdraft: 0n },
    { do: 'deposit', account: 'a', id: 'first', amount: 10_000n, memo: '' },
    { do: 'lease', account: 'a', lease: 'l', epoch: 'busy.1', wanted: 100n, least: 1n, scopes: [] },
  );
  await applyAt(START_MS + 20_000, { do: 'reap' }, { do: 'register', node: 'new', epoch: 'new.1' });
  await applyAt(START_MS + DAY_MS, { do: 'reap' });
  expect(await epochs()).toEqual(['busy.1', 'idle.1', 'new.1']);

  const [reaped] = await applyAt(START_MS + DAY_MS + 1, { do: 'reap' });
  expect(await epochs()).toEqual(['busy.1', 'new.1']);
  expect(reaped).toEqual({ is: 'to-bury', accounts: ['a'] });
  expect(await applyAt(START_MS + DAY_MS + 2, { do: 'beat', epoch: 'idle.1' })).toEqual([{ is: 'fenced' }]);

  await applyAt(START_MS + DAY_MS + 3, { do: 'bury', account: 'a' }, { do: 'reap' });
  expect(await epochs()).toEqual(['new.1']);

  const ledger = new PostgresLedger(store.writer);
  leavePosition('idle.1', START_MS + 500);
  expect(await setBackSince(ledger, folder)).toBeUndefined();
  // Its heartbeats are later than any that was deleted: the database had them and has them no more.
  leavePosition('lost.1', START_MS + DAY_MS);
  expect(await setBackSince(ledger, folder)).toMatch(/heartbeat 7 of lost\.1 was confirmed, and the database has none/);
});
