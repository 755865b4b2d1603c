/** What a start needs is tried first: a failure is one sentence and exit code 1, before anything else is said or opened. */
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

function configWith(addresses: Readonly<Record<string, number>>, more: object = {}): string {
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
      // What is said beside the sentence would be seen.
      log: { level: 'info' },
      ...more,
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

test.each([
  ['alone', []],
  ['with workers', ['--workers', '2']],
])(
  'serve with a journal folder it cannot write to exits with code 1 and one message: %s',
  { timeout: PATIENCE_MS },
  async (_name, more) => {
    const file = configWith({}, { ledger: { journal: '/dev/null/journal' } });
    expect(await run('serve', '--config', file, ...more)).toEqual({
      code: 1,
      output: '',
      errors: expect.stringMatching(
        /^trivium: cannot write to the folder ledger\.journal \/dev\/null\/journal: ENOTDIR.*\n$/,
      ),
    });
    expect(reached).toBe(0);
  },
);

/** Answers as PostgreSQL does to a user it does not let in. */
const refusing = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    const fields = ['SFATAL', 'VFATAL', 'C28P01', 'Mpassword authentication failed for user "trivium"', ''];
    const text = Buffer.from(`${fields.join('\0')}\0`);
    const head = Buffer.alloc(5);
    head.write('E');
    head.writeInt32BE(text.length + 4, 1);
    socket.end(Buffer.concat([head, text]));
  });
});

test.each([
  ['alone', []],
  ['with workers', ['--workers', '2']],
])(
  'serve on a database that refuses it exits with code 1 and one message: %s',
  { timeout: PATIENCE_MS },
  async (_name, more) => {
    refusing.listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const url = `postgres://trivium@127.0.0.1:${portOf(refusing)}/trivium?sslmode=disable`;
    const ended = await run('serve', '--config', configWith({}, { database: { url } }), ...more);
    await new Promise((resolve) => refusing.close(resolve));
    expect(ended).toEqual({
      code: 1,
      output: '',
      errors: 'trivium: the database of database.url refuses: password authentication failed for user "trivium"\n',
    });
  },
);

test('dev on a busy port exits with code 1 and one message', { timeout: PATIENCE_MS }, async () => {
  const { code, output, errors } = await run('dev', '--port', String(portOf(busy)), '--data', 'kept');
  expect({ code, output, errors }).toEqual({ code: 1, output: '', errors: sentence(portOf(busy)) });
  expect(existsSync(join(folder, 'kept'))).toBe(false);
});
