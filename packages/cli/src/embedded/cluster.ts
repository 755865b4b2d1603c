// A private PostgreSQL cluster in a folder: created completely or not at all, started on loopback, reused while it still runs.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { privateFolder, type RunAs } from './unprivileged.ts';

export type Cluster = {
  /** Folder of `initdb`, `pg_ctl` and `postgres`. */
  readonly programs: string;
  readonly folder: string;
  readonly password: string;
  readonly as: RunAs;
};

const SUPERUSER = 'trivium';

const COMMAND_LIMIT_MS = 60_000;
/** Characters of its standard error that are kept. */
const MOST_SAID = 4096;
/** Another process may take a free port between finding it and binding it. */
const PORT_TRIES = 3;
/** Where a running server has written its port, counted from zero. */
const PORT_LINE = 3;

const dataOf = ({ folder }: Cluster): string => join(folder, 'data');

/** Throws with the last line of its standard error. */
async function run({ programs, folder, as }: Cluster, program: string, args: readonly string[]): Promise<void> {
  const child = spawn(join(programs, program), args, {
    cwd: folder,
    timeout: COMMAND_LIMIT_MS,
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...as,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said = (said + piece).slice(-MOST_SAID);
  });
  const closed = once(child, 'close').catch(() => undefined);
  const [code, signal] = await once(child, 'exit').catch((error: Error) => [error.message]);
  // A server that it has started may hold its standard error open for as long as it runs, as on Windows: then there is no end to wait for.
  if (code === 0) {
    child.stderr.destroy();
    return;
  }
  await closed;
  throw new Error(`${program}: ${said.trim().split('\n').at(-1) || (signal ?? code)}`);
}

/** Under another name until it is complete, so that an interrupted `initdb` never passes for a cluster. */
async function makeCluster(cluster: Cluster): Promise<void> {
  const { folder, password, as } = cluster;
  const unfinished = join(folder, 'data.unfinished');
  const passwordFile = join(folder, 'password');
  rmSync(unfinished, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (as !== undefined) chownSync(passwordFile, as.uid, as.gid);
  const form = ['-U', SUPERUSER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--locale=C'];
  try {
    await run(cluster, 'initdb', ['-D', unfinished, ...form, '--no-sync', '--no-instructions']);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(unfinished, dataOf(cluster));
}

function portIn(cluster: Cluster): number | undefined {
  try {
    const line = readFileSync(join(dataOf(cluster), 'postmaster.pid'), 'utf8').split('\n')[PORT_LINE] ?? '';
    return Number(line) || undefined;
  } catch {
    return undefined;
  }
}

const isRunning = (cluster: Cluster): Promise<boolean> =>
  run(cluster, 'pg_ctl', ['-D', dataOf(cluster), 'status']).then(
    () => true,
    () => false,
  );

async function launch(cluster: Cluster): Promise<void> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_timezone=UTC'];
  for (let left = PORT_TRIES; ; left--) {
    const options = [`-p ${await freePort()}`, ...settings.map((setting) => `-c ${setting}`)].join(' ');
    try {
      await run(cluster, 'pg_ctl', [
        '-D',
        dataOf(cluster),
        '-l',
        join(cluster.folder, 'log'),
        '-o',
        options,
        '-w',
        'start',
      ]);
      return;
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}

/** A server that still runs from an earlier process is reused: another process may be using it. */
export async function startCluster(cluster: Cluster): Promise<{ readonly url: string; readonly isReused: boolean }> {
  privateFolder(cluster.folder, cluster.as);
  if (!existsSync(dataOf(cluster))) await makeCluster(cluster);
  const isReused = await isRunning(cluster);
  if (!isReused) await launch(cluster);
  const port = portIn(cluster);
  if (port === undefined) throw new Error(`PostgreSQL did not start, see ${join(cluster.folder, 'log')}`);
  return { url: `postgres://${SUPERUSER}:${cluster.password}@127.0.0.1:${port}/postgres`, isReused };
}

export const stopCluster = (cluster: Cluster): Promise<void> =>
  run(cluster, 'pg_ctl', ['-D', dataOf(cluster), '-m', 'fast', '-w', 'stop']);
