import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readDocument, schemaText } from '../../build/generate-schema.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const CONSOLE = join(ROOT, 'packages/console');
/** A page that shows members of a key. */
const PAGE = 'src/routes/keys/columns.tsx';

const copy = mkdtempSync(join(tmpdir(), 'trivium-console-'));
cpSync(join(CONSOLE, 'src'), join(copy, 'src'), { recursive: true });
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
const project = { extends: join(CONSOLE, 'tsconfig.json'), files: [PAGE, 'src/i18n/virtual-messages.d.ts'] };
writeFileSync(
  join(copy, 'tsconfig.json'),
  JSON.stringify({ ...project, include: [], compilerOptions: { types: ['vite/client'] } }),
);
afterAll(() => rmSync(copy, { recursive: true }));

/** What the compiler says of the page, where the types of the API are made from this document. */
async function compiled(document: string): Promise<string> {
  writeFileSync(join(copy, 'src/api/schema.ts'), await schemaText(document));
  return spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', copy], { encoding: 'utf8' }).stdout;
}

test('a page compiles against the document of the admin API', async () =>
  expect(await compiled(readDocument())).toBe(''));

test('a member of a key that is renamed in the document breaks the page that shows it', async () => {
  const renamed = readDocument().replaceAll('"lastUsedAt"', '"usedAt"');
  expect(await compiled(renamed)).toMatch(/keys\/columns\.tsx.*error.*lastUsedAt/);
});
