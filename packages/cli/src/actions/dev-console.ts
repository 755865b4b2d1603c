// The console of `trivium dev` in a checkout, where it has to be built once: at a terminal `dev` builds it, elsewhere it says how.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Terminal } from '../terminal.ts';

const SERVICE_UNAVAILABLE = 503;
const COMMAND = ['npm', 'run', 'console:build'] as const;
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

export type ConsoleBuild = {
  /** After the link. */
  readonly note: string;
  /** Says when the console can be opened. */
  readonly start?: () => void;
  readonly stop?: () => void;
};

/** Whether the console answers; a published package always has it. */
const isBuilt = async (adminUrl: string): Promise<boolean> =>
  (await fetch(`${adminUrl}/console/`)).status !== SERVICE_UNAVAILABLE;

export async function consoleBuild(adminUrl: string, terminal: Terminal, root = ROOT): Promise<ConsoleBuild> {
  if (await isBuilt(adminUrl)) return { note: '' };
  const [program, ...args] = COMMAND;
  const how = `${COMMAND.join(' ')} in ${root}`;
  // Without a terminal there is no person to open it, as in tests and containers.
  if (!terminal.isInteractive || !existsSync(`${root}/packages/console/package.json`))
    return { note: `  (not built: ${how})` };
  let stop: (() => void) | undefined;
  const start = (): void => {
    const child = spawn(program, args, { cwd: root, stdio: 'ignore' });
    stop = () => child.kill();
    child.once('error', () => terminal.error(`the console could not be built: ${how} says why`));
    child.once('exit', (code, signal) => {
      if (code === 0) terminal.print('\nThe console is built: the link above works now.');
      else if (signal === null) terminal.error(`the console could not be built: ${how} says why`);
    });
  };
  return { note: '  (being built, which takes half a minute)', start, stop: () => stop?.() };
}
