// The configuration a command works with, read and checked.

import { type Config, type ConfigOutcome, describeConfigProblem, loadConfig } from '@trivium/gateway/config';
import { configFile } from './config-option.ts';
import type { Terminal } from './terminal.ts';

export const readConfig = (named: string | undefined, env: Terminal['env'], offline = false): ConfigOutcome =>
  loadConfig({ env, file: configFile(named, env), offline });

/** Throws an error that lists every problem of the file. */
export const requireConfig = (file: string | undefined, { env }: Terminal): Config => {
  const outcome = readConfig(file, env);
  if ('problems' in outcome) throw new Error(outcome.problems.map(describeConfigProblem).join('\n'));
  return outcome.config;
};
