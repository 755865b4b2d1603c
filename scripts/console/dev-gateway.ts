/** `trivium dev` as a person starts it: a process, and what it prints. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COMMAND = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;
const START_MS = 120_000;

export type DevGateway = {
  readonly url: string;
  readonly adminUrl: string;
  /** The link that signs in once. */
  readonly consoleUrl: string;
  readonly key: string;
  readonly operatorSecret: string;
  stop(): Promise<void>;
};

export async function startDevGateway(): Promise<DevGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-console-'));
  // PostgreSQL does not run as root, and the user it runs as must get in.
  chmodSync(folder, 0o755);
  const args = ['--conditions=trivium-source', '--disable-warning=ExperimentalWarning', COMMAND, 'dev', '--port', '0'];
  const child = spawn(process.execPath, [...args, '--data', join(folder, 'data')], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`trivium dev did not start:\n${printed}`)), START_MS);
    child.stdout.on('data', (piece: Buffer) => {
      printed += piece.toString();
      if (!/^curl .*\n/m.test(printed)) return;
      clearTimeout(timer);
      resolve();
    });
    child.once('exit', (code) => reject(new Error(`trivium dev ended with ${code}:\n${printed}`)));
  });
  const said = (name: string): string => new RegExp(`^${name}: +(.+)$`, 'm').exec(printed)?.[1] ?? '';
  return {
    url: said('gateway'),
    adminUrl: said('admin'),
    consoleUrl: said('console'),
    key: said('key'),
    operatorSecret: /TRIVIUM_ADMIN_SECRET=(\S+)/.exec(printed)?.[1] ?? '',
    stop: async () => {
      child.removeAllListeners('exit');
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A call of the admin API by the operator. */
export async function admin(
  { adminUrl, operatorSecret }: DevGateway,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${adminUrl}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${operatorSecret}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Record<string, unknown>;
}
