// Brings packages into a temporary folder by name, unpacked and never run.

import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Source } from './facts.ts';

const run = promisify(execFile);
const LIMITS = { timeout: 300_000, maxBuffer: 1 << 20 };

export interface Unpacked {
  readonly folder: string;
  readonly source: Source;
}

const fromNpm = async (id: string, name: string, folder: string): Promise<Unpacked> => {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder, name], LIMITS);
  await run('tar', ['-xzf', join(folder, stdout.trim().split('\n').at(-1) ?? ''), '-C', folder], LIMITS);
  const { version } = JSON.parse(await readFile(join(folder, 'package', 'package.json'), 'utf8')) as {
    version: string;
  };
  return { folder: join(folder, 'package'), source: { id, from: 'npm', package: name, version } };
};

const fromPyPI = async (id: string, name: string, folder: string): Promise<Unpacked> => {
  await run('pip', ['download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', folder, name], LIMITS);
  const wheel = (await readdir(folder)).find((file) => file.endsWith('.whl')) ?? '';
  await run('unzip', ['-q', join(folder, wheel), '-x', '*.py', '-d', folder], LIMITS);
  return { folder, source: { id, from: 'PyPI', package: name, version: wheel.split('-')[1] ?? '' } };
};

export const unpack = async (from: Source['from'], id: string, name: string, parent: string): Promise<Unpacked> => {
  const folder = join(parent, id);
  await mkdir(folder);
  return from === 'npm' ? fromNpm(id, name, folder) : fromPyPI(id, name, folder);
};
