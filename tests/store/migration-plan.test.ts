/** What `trivium migrate --plan` says of each pending migration. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { runCommandLine } from '../../packages/cli/src/program.ts';
import { type FakeTerminal, fakeTerminal } from '../../packages/cli/src/terminal.fixture.ts';
import { BASELINE } from '../../packages/gateway/src/store/baseline.ts';
import { migrate } from '../../packages/gateway/src/store/migrate.ts';
import { planMigration, tablesIn } from '../../packages/gateway/src/store/migration-plan.ts';
import { emptyDatabase } from '../support/database.ts';
import { stepTexts } from './step-texts.ts';

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

test('the command ends with 2 while steps are pending, with 0 when none is, and with 1 where it cannot look', async () => {
  const database = await emptyDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'trivium-plan-'));
  const run = async (url: string, ...options: readonly string[]): Promise<FakeTerminal> => {
    const file = join(folder, 'trivium.json');
    writeFileSync(file, JSON.stringify({ keys: [], database: { url } }));
    const terminal = fakeTerminal();
    await runCommandLine(['migrate', ...options, '--config', file], terminal);
    return terminal;
  };
  const absent = new URL(database.url);
  absent.pathname = '/absent';
  try {
    const pending = await run(database.url, '--plan');
    expect([pending.exitCode, pending.output[0], pending.output.at(-1)]).toEqual([
      2,
      `${BASELINE}: the schema of 0.1.0.`,
      '1 steps',
    ]);
    const asJson = await run(database.url, '--plan', '--json');
    expect(asJson.exitCode).toBe(2);
    expect(JSON.parse(asJson.output.join('\n'))).toEqual({
      pending: [{ name: BASELINE, does: 'the schema of 0.1.0.', besideVersionBefore: true, touches: [] }],
    });
    expect((await run(database.url)).output).toEqual([`applied ${BASELINE}`, '1 steps']);
    const done = await run(database.url, '--plan');
    expect([done.exitCode, done.output]).toEqual([0, ['the schema is up to date']]);
    expect((await run(database.url, '--plan', '--json')).output).toEqual(['{"pending":[]}']);
    const failed = await run(absent.href, '--plan');
    expect([failed.exitCode, failed.output]).toEqual([1, []]);
    expect(failed.errors.join()).toContain('"absent" does not exist');
    expect((await run(database.url, '--json')).exitCode).toBe(1);
  } finally {
    await database.drop();
    rmSync(folder, { recursive: true });
  }
});

test.each(stepTexts())('%s says what it does', (_, text) => {
  expect(text).toMatch(/^-- (?:expand|contract: after \d+\.\d+): \S/);
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
