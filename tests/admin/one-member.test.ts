/**
 * One more member of a resource costs three files by hand: the migration, the contract, the commands. Played on a copy of the sources:
 * keys get a note that the API creates, changes and lists, the command line sets and shows, and the console has a column for.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue, usedMessages } from '../../packages/console/build/catalogues.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONTRACT = 'packages/gateway/src/control/keys/contract.ts';
const COMMANDS = 'packages/gateway/src/control/keys/commands.ts';

const PLAYED = 'tests/support/play-one-member.ts';

/** What is changed by hand, as in docs/contribute/add-an-admin-route.md: text by what comes to stand for it. */
const BY_HAND: Readonly<Record<string, string | readonly (readonly [before: string, after: string])[]>> = {
  'packages/gateway/migrations/9999-key-notes.sql':
    '-- expand: keys may have a note.\nalter table keys add column note text;\n',
  [CONTRACT]: [
    [
      'export const Key = ',
      `const note = nullable(
  Type.String({
    maxLength: 500,
    pattern: FORMS.plainText,
    description: 'Free text.',
    ...column({ en: 'Note', de: 'Notiz', 'zh-Hans': '备注' }, 'minmax(120px, 1fr)'),
  }),
);
export const Key = `,
    ],
    [
      "    name,\n    prefix: Type.String({ description: 'First",
      "    name,\n    note,\n    prefix: Type.String({ description: 'First",
    ],
    [
      '    name,\n    memberId: Type.Optional(',
      '    name,\n    note: Type.Optional(note),\n    memberId: Type.Optional(',
    ],
    ['{ name: Type.Optional(name), rights', '{ name: Type.Optional(name), note: Type.Optional(note), rights'],
  ],
  [COMMANDS]: [
    ['const RIGHTS = {\n', "const RIGHTS = {\n  note: ['--note <text>', 'free text'],\n"],
    ["        'name',\n        'id',", "        'name',\n        'note',\n        'id',"],
  ],
};

const node = (...args: readonly string[]) =>
  execFileSync(process.execPath, ['--conditions=trivium-source', ...args], { cwd: copy });

let copy: string;
let database: TestDatabase;
beforeAll(async () => {
  copy = copied();
  for (const [path, change] of Object.entries(BY_HAND)) {
    const file = join(copy, path);
    writeFileSync(file, typeof change === 'string' ? change : edited(readFileSync(file, 'utf8'), change));
  }
  database = await freshDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(copy, { recursive: true });
});

test('three files are changed by hand', () => expect(Object.keys(BY_HAND)).toHaveLength(3));

/** What the compiler says of the slice and of those who read its rows. */
function compiled(): string {
  const files = ['keys/routes.ts', 'keys/commands.ts', 'members/routes.ts', 'money/credits.ts'];
  const own = { composite: false, declaration: false, sourceMap: false, noEmit: true };
  const config = {
    extends: './tsconfig.base.json',
    compilerOptions: { ...own, allowImportingTsExtensions: true, rewriteRelativeImportExtensions: false },
    files: files.map((file) => `packages/gateway/src/control/${file}`),
  };
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config));
  return spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', copy], { encoding: 'utf8' }).stdout;
}

test('what is changed compiles', () => expect(compiled()).toBe(''));

test('the API creates, changes and lists it, and the command line sets and shows it', () => {
  const file = join(copy, 'played.json');
  node(PLAYED, database.url, file);
  const played = JSON.parse(readFileSync(file, 'utf8'));
  expect(played).toMatchObject({
    created: { name: 'app', note: 'for the app' },
    without: { key: { name: 'bare', note: null } },
    changed: { name: 'app', note: 'for both apps' },
    renamed: { name: 'apps', note: 'for both apps' },
    tooLong: { error: { code: 'invalid', field: 'note' } },
    cleared: { name: 'apps', note: null },
  });
  expect(played.listed.map(({ name, note }: Record<string, unknown>) => [name, note]).sort()).toEqual([
    ['apps', 'by hand'],
    ['bare', null],
    ['cli', 'from the start'],
  ]);
  expect(played.audit[0]).toMatchObject({ detail: { note: 'by hand', before: { note: 'for both apps' } } });
  expect(played.table[0]).toMatch(/^NAME +NOTE +ID +PREFIX/);
  expect(played.table.join('\n')).toMatch(/^apps +for both apps +key_/m);
  expect(played.found).toContainEqual(expect.stringMatching(/^note +by hand$/));
  expect(JSON.parse(played.set.join('\n'))).toMatchObject({ key: { note: 'from the start' } });
});

test('the console has a column for it, in every language', async () => {
  node('scripts/docs/generate-console-columns.ts');
  const sources = join(copy, 'packages/console/src');
  const { keyColumns } = await import(join(sources, 'routes/keys/columns.tsx'));
  const columns = keyColumns({ hasAccount: false, memberNames: new Map(), budgets: [] });
  expect(columns).toContainEqual(expect.objectContaining({ of: 'note', as: 'text', title: 'Note' }));
  expect(usedMessages(sources)).toContain('Note');
  expect([catalogue(sources, 'de').get('Note'), catalogue(sources, 'zh-Hans').get('Note')]).toEqual(['Notiz', '备注']);
});

test('a member that is renamed in the contract alone breaks the commands that show it', () => {
  const contract = join(copy, CONTRACT);
  writeFileSync(contract, readFileSync(contract, 'utf8').replaceAll('    prefix: ', '    beginning: '));
  expect(compiled()).toMatch(/keys\/commands\.ts.*error.*"prefix"/);
});

function edited(text: string, changes: readonly (readonly [string, string])[]): string {
  for (const [before] of changes) expect(text.split(before), before).toHaveLength(2);
  return changes.reduce((all, [before, after]) => all.replace(before, () => after), text);
}

/** Sources of the gateway, the command line and the console; everything else is linked. */
function copied(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-one-member-'));
  const link = (path: string, from = path): void => symlinkSync(join(ROOT, from), join(folder, path));
  for (const path of ['node_modules', 'packages', 'tests/support']) mkdirSync(join(folder, path), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter((one) => one !== '@trivium'))
    link(`node_modules/${name}`);
  symlinkSync('../packages', join(folder, 'node_modules/@trivium'));
  for (const name of ['protocol', 'simulator']) link(`packages/${name}`);
  for (const name of ['gateway', 'cli', 'console']) {
    mkdirSync(join(folder, `packages/${name}`));
    for (const part of readdirSync(join(ROOT, `packages/${name}`)))
      if (['src', 'migrations', 'build'].includes(part))
        cpSync(join(ROOT, `packages/${name}/${part}`), join(folder, `packages/${name}/${part}`), { recursive: true });
      else link(`packages/${name}/${part}`);
  }
  link('tsconfig.base.json');
  for (const path of ['scripts/docs', PLAYED]) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  return folder;
}
