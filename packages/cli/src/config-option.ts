// Which configuration file a command reads: the one it was given, the one TRIVIUM_CONFIG names, or `trivium.yaml` of this folder.

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

const VARIABLE = 'TRIVIUM_CONFIG';
export const DEFAULT_CONFIG_FILE = 'trivium.yaml';

export const withConfigOption = (command: Command): Command =>
  command.option('-c, --config <file>', `configuration file (default: $${VARIABLE}, or ./${DEFAULT_CONFIG_FILE})`);

/** Undefined when none was named and this folder has none. */
export const foundConfigFile = (named: string | undefined, env: Terminal['env']): string | undefined =>
  named ?? env[VARIABLE] ?? (existsSync(DEFAULT_CONFIG_FILE) ? DEFAULT_CONFIG_FILE : undefined);

/** Throws when none was named and this folder has none. */
export const configFile = (named: string | undefined, env: Terminal['env']): string => {
  const file = foundConfigFile(named, env);
  if (file === undefined)
    throw new Error(
      `no configuration file: pass --config <file>, set ${VARIABLE}, or write ./${DEFAULT_CONFIG_FILE} (trivium init does)`,
    );
  return file;
};
