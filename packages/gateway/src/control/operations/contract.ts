/** Operations as the admin API gives them. */
import Type, { type Static } from 'typebox';
import { OPERATION_STATES } from '../../media/operations/states.ts';
import { closed, moment, nullable, Page } from '../api/contract.ts';

export { listOfItems } from '../api/contract.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const state = Type.Enum([...OPERATION_STATES], { description: 'Where it is in its life.' });

export const Operation = Type.Object(
  {
    id: Type.String(),
    accountId: Type.String(),
    keyId: Type.String(),
    requestId: Type.String({ description: 'The request that ordered it.' }),
    name: Type.String({ description: 'As callers poll it.' }),
    model: Type.String(),
    provider: Type.String({ description: 'The host that makes it.' }),
    state,
    percent: nullable(Type.Number({ description: 'How far it is, where the host tells.' })),
    videos: count('Videos it has delivered.'),
    blocked: count('Videos that were held back.'),
    costUsd: nullable(Type.String({ description: 'What was charged, in US dollars; null until it is done.' })),
    results: Type.Array(
      Type.Object(
        {
          mimeType: Type.String(),
          link: nullable(
            Type.String({
              description:
                "A signed path of the data plane, or the provider's own URL. Null: it is in the polled answer only.",
            }),
          ),
          expiresAt: nullable(moment('Until when the link leads somewhere.')),
        },
        closed,
      ),
    ),
    problem: nullable(Type.String({ description: 'Why there is no result.' })),
    createdAt: moment('When it was ordered.'),
    finishedAt: nullable(moment('When it came to its end.')),
    expiresAt: moment('Until when it is kept.'),
  },
  { ...closed, $id: 'Operation' },
);
export const OperationPage = Type.Object({ ...Page.properties, state: Type.Optional(state) }, closed);

const only = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));
export const OperationSearch = Type.Object(
  {
    ...OperationPage.properties,
    account: only('Only of this account.'),
    model: only('Only of this model.'),
    provider: only('Only at this provider.'),
  },
  closed,
);

export type Operation = Static<typeof Operation>;
