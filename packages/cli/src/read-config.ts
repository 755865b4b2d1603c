// The configuration a command works with: the file it was given, or the one TRIVIUM_CONFIG names.

import { type Config, describeConfigProblem, loadConfig } from '@trivium/gateway/config';
import type { Terminal } from './terminal.ts';

export const readConfig = (file: string | undefined, env: Terminal['env']): ReturnType<typeof loadConfig> =>
  loadConfig({ env, ...(file !== undefined && { file }) });

/** Throws all that is wrong with it, in words. */
export const requireConfig = (file: string | undefined, { env }: Terminal): Config => {
  const outcome = readConfig(file, env);
  if ('problems' in outcome) throw new Error(outcome.problems.map(describeConfigProblem).join('\n'));
  return outcome.config;
};
