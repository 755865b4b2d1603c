/** Programs of the Go world that tests need: built once at a fixed version, and kept outside the checkout. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const FOLDER = process.env['TRIVIUM_TOOLS'] ?? join(homedir(), '.cache/trivium-tools');

export const toolsFolder = (name: string): string => {
  const folder = join(FOLDER, name);
  mkdirSync(folder, { recursive: true });
  return folder;
};

/** Of those who test the chart and those who push it. */
export const HELM_VERSION = 'v3.22.0';

/** The program's path; builds it with `go install` where it is not there yet. */
export function goTool(module: string, version: string): string {
  const name = module.split('/').at(-1) ?? module;
  const kept = join(toolsFolder('bin'), `${name}-${version}`);
  if (existsSync(kept)) return kept;
  const folder = toolsFolder(`build-${name}-${version}`);
  console.log(`building ${name} ${version}, once`);
  execFileSync('go', ['install', `${module}@${version}`], {
    env: { ...process.env, GOBIN: folder, GOFLAGS: '-modcacherw' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  renameSync(join(folder, name), kept);
  return kept;
}
