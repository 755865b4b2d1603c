// `aliases` and `auto`: further names of models. Both are checked against the catalogue after both are loaded, since each
// may change without the other.

import Type, { type Static } from 'typebox';
import { pathText } from '../reading/problem.ts';
import { list, map, section } from './parts.ts';

export const aliasesSchema = map(
  '^[^\\u0000-\\u0020]{1,200}$',
  Type.String({ minLength: 1, maxLength: 200 }),
  "Short names callers may use: the alias on the left, the id of a model or its maker's name for it on the right. They come before the makers' own names, which need no alias.",
);

export const autoSchema = section(
  {
    models: list(
      Type.String({ minLength: 1, maxLength: 200 }),
      64,
      [],
      'Ids or aliases of the models it chooses among. Empty: there is no `trivium/auto`.',
    ),
  },
  'The model `trivium/auto`, which leaves the choice of a model to the gateway.',
);

type NamedModels = {
  readonly aliases: Readonly<Static<typeof aliasesSchema>>;
  readonly auto: { readonly models: readonly string[] };
};

interface AliasProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * `idOf`: the id of the model the catalogue serves under a name; an operator's alias takes precedence over those of the
 * catalogue.
 */
export const checkAliases = (
  config: NamedModels,
  idOf: (name: string) => string | undefined,
): readonly AliasProblem[] =>
  Object.entries(config.aliases).flatMap(([alias, target]) => {
    const path = pathText(['aliases', alias]);
    if (idOf(alias) === alias) return [{ path, message: `"${alias}" is already the id of a model` }];
    return idOf(target) !== undefined ? [] : [{ path, message: `"${target}" is not a model of the catalogue` }];
  });

/** Each of them an id or an alias. */
export const checkAuto = (config: NamedModels, isModel: (id: string) => boolean): readonly AliasProblem[] =>
  config.auto.models.flatMap((name, position) =>
    isModel(config.aliases[name] ?? name)
      ? []
      : [{ path: pathText(['auto', 'models', position]), message: `"${name}" is not a model of the catalogue` }],
  );
