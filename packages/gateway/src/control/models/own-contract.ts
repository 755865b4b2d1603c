/** Own models and further names of models that operators set while the gateway runs. */
import Type, { type Static } from 'typebox';
import { closed, moment } from '../api/contract.ts';

const id = Type.String({
  pattern: '^[^\\x00-\\x20/]{1,100}/[^\\x00-\\x20]{1,100}$',
  description: 'What callers write: `<owner>/<name>`.',
});

/** The configuration's own schema checks the rest, so that a model is written the same way in both places. */
export const OwnModelDefinition = Type.Object(
  {
    id,
    endpoints: Type.Array(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown()), {
      minItems: 1,
      maxItems: 64,
      description: 'The hosts that serve it, in order of preference.',
    }),
  },
  {
    additionalProperties: true,
    $id: 'OwnModelDefinition',
    description: 'A model in the form of `models` of the configuration file.',
  },
);
export const OwnModel = Type.Object(
  { id: Type.String(), definition: OwnModelDefinition, updatedBy: Type.String(), updatedAt: moment('Last change.') },
  { ...closed, $id: 'OwnModel' },
);

export const aliasPattern = '^[^\\x00-\\x20]{1,200}$';
const alias = Type.String({ pattern: aliasPattern, description: 'A further name callers may use.' });
const model = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "The id of a model, or its maker's name for it.",
});
export const NewModelAlias = Type.Object({ name: alias, model }, closed);
export const ModelAlias = Type.Object(
  { name: alias, model, updatedBy: Type.String(), updatedAt: moment('Last change.') },
  { ...closed, $id: 'ModelAlias' },
);
export const ModelAliasName = Type.Object({ name: alias }, { ...closed, $id: 'ModelAliasName' });

export type OwnModelDefinition = Static<typeof OwnModelDefinition>;
export type OwnModel = Static<typeof OwnModel>;
export type ModelAlias = Static<typeof ModelAlias>;
