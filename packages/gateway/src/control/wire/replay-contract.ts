/** Replay of a captured request. */
import Type, { type Static } from 'typebox';
import { closed, nullable } from '../api/contract.ts';

const name = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });

export const NewReplay = Type.Object(
  {
    keyId: name('The key the call is made as, and charged to: one of the same account.'),
    model: Type.Optional(name('Another model than the request asked for.')),
    provider: Type.Optional(name('Only this provider.')),
    strict: Type.Optional(
      Type.Boolean({ description: 'Reject the request if a parameter would be dropped or changed.' }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only plan it: nothing is sent, held or charged.' })),
  },
  { ...closed, $id: 'NewReplay' },
);

export const PlanStepView = Type.Object(
  {
    provider: Type.String(),
    model: Type.String(),
    lane: nullable(Type.String()),
    laneWhy: nullable(Type.String()),
    losses: Type.Array(Type.Object({ field: Type.String(), why: Type.String() }, closed)),
    refusal: nullable(Type.String({ description: 'Why this provider would not be called.' })),
  },
  closed,
);

export const Replay = Type.Object(
  {
    replayOf: Type.String({ description: 'The request that was captured.' }),
    sealsRemoved: Type.Integer({ description: 'Parts with sealed state of a provider, which are never sent again.' }),
    secretsRemoved: Type.Integer({ description: 'Secrets that were taken out when it was captured.' }),
    plan: nullable(Type.Array(PlanStepView, { description: 'Planned providers in order; dry runs only.' })),
    requestId: nullable(Type.String({ description: 'Id of the new request. Null: a dry run.' })),
    answer: nullable(
      Type.Object(
        {
          status: Type.Integer(),
          body: Type.String({ description: 'The answer as the caller would get it.' }),
          truncated: Type.Boolean(),
        },
        closed,
      ),
    ),
  },
  { ...closed, $id: 'Replay' },
);

export type Replay = Static<typeof Replay>;
