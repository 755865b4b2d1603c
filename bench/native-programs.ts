// The C programs of the benchmark, compiled into the build folder when their source is newer, and the outside tools
// it cannot do without.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type NativeProgram = 'mock' | 'openload' | 'relay' | 'sseload';

const TOOLS: Readonly<Record<string, string>> = {
  wrk: 'install the Debian package wrk',
  taskset: 'install the Debian package util-linux',
  setpriv: 'install the Debian package util-linux',
  cc: 'install a C compiler, such as the Debian package gcc',
};

export function requireTools(): void {
  if (process.platform !== 'linux') throw new Error('the benchmark reads /proc and pins cores: it runs on Linux only');
  const folders = (process.env['PATH'] ?? '').split(':');
  const missing = Object.keys(TOOLS).filter((tool) => !folders.some((folder) => existsSync(join(folder, tool))));
  if (missing.length > 0) {
    throw new Error(missing.map((tool) => `${tool} is not on the PATH: ${TOOLS[tool]}`).join('\n'));
  }
}

export function compile(program: NativeProgram, buildFolder: string): string {
  const source = fileURLToPath(new URL(`native/${program}.c`, import.meta.url));
  const binary = join(buildFolder, program);
  if (existsSync(binary) && statSync(binary).mtimeMs > statSync(source).mtimeMs) return binary;
  mkdirSync(buildFolder, { recursive: true });
  const result = spawnSync('cc', ['-O2', '-Wall', '-o', binary, source], { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`${program}.c does not compile: ${result.error?.message ?? result.stderr}`);
  return binary;
}
