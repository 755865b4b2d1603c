/** Routing policies in the admin API. What a policy can say is described once, beside its meaning. */
import Type, { type Static } from 'typebox';
import { Policy } from '../../models/policies/contract.ts';
import { closed, moment, nullable } from '../api/contract.ts';

export { Policy } from '../../models/policies/contract.ts';

export const PolicyVersion = Type.Object(
  {
    name: Type.String({ description: 'Name of the policy.' }),
    version: Type.Integer({ description: 'Counts from 1; 0 for a policy of the configuration file.' }),
    source: Type.Enum(['file', 'database'], { description: 'Where it is declared.' }),
    policy: nullable(Policy),
    createdAt: nullable(moment('When this version was saved. Null: in the configuration file.')),
    createdBy: nullable(
      Type.String({ description: 'The operator that saved this version. Null: in the configuration file.' }),
    ),
  },
  { ...closed, $id: 'PolicyVersion' },
);

export type PolicyVersion = Static<typeof PolicyVersion>;
