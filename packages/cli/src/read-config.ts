// The configuration a command works with, read and checked.

import { type Config, type ConfigOutcome, describeConfigProblem, loadConfig } from '@trivium/gateway/config';
import type { LoadedWithSecrets } from '@trivium/gateway/start';
import { configFile } from './config-option.ts';
import type { Terminal } from './terminal.ts';

export const readConfig = (named: string | undefined, env: Terminal['env'], offline = false): ConfigOutcome =>
  loadConfig({ env, file: configFile(named, env), offline });

/** With the secrets of stores, which are to be closed after use. */
export async function readConfigWithSecrets(
  named: string | undefined,
  env: Terminal['env'],
): Promise<LoadedWithSecrets> {
  const options = { env, file: configFile(named, env) };
  const outcome = loadConfig({ ...options, stored: () => undefined });
  // Most configurations have no store, and then nothing that can ask one is loaded.
  if ('problems' in outcome || Object.keys(outcome.config.secretStores).length === 0)
    return { outcome, secrets: undefined };
  const { loadWithSecrets } = await import('@trivium/gateway/start');
  return loadWithSecrets(options);
}

/** Throws an error that lists every problem of the file. */
export async function requireConfig(file: string | undefined, { env }: Terminal): Promise<Config> {
  const { outcome, secrets } = await readConfigWithSecrets(file, env);
  await secrets?.close();
  if ('problems' in outcome) throw new Error(outcome.problems.map(describeConfigProblem).join('\n'));
  return outcome.config;
}
