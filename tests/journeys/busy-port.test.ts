/** S11: a port that is in use ends the command with one message and exit code 1, before a database is opened. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const COMMAND = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;
/** An upper bound in ms: the command exits by itself, but loading its sources depends on the machine. */
const PATIENCE_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'busy-port-'));
let busy: Server;
let database: Server;
let reached = 0;
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
beforeAll(async () => {
  busy = createServer().listen(0, '127.0.0.1');
  // Accepts connections and never answers, so a gateway that used it would wait.
  database = createServer(() => reached++).listen(0, '127.0.0.1');
  await Promise.all([once(busy, 'listening'), once(database, 'listening')]);
});
afterAll(() => {
  busy.close();
  database.close();
  rmSync(folder, { recursive: true });
});

async function run(...args: readonly string[]) {
  const child = spawn(process.execPath, ['--conditions=trivium-source', COMMAND, ...args], { cwd: folder });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
}

function configWith(addresses: Readonly<Record<string, number>>): string {
  const path = join(folder, 'trivium.json');
  const listener = (name: string) => ({ host: '127.0.0.1', port: addresses[name] ?? 0 });
  writeFileSync(
    path,
    JSON.stringify({
      listen: listener('listen'),
      admin: listener('admin'),
      database: { url: `postgres://trivium@127.0.0.1:${portOf(database)}/trivium` },
      ledger: { journal: join(folder, 'journal') },
      secrets: { keys: ['MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='] },
      keys: [{ name: 'k', secret: 'sk-trivium-test-0123456789abcdefghijklmnopqrstuvwxyz' }],
      log: { level: 'error' },
    }),
  );
  return path;
}

const sentence = (port: number): string =>
  `trivium: cannot listen on 127.0.0.1:${port}: the port is in use; end the process that has it, or choose another port\n`;

test.each([
  ['alone', 'listen', []],
  ['alone, the admin port', 'admin', []],
  ['with workers', 'listen', ['--workers', '2']],
])(
  'serve on a busy port exits with code 1 and one message: %s',
  { timeout: PATIENCE_MS },
  async (_name, listener, more) => {
    const file = configWith({ [listener]: portOf(busy) });
    expect(await run('serve', '--config', file, ...more)).toEqual({
      code: 1,
      output: '',
      errors: sentence(portOf(busy)),
    });
    expect(reached).toBe(0);
  },
);

test('dev on a busy port exits with code 1 and one message', { timeout: PATIENCE_MS }, async () => {
  const { code, output, errors } = await run('dev', '--port', String(portOf(busy)), '--data', 'kept');
  expect({ code, output, errors }).toEqual({ code: 1, output: '', errors: sentence(portOf(busy)) });
  expect(existsSync(join(folder, 'kept'))).toBe(false);
});
