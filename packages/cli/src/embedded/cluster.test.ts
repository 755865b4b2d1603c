import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCluster } from './cluster.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-cluster-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = (name: string, script: string): void => {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
};
const start = () => startCluster({ programs: folder, folder, password: 'p', as: undefined });

test('a server that holds the standard error of what started it does not hold up the start', async () => {
  program('initdb', 'mkdir "$2"');
  // As long as the test lets it: it ends with the folder.
  program(
    'pg_ctl',
    '[ "$3" = status ] && exit 3\n(while [ -d "$PWD" ]; do sleep 0.1; done) &\nprintf "1\\n\\n\\n4711\\n" > "$2/postmaster.pid"',
  );
  expect(await start()).toEqual({ url: 'postgres://trivium:p@127.0.0.1:4711/postgres', isReused: false });
});

test.each([
  ['its last line', 'echo first >&2; echo "the reason" >&2; exit 1', 'initdb: the reason'],
  ['its exit code, where it says nothing', 'exit 7', 'initdb: 7'],
])('a program that fails is reported with %s', async (_what, script, message) => {
  program('initdb', script);
  await expect(start()).rejects.toThrow(message);
});

test('a program that is not there is named', async () => {
  await expect(start()).rejects.toThrow(/^initdb: .*ENOENT/);
});
