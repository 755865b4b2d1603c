/** Operations as the admin API gives them. */

import Type, { type Static } from 'typebox';
import { OPERATION_STATES } from '../../media/operations/states.ts';
import { closed, column, moment, nullable, Page, word } from '../api/contract.ts';

export { listOfItems } from '../api/contract.ts';

const state = Type.Enum([...OPERATION_STATES], { description: 'State of the operation.' });

export const Operation = Type.Object(
  {
    id: Type.String(),
    accountId: Type.String(),
    keyId: Type.String(),
    requestId: Type.String({ description: 'The request that ordered it.' }),
    name: Type.String({ description: 'Name for polling.' }),
    model: Type.String(),
    provider: Type.String({ description: 'Provider.' }),
    state,
    percent: nullable(Type.Number({ description: 'Progress, if the provider reports it.' })),
    videos: Type.Integer({ minimum: 0, description: 'Videos it has delivered.', ...column('Videos', '64px') }),
    blocked: Type.Integer({ minimum: 0, description: 'Videos blocked by a filter.' }),
    costUsd: nullable(
      Type.String({ description: 'Amount charged in US dollars. Null: not finished.', ...column('Cost', '88px') }),
    ),
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
          expiresAt: nullable(moment('Expiry of the link.')),
        },
        closed,
      ),
    ),
    problem: nullable(Type.String({ description: 'Why there is no result.' })),
    createdAt: moment('Creation time.'),
    finishedAt: nullable(moment('End time.')),
    expiresAt: moment('Expiry of the operation.'),
  },
  { ...closed, $id: 'Operation' },
);
export const OperationPage = Type.Object({ ...Page.properties, state: Type.Optional(state) }, closed);

export const OperationSearch = Type.Object(
  {
    ...OperationPage.properties,
    account: word('Only this account.'),
    model: word('Only this model.'),
    provider: word('Only this provider.'),
  },
  closed,
);

export type Operation = Static<typeof Operation>;
