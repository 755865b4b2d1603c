/** buildah without a daemon and without user namespaces: its own storage, processes in a chroot. */
import { execFileSync } from 'node:child_process';
import { toolsFolder } from '../tools/go-tool.ts';

const STORAGE = [
  '--storage-driver=vfs',
  '--root',
  toolsFolder('containers'),
  '--runroot',
  toolsFolder('containers-run'),
];

/** What it prints, trimmed. */
export const buildah = (...args: readonly string[]): string =>
  execFileSync('buildah', [...STORAGE, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 50_000_000,
  }).trim();

/** With what it prints shown. */
export const buildImage = (folder: string, image: string, buildArguments: Readonly<Record<string, string>>): void => {
  const named = Object.entries(buildArguments).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  // Docker's format, since the other has no healthcheck.
  execFileSync(
    'buildah',
    [...STORAGE, 'bud', '--isolation=chroot', '--network=host', '--format=docker', ...named, '--tag', image, folder],
    { stdio: ['ignore', process.stderr, process.stderr] },
  );
};
