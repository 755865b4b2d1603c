/** For tests: loads a configuration text; returns the result, or the problems and their places. */
import type { Config } from './config.ts';
import { type LoadedConfig, loadConfig } from './load.ts';
import type { ConfigProblem } from './reading/problem.ts';

type Env = Readonly<Record<string, string | undefined>>;

export const load = (text: string, env: Env = {}): LoadedConfig => {
  const outcome = loadConfig({ text, env });
  if ('problems' in outcome) throw new Error(JSON.stringify(outcome.problems));
  return outcome;
};

export const configOf = (text: string, env: Env = {}): Config => load(text, env).config;

export const problemsOf = (text: string, env: Env = {}): readonly ConfigProblem[] => {
  const outcome = loadConfig({ text, env });
  return 'problems' in outcome ? outcome.problems : [];
};

/** Line, column and path of each. */
export const placesOf = (problems: readonly ConfigProblem[]): readonly string[] =>
  problems.map(({ place, path }) => `${place.replace('configuration:', '')} ${path}`);
