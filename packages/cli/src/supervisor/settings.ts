// The settings the supervisor needs. A child process reads and checks the file, then exits: a supervisor runs for months and
// serves no request, so the schema library, the catalogue's schemas and the YAML parser never load here.

import { type ChildProcess, fork } from 'node:child_process';
import type { Config } from '@trivium/gateway/config';

/** Those that a reload of the workers changes. */
export type ReloadedSettings = Pick<Config, 'watchdog'> & {
  readonly level: Config['log']['level'];
  readonly timeouts: Pick<Config['timeouts'], 'drainMs' | 'drainNoticeMs'>;
};

export type SupervisorSettings = Pick<Config, 'listen' | 'admin'> & ReloadedSettings;

export const reloadedSettings = ({ watchdog, log, timeouts }: Config): ReloadedSettings => ({
  watchdog,
  level: log.level,
  timeouts: { drainMs: timeouts.drainMs, drainNoticeMs: timeouts.drainNoticeMs },
});

type Place = { readonly place: string; readonly path: string; readonly message: string };

export type SettingsOutcome =
  | { readonly settings: SupervisorSettings; readonly notices: readonly Place[] }
  /** One sentence each, with the place in the file. */
  | { readonly problems: readonly string[] };

const isSource = import.meta.url.endsWith('.ts');
const CHILD = new URL(isSource ? './settings-child.ts' : './settings-child.js', import.meta.url);

/** Removes inspector options: two processes cannot listen on one inspector port. */
const childArguments = (): readonly string[] => process.execArgv.filter((name) => !name.startsWith('--inspect'));

/** How often the child is started if something kills it before it has answered. */
const MAX_STARTS = 3;

export async function readSettings(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  use: 'start' | 'reload' = 'reload',
  start = (): ChildProcess => fork(CHILD, [file, use], { env: { ...env }, execArgv: [...childArguments()] }),
): Promise<SettingsOutcome> {
  for (let tries = 1; ; tries++) {
    const outcome = await answerOf(start());
    if (typeof outcome !== 'string') return outcome;
    if (tries === MAX_STARTS || outcome.startsWith('code'))
      throw new Error(`the configuration could not be read: the child process ended with ${outcome}`);
  }
}

/** Or how it ended without one: its signal, or `code N`. */
const answerOf = (child: ChildProcess): Promise<SettingsOutcome | string> =>
  new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as SettingsOutcome));
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
  });
