/** What `trivium migrate --plan` says of each pending migration. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { MIGRATIONS, migrate } from '../../packages/gateway/src/store/migrate.ts';
import { planMigration, tablesIn } from '../../packages/gateway/src/store/migration-plan.ts';
import { emptyDatabase } from '../support/database.ts';

const STEPS = {
  '0001-base': '-- expand: things. They are many.\ncreate table things (id text primary key);',
  '0002-more': `-- expand: things
-- have a name. It may be missing.
alter table things add column name text;
create table others (id text primary key references things);
create index on others (id);
create function f() returns void language sql as $$ update things set name = '' $$;`,
  '0003-less':
    '-- contract: after 0.1: nobody reads it.\nalter table things drop column name;\nupdate later set x = 1;',
};

test('names what is pending, what it does, what waits, and changes nothing', async () => {
  const database = await emptyDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'trivium-plan-'));
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const url = pathToFileURL(`${folder}/`);
    const write = (name: keyof typeof STEPS): void => writeFileSync(join(folder, `${name}.sql`), STEPS[name]);
    write('0001-base');
    expect(await planMigration(database.settings, url)).toEqual([
      { name: '0001-base', does: 'things.', besideVersionBefore: true, touches: [] },
    ]);
    const { rows } = await client.query(`select to_regclass('things') as things`);
    expect(rows).toEqual([{ things: null }]);
    await migrate(database.settings, url);
    await client.query(`insert into things select 'thing ' || n from generate_series(1, 500) n`);
    await client.query('analyze things');
    write('0002-more');
    write('0003-less');
    const things = { table: 'things', waits: 'reads and writes', rows: 500, bytes: expect.any(Number) };
    const planned = await planMigration(database.settings, url);
    expect(planned).toEqual([
      { name: '0002-more', does: 'things have a name.', besideVersionBefore: true, touches: [things] },
      {
        name: '0003-less',
        does: expect.stringContaining('nobody reads it.'),
        besideVersionBefore: false,
        touches: [things],
      },
    ]);
    expect(planned[0]?.touches[0]?.bytes).toBeGreaterThan(8192);
  } finally {
    await client.end();
    await database.drop();
    rmSync(folder, { recursive: true });
  }
});

test('every migration of ours says what it does', () => {
  for (const file of readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql')))
    expect(readFileSync(new URL(file, MIGRATIONS), 'utf8'), file).toMatch(
      /^-- (?:expand|contract: after \d+\.\d+): \S/,
    );
});

test.each([
  ['create unique index if not exists a on usage (x);', 'usage', 'writes'],
  ['create trigger t after insert on usage for each row execute function f();', 'usage', 'writes'],
  ['drop trigger t on usage;', 'usage', 'reads and writes'],
  ['insert into usage values (1);\nalter table usage add x int;', 'usage', 'reads and writes'],
  ['delete from usage;', 'usage', 'the same rows'],
  ['create policy p on usage for select using (true);', 'usage', 'reads and writes'],
])('%s', (text, table, waits) => {
  expect([...tablesIn(text)]).toEqual([[table, waits]]);
});
