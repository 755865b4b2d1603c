// Runs the programs of PostgreSQL that backup and restore need, found on the PATH, on the configured database.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Terminal } from '../terminal.ts';

/** The end of what a program says on standard error. */
const MAX_SAID = 2000;

/** Everything but the password in an argument, which every user of the machine can read; and the operator's tenant, who sees all rows. */
export function connectionOf(
  url: string,
  env: Terminal['env'],
): { readonly address: string; readonly env: NodeJS.ProcessEnv } {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  const options = address.searchParams.get('options') ?? env['PGOPTIONS'] ?? '';
  address.password = '';
  address.searchParams.delete('options');
  const pgOptions = `${options} -c trivium.tenant=*`.trim();
  return {
    address: address.href,
    env: { ...env, PGOPTIONS: pgOptions, ...(password !== '' && { PGPASSWORD: password }) },
  };
}

export type Started = { readonly child: ChildProcess; readonly ended: Promise<void> };

/** `ended` fails with what the program said last. */
export function start(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stdio: readonly ['ignore' | 'pipe', 'ignore' | 'pipe'] = ['ignore', 'ignore'],
): Started {
  const child = spawn(program, args, { env, stdio: [...stdio, 'pipe'] });
  let said = '';
  child.stderr?.on('data', (piece: Buffer) => {
    said = `${said}${piece.toString()}`.slice(-MAX_SAID);
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new Error(
              `${program} is not on the PATH: install the client programs of PostgreSQL (Debian: postgresql-client, macOS: libpq)`,
            )
          : error,
      ),
    );
    child.once('close', (code, signal) =>
      code === 0 ? resolve() : reject(new Error(`${program} failed (${signal ?? code}): ${said.trim()}`)),
    );
  });
  return { child, ended };
}
