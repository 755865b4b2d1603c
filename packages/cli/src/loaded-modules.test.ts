// Commands load only the modules they need. The test lists loaded modules instead of measuring time, which varies by machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const HOOK = new URL('./loaded-modules.fixture.mjs', import.meta.url).href;
const COMMAND = new URL('./main.ts', import.meta.url).pathname;
const EXAMPLE = new URL('../../../examples/trivium.yaml', import.meta.url).pathname;
/** Loading sources takes seconds on a busy machine. */
const PATIENCE_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'loaded-modules-'));
afterAll(() => rmSync(folder, { recursive: true }));

const start = (args: readonly string[]): ChildProcess =>
  spawn(process.execPath, ['--conditions=trivium-source', '--import', HOOK, COMMAND, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      LOADED_MODULES_FOLDER: folder,
      TRIVIUM_KEY_WEB_APP: 'sk-trivium-0123456789012345678901234567890123456789',
      OPENAI_API_KEY: 'sk-upstream-1',
      GROQ_API_KEY: 'gsk_upstream',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
/** Descriptions of the commands of the admin API: data, and nothing else of the gateway. */
const DESCRIPTION = /\/packages\/gateway\/src\/control\/(?:[a-z-]+\/)?commands?\.ts$/;
/** `gateway/config`, `gateway/money/limits`, `protocol/dialects`, or the name of an installed package, each once. */
const partsOf = (pid: number | undefined): readonly string[] => {
  const urls = readFileSync(join(folder, String(pid)), 'utf8')
    .trim()
    .split('\n');
  const nameOf = (url: string): string => {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    const [, owner, part] =
      /\/packages\/(gateway)\/src\/([a-z-]+\/[a-z-]+)\//.exec(url) ??
      /\/packages\/([a-z]+)\/src\/([a-z-]+)/.exec(url) ??
      [];
    return name ?? (owner === undefined ? url : `${owner}/${part}`);
  };
  return [...new Set(urls.filter((url) => !url.startsWith('node:') && !DESCRIPTION.test(url)).map(nameOf))];
};
const run = async (...args: readonly string[]) => {
  const child = start(args);
  let errors = '';
  child.stdout?.resume();
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, errors, parts: partsOf(child.pid) };
};
const beyondTheCommand = (parts: readonly string[]): readonly string[] =>
  parts.filter((part) => !part.startsWith('cli/') && part !== 'commander').sort();

test.each([
  [['--version'], []],
  [['--help'], []],
  [['completion', 'zsh'], []],
  [['accounts', 'list', '--help'], []],
  [['keys', 'new'], ['gateway/people/accounts']],
  [['catalogue', 'list'], ['gateway/models/catalogue']],
  [['config', 'schema'], ['gateway/config']],
])('trivium %j loads %j beside the command line itself', { timeout: PATIENCE_MS }, async (args, wanted) => {
  const { code, parts } = await run(...args);
  expect(code).toBe(0);
  expect(beyondTheCommand(parts)).toEqual(wanted);
});

test.each([
  [['config', 'check', '-c', EXAMPLE], ['protocol/dialects']],
  [['catalogue', 'check'], []],
])('trivium %j starts no part of the gateway', { timeout: PATIENCE_MS }, async (args, also) => {
  const { code, errors, parts } = await run(...args);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(parts).toContain('typebox');
  for (const part of ['fastify', 'pg', 'kysely', 'undici', 'ioredis', 'pino', 'prom-client', 'gateway/app', ...also])
    expect(parts).not.toContain(part);
});

test('the supervisor of workers loads neither the gateway nor the schema of its configuration', {
  timeout: PATIENCE_MS,
}, async () => {
  const file = join(folder, 'workers.json');
  const address = { host: '127.0.0.1', port: 0 };
  writeFileSync(file, JSON.stringify({ listen: address, admin: address, keys: [], timeouts: { drainNoticeMs: 0 } }));
  const child = start(['serve', '--workers', '1', '--config', file]);
  const ended = once(child, 'close');
  let output = '';
  await new Promise<void>((resolve) => {
    const look = (text: string): void => {
      output += text;
      if (output.includes('all workers ready')) resolve();
    };
    child.stdout?.setEncoding('utf8').on('data', look);
    child.stderr?.setEncoding('utf8').on('data', look);
    void ended.then(() => resolve());
  });
  const parts = partsOf(child.pid);
  child.kill('SIGTERM');
  expect(output).toContain('all workers ready');
  expect(beyondTheCommand(parts).filter((part) => part.startsWith('gateway/') || part.startsWith('protocol/'))).toEqual(
    ['gateway/app/entries', 'gateway/kernel', 'gateway/money/limits', 'gateway/telemetry'],
  );
  for (const part of ['typebox', 'yaml', 'fastify', 'pg', 'undici', 'ioredis', 'prom-client'])
    expect(parts).not.toContain(part);
  const [code] = (await ended) as [number | null];
  expect(code).toBe(0);
});
