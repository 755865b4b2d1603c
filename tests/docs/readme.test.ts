/** The first five minutes, taken at their word: the command, the line it prints, and the examples of README and tutorial. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { fencesOf } from './markdown.ts';
import { ROOT, read, readJson } from './tree.ts';

const ANSWER = 'Where do three roads meet?';
const DEADLINE_MS = 20_000;
const fence = (page: string, id: string): string => fencesOf(read(page)).find((block) => block.id === id)?.text ?? '';

/** Every example that a reader can run against `dev`, with the interpreter and the file it takes. */
const NODE = [process.execPath, 'example.mjs'] as const;
const PYTHON = [join(ROOT, '.venv/bin/python'), 'example.py'] as const;
const EXAMPLES = [
  ['README.md', 'sdk-openai', NODE],
  ['README.md', 'sdk-anthropic', NODE],
  ['README.md', 'sdk-google', NODE],
  ['docs/start/five-minutes.md', 'sdk-javascript', NODE],
  ['docs/start/five-minutes.md', 'sdk-python', PYTHON],
] as const;

const data = mkdtempSync(join(tmpdir(), 'readme-dev-'));
let dev: ChildProcess;
let printed = '';
let complaints = '';
let isOver = false;

/** What `npm run trivium -- dev` runs, on any free port and with a folder of its own. */
beforeAll(async () => {
  const { scripts } = readJson<{ scripts: { trivium: string } }>('package.json');
  const [program, ...args] = scripts.trivium.split(' ');
  expect(program).toBe('node');
  dev = spawn(process.execPath, [...args, 'dev', '--port', '0', '--data', data], { cwd: ROOT });
  dev.stdout?.on('data', (piece: Buffer) => {
    printed += piece.toString();
  });
  dev.stderr?.on('data', (piece: Buffer) => {
    complaints += piece.toString();
  });
  dev.on('exit', () => {
    isOver = true;
  });
  await waitUntil('a line to paste', () => isOver || /^curl .*\n/m.test(printed), DEADLINE_MS);
  expect(isOver, complaints).toBe(false);
});
afterAll(async () => {
  dev.kill('SIGTERM');
  await waitUntil('the end of dev', () => isOver, DEADLINE_MS);
  rmSync(data, { recursive: true });
});

const printedAs = (name: string): string => new RegExp(`^${name}: +(\\S+)$`, 'm').exec(printed)?.[1] ?? '';
const streamed = (frames: string): string =>
  [...frames.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text).join('');

test('the printed line streams an answer', () => {
  const line = printed.split('\n').find((text) => text.startsWith('curl ')) ?? '';
  const run = spawnSync('sh', ['-c', line], { encoding: 'utf8', timeout: DEADLINE_MS });
  expect(streamed(run.stdout)).toContain('Hello');
  expect(run.stdout.trimEnd().endsWith('data: [DONE]')).toBe(true);
});

test.each(EXAMPLES)('%s: the example %s prints an answer', (page, id, [program, file]) => {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const example = fence(page, id);
    expect(example).toContain('http://127.0.0.1:8080');
    writeFileSync(join(folder, file), example.replace('http://127.0.0.1:8080', printedAs('gateway')));
    const run = spawnSync(program, [file], {
      cwd: folder,
      encoding: 'utf8',
      timeout: DEADLINE_MS,
      env: { ...process.env, TRIVIUM_KEY: printedAs('key') },
    });
    expect(run.stderr).toBe('');
    expect(run.stdout).toContain(ANSWER);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
