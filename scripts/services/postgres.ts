/** A private PostgreSQL in a folder, on loopback, from Debian's packages. `trust` authentication: no password. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, privateFolder, run, runAs, type Server } from './unprivileged.ts';

const DEBIAN = '/usr/lib/postgresql';
const OLDEST = 15;
const SUPERUSER = 'trivium';

/** Where Debian keeps the newest version's. */
export function programs(): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const newest = Math.max(
    0,
    ...versions.filter((version) => existsSync(join(DEBIAN, String(version), 'bin/postgres'))),
  );
  if (newest < OLDEST) throw new Error(`needs PostgreSQL ${OLDEST} or newer: apt-get install postgresql`);
  return join(DEBIAN, String(newest), 'bin');
}

const dataOf = (folder: string): string => join(folder, 'data');

/** The process and port of a running server; what a dead one left behind does not count. */
export function runningPostgres(folder: string): Server | undefined {
  try {
    const [pid = '', , , port = ''] = readFileSync(join(dataOf(folder), 'postmaster.pid'), 'utf8').split('\n');
    if (!isRunning(Number(pid), 'postgres')) return undefined;
    return { pid: Number(pid), url: `postgres://${SUPERUSER}@127.0.0.1:${Number(port)}/postgres` };
  } catch {
    return undefined;
  }
}

/** Creates the cluster if needed. Throws when the port is taken. Durability settings stay at their safe defaults. */
export function startPostgres(folder: string, port: number, more: readonly string[] = []): Server {
  const running = runningPostgres(folder);
  if (running !== undefined) return running;
  const bin = programs();
  const as = runAs('postgres');
  const data = dataOf(folder);
  privateFolder(folder, as);
  if (!existsSync(join(data, 'PG_VERSION')))
    run(
      join(bin, 'initdb'),
      ['-D', data, '-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
      folder,
      as,
    );
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    'log_timezone=UTC',
    ...more,
  ];
  const options = [`-p ${port}`, ...settings.map((setting) => `-c "${setting}"`)].join(' ');
  run(
    join(bin, 'pg_ctl'),
    ['-D', data, '-l', join(folder, 'log'), '-o', options, '-w', '-t', '60', 'start'],
    folder,
    as,
  );
  const started = runningPostgres(folder);
  if (started === undefined) throw new Error(`PostgreSQL did not start, see ${join(folder, 'log')}`);
  return started;
}

export function stopPostgres(folder: string): void {
  if (runningPostgres(folder) === undefined) return;
  run(
    join(programs(), 'pg_ctl'),
    ['-D', dataOf(folder), '-m', 'fast', '-w', '-t', '60', 'stop'],
    folder,
    runAs('postgres'),
  );
}
