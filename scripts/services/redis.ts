/** A private Redis in a folder, on loopback, from Debian's packages. Without persistence. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, privateFolder, run, runAs, type Server } from './unprivileged.ts';

const PROGRAM = '/usr/bin/redis-server';
const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 20_000;
const LOOK_EVERY_MS = 20;

const pidFile = (folder: string): string => join(folder, 'pid');
const settingsFile = (folder: string): string => join(folder, 'redis.conf');

const settings = (folder: string, port: number): string =>
  [
    `port ${port}`,
    'bind 127.0.0.1',
    'daemonize yes',
    `pidfile ${pidFile(folder)}`,
    `dir ${folder}`,
    `logfile ${join(folder, 'log')}`,
    'save ""',
    'appendonly no',
    '',
  ].join('\n');

export function runningRedis(folder: string): Server | undefined {
  if (!existsSync(pidFile(folder)) || !existsSync(settingsFile(folder))) return undefined;
  const pid = Number(readFileSync(pidFile(folder), 'utf8'));
  const port = /^port (\d+)$/m.exec(readFileSync(settingsFile(folder), 'utf8'))?.[1];
  return isRunning(pid, 'redis-server') ? { pid, url: `redis://127.0.0.1:${port}` } : undefined;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(bytes.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });

export async function startRedis(folder: string, port: number): Promise<Server> {
  const running = runningRedis(folder);
  if (running !== undefined) return running;
  if (!existsSync(PROGRAM)) throw new Error('needs Redis: apt-get install redis-server');
  const as = runAs('redis');
  privateFolder(folder, as);
  writeFileSync(settingsFile(folder), settings(folder, port), { mode: 0o644 });
  run(PROGRAM, [settingsFile(folder)], folder, as);
  const until = performance.now() + START_LIMIT_MS;
  while (!(await answers(port))) {
    if (performance.now() > until) throw new Error(`Redis did not start, see ${join(folder, 'log')}`);
    await sleep(LOOK_EVERY_MS);
  }
  const started = runningRedis(folder);
  if (started === undefined) throw new Error(`another Redis listens on port ${port}`);
  return started;
}

export async function stopRedis(folder: string): Promise<void> {
  const running = runningRedis(folder);
  if (running === undefined) return;
  process.kill(running.pid, 'SIGTERM');
  const until = performance.now() + STOP_LIMIT_MS;
  while (isRunning(running.pid, 'redis-server')) {
    if (performance.now() > until) throw new Error(`Redis (process ${running.pid}) does not stop`);
    await sleep(LOOK_EVERY_MS);
  }
}
