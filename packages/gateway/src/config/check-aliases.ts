// Checks aliases and the models of `trivium/auto` against the catalogue: after both are loaded, since each may change
// without the other.

import type { Config } from './config.ts';
import { pathText } from './problem.ts';

export interface AliasProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * `idOf`: the id of the model the catalogue serves under a name; an operator's alias takes precedence over those of the
 * catalogue.
 */
export const checkAliases = (config: Config, idOf: (name: string) => string | undefined): readonly AliasProblem[] =>
  Object.entries(config.aliases).flatMap(([alias, target]) => {
    const path = pathText(['aliases', alias]);
    if (idOf(alias) === alias) return [{ path, message: `"${alias}" is already the id of a model` }];
    return idOf(target) !== undefined ? [] : [{ path, message: `"${target}" is not a model of the catalogue` }];
  });

/** Each of them an id or an alias. */
export const checkAuto = (config: Config, isModel: (id: string) => boolean): readonly AliasProblem[] =>
  config.auto.models.flatMap((name, position) =>
    isModel(config.aliases[name] ?? name)
      ? []
      : [{ path: pathText(['auto', 'models', position]), message: `"${name}" is not a model of the catalogue` }],
  );
