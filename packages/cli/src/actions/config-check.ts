// What `trivium config check` does: finds everything `serve` would refuse, each with the place to look at.

import {
  type ConfigOutcome,
  checkAliases,
  checkAuto,
  describeConfigProblem,
  filePathOfOverride,
  type LoadedConfig,
  loadCatalogue,
  ownProviders,
  providerSet,
} from '@trivium/gateway/config';
import { readConfig, readConfigWithSecrets } from '../read-config.ts';
import type { Terminal } from '../terminal.ts';

const OVERRIDES_NAME = 'configuration';

/** Checks that need the catalogue; problems are reported with their line in the file. */
const checkAgainstCatalogue = async (loaded: LoadedConfig): Promise<readonly string[]> => {
  const { config } = loaded;
  const { snapshot, problems } = await loadCatalogue({
    knownProviders: providerSet(ownProviders(config)).ids,
    overrides: config.catalogue,
    overridesName: OVERRIDES_NAME,
  });
  const own = problems.map(({ file, path, message }) => {
    if (file !== OVERRIDES_NAME) return `${file}: ${path}: ${message}`;
    const filePath = filePathOfOverride(path);
    return describeConfigProblem({ place: loaded.placeOf(filePath), path: filePath, message });
  });
  const idOf = (name: string): string | undefined => snapshot.find(name)?.id;
  const isModel = (name: string): boolean => idOf(name) !== undefined;
  const names = [...checkAliases(config, idOf), ...checkAuto(config, isModel)].map(({ path, message }) =>
    describeConfigProblem({ place: loaded.placeOf(path), path, message }),
  );
  return [...own, ...names];
};

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

const summary = ({ config }: LoadedConfig, { paint }: Terminal): string =>
  `${paint('green', 'Configuration OK:')} ${counted(config.keys.length, 'key')}, ${counted(Object.keys(config.providers).length, 'provider')}, ` +
  `${counted(config.catalogue.models?.length ?? 0, 'custom model')}, ` +
  `${counted(Object.keys(config.aliases).length, 'alias', 'aliases')}; ` +
  `listens on ${config.listen.host}:${config.listen.port}, admin on ${config.admin.host}:${config.admin.port}`;

export interface CheckOptions {
  readonly config?: string;
  readonly offline?: true;
}

async function read(file: string | undefined, env: Terminal['env'], offline?: true): Promise<ConfigOutcome> {
  if (offline) return readConfig(file, env, offline);
  const { outcome, secrets } = await readConfigWithSecrets(file, env);
  await secrets?.close();
  return outcome;
}

export const checkConfig = async ({ config: file, offline }: CheckOptions, terminal: Terminal): Promise<boolean> => {
  const outcome = await read(file, terminal.env, offline);
  if ('problems' in outcome) {
    for (const problem of outcome.problems) terminal.error(describeConfigProblem(problem));
    return false;
  }
  for (const notice of outcome.notices) terminal.error(`note: ${describeConfigProblem(notice)}`);
  const problems = await checkAgainstCatalogue(outcome);
  for (const problem of problems) terminal.error(problem);
  if (problems.length > 0) return false;
  terminal.print(summary(outcome, terminal));
  if (offline) terminal.print('Secrets that are given by reference were not read (--offline).');
  return true;
};
