// Aliases and the models of `trivium/auto` against the catalogue: run after both are loaded, since each may change without the other.

import type { Config } from './config.ts';
import { pathText } from './problem.ts';

export interface AliasProblem {
  readonly path: string;
  readonly message: string;
}

/** `isModel` says whether the catalogue serves that id. */
export const checkAliases = (config: Config, isModel: (id: string) => boolean): readonly AliasProblem[] =>
  Object.entries(config.aliases).flatMap(([alias, target]) => {
    const path = pathText(['aliases', alias]);
    if (isModel(alias)) return [{ path, message: `"${alias}" is already the id of a model` }];
    return isModel(target) ? [] : [{ path, message: `"${target}" is not a model of the catalogue` }];
  });

/** Each of them an id or an alias. */
export const checkAuto = (config: Config, isModel: (id: string) => boolean): readonly AliasProblem[] =>
  config.auto.models.flatMap((name, position) =>
    isModel(config.aliases[name] ?? name)
      ? []
      : [{ path: pathText(['auto', 'models', position]), message: `"${name}" is not a model of the catalogue` }],
  );
