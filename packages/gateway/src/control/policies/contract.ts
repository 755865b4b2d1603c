/** Routing policies in the admin API. What a policy can say is described once, beside its meaning. */
import Type, { type Static } from 'typebox';
import { CANARY_RULES, Policy } from '../../models/policies/contract.ts';
import { closed, moment, nullable } from '../api/contract.ts';
import { PlanStepView } from '../wire/replay-contract.ts';

export { Policy } from '../../models/policies/contract.ts';

const CanaryState = Type.Object(
  {
    state: Type.Enum(['running', 'stepped-back']),
    since: nullable(moment('When it stepped back. Null: it runs.')),
    why: nullable(
      Type.Object(
        {
          rule: Type.Enum([...CANARY_RULES], { description: 'The rule it broke.' }),
          limit: Type.Number({ description: 'What the rule allows.' }),
          measured: Type.Number({ description: 'What was measured, in the unit of the rule.' }),
          calls: Type.Integer({ description: 'Calls that were measured, by the process that found it.' }),
        },
        { ...closed, description: 'Null: it runs.' },
      ),
    ),
  },
  { ...closed, description: 'Null: this version is not in force, or has no canary.' },
);

export const PolicyVersion = Type.Object(
  {
    name: Type.String({ description: 'Name of the policy.' }),
    version: Type.Integer({ description: 'Counts from 1; 0 for a policy of the configuration file.' }),
    source: Type.Enum(['file', 'database'], { description: 'Where it is declared.' }),
    policy: nullable(Policy),
    canary: nullable(CanaryState),
    createdAt: nullable(moment('When this version was saved. Null: in the configuration file.')),
    createdBy: nullable(
      Type.String({ description: 'The operator that saved this version. Null: in the configuration file.' }),
    ),
  },
  { ...closed, $id: 'PolicyVersion' },
);

export type PolicyVersion = Static<typeof PolicyVersion>;

export const NewPolicyPreview = Type.Object(
  {
    policy: Policy,
    requestId: Type.String({ minLength: 1, maxLength: 200, description: 'A recorded request of any account.' }),
  },
  { ...closed, $id: 'NewPolicyPreview' },
);

const plan = Type.Object(
  {
    refusal: nullable(
      Type.String({ description: 'The error message of a call that would be refused. Null: it would not.' }),
    ),
    plan: Type.Array(PlanStepView, { description: 'Providers in the order in which they would be called.' }),
    decidedBy: nullable(Type.String({ description: 'What orders the providers. Null: there is nothing to decide.' })),
    policies: Type.Array(Type.Object({ member: Type.String(), policy: Type.String() }, closed), {
      description: 'What policies set, and which of them.',
    }),
    leftOut: Type.Array(
      Type.Object(
        {
          provider: Type.String(),
          model: Type.String(),
          why: Type.String(),
          policy: Type.Optional(Type.String({ description: 'The policy that left it out.' })),
        },
        closed,
      ),
    ),
  },
  closed,
);

export const PolicyPreview = Type.Object(
  {
    requestId: Type.String(),
    account: Type.String(),
    key: Type.String({ description: 'Id of the key that sent it; the plans are made as this key.' }),
    model: Type.String({ description: 'The model as the caller wrote it.' }),
    basis: Type.Enum(['captured', 'record'], {
      description:
        '`captured`: its captured body is planned. `record`: a short body with its model, tags, protocol and strictness, because none is captured.',
    }),
    before: plan,
    after: plan,
  },
  { ...closed, $id: 'PolicyPreview', description: 'How a request would be planned now, and with the draft.' },
);

export type NewPolicyPreviewBody = Static<typeof NewPolicyPreview>;
export type PolicyPreview = Static<typeof PolicyPreview>;
