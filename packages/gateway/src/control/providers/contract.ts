/** The current state of providers: circuit breakers, credentials without their values, retry budgets. */

import Type, { type Static } from 'typebox';
import { closed, listOfItems, moment, nullable, UpstreamErrorView } from '../api/contract.ts';
import { Circuit } from '../models/contract.ts';

export const Host = Type.Object(
  {
    id: Type.String(),
    credential: Type.Enum(['file', 'database', 'none'], {
      description: 'Source of the credential in use; the file takes precedence.',
    }),
    storedAt: nullable(moment('Time the credential was stored.')),
  },
  { ...closed, $id: 'Host' },
);
export const NewCredential = Type.Object(
  { credential: Type.String({ minLength: 1, maxLength: 16_384, description: 'The credential of the provider.' }) },
  closed,
);
export const CredentialTrial = Type.Object(
  {
    credential: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16_384,
        description: 'Tested in place of the credential in use; not stored.',
      }),
    ),
  },
  closed,
);
export const CredentialVerdict = Type.Object(
  {
    id: Type.String(),
    verdict: Type.Enum(['works', 'refused', 'unclear', 'unreachable', 'none'], {
      description:
        'Result of listing models with it. `unclear`: neither accepted nor rejected. `none`: no credential, or no way to check.',
    }),
    status: nullable(Type.Integer({ description: "The host's status, if it answered." })),
    error: nullable(UpstreamErrorView),
  },
  { ...closed, $id: 'CredentialVerdict' },
);
export const Rewrapped = Type.Object({ moved: Type.Integer() }, { ...closed, $id: 'Rewrapped' });

const credential = {
  position: Type.Integer({
    description: 'Position in the configuration, from 1; credentials are tried in this order.',
  }),
};
const providerMembers = {
  ...Host.properties,
  displayName: Type.String(),
  configured: Type.Boolean({ description: 'False: it is known only by its stored credential.' }),
  origins: Type.Array(Type.String(), { description: 'Origins of its endpoints.' }),
  credentials: Type.Array(Type.Object({ ...credential, source: Type.Enum(['file', 'database']) }, closed), {
    description: 'In the order they are tried in. Their values are never shown.',
  }),
  models: Type.Integer({ description: 'Number of callable models.' }),
  openCircuits: Type.Integer({ description: 'Number of models with an open circuit breaker.' }),
  retryBudget: Type.Object(
    {
      left: Type.Number({ description: 'Retries that may be made now.' }),
      max: Type.Number({ description: 'Most that can be saved up.' }),
      percent: Type.Number({ description: 'Retries added per 100 requests.' }),
    },
    { ...closed, description: 'Retry budget of the answering node.' },
  ),
};
const Provider = Type.Object(providerMembers, { ...closed, $id: 'Provider' });
export const Providers = listOfItems(Provider);

const ms = (description: string) =>
  nullable(
    Type.Number({ description: `${description} of late, in ms. Null: not measured, as where there is no other.` }),
  );
export const ProviderTarget = Type.Object(
  {
    model: Type.String(),
    ...Circuit.properties,
    failuresInRow: Type.Integer(),
    stallsInRow: Type.Integer({ description: 'Failures by silence among them.' }),
    firstTokenMs: ms('To the first token of streams'),
    wholeAnswerMs: ms('To answers in one piece'),
    waiting: Type.Integer({ description: 'Requests that wait for a first token there, where there was a choice.' }),
    credentials: Type.Array(Type.Object({ ...credential, ...Circuit.properties }, closed)),
  },
  { ...closed, $id: 'ProviderTarget' },
);
export const ProviderDetail = Type.Object(
  {
    ...providerMembers,
    targets: Type.Array(ProviderTarget, {
      description: 'By model. As the process that answers sees them: each has circuit breakers of its own.',
    }),
    history: Type.Object(
      {
        from: moment('The start of the first bar that can be.'),
        until: moment('The end of the span.'),
        bucketSeconds: Type.Integer(),
        bars: Type.Array(
          Type.Object(
            {
              at: moment('Start of the bar.'),
              ok: Type.Integer(),
              caller: Type.Integer(),
              upstream: Type.Integer(),
              gateway: Type.Integer(),
            },
            closed,
          ),
        ),
      },
      { ...closed, description: 'Requests of all nodes that it answered, or failed last, by outcome.' },
    ),
  },
  { ...closed, $id: 'ProviderDetail' },
);

export const Release = Type.Object(
  {
    model: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Only the circuit of this model. Absent: all.' }),
    ),
  },
  closed,
);
export const Released = Type.Object(
  { released: Type.Integer({ description: 'Circuits that were open in the process that answers.' }) },
  { ...closed, $id: 'Released' },
);

export type ProviderTarget = Static<typeof ProviderTarget>;
export type ShownProvider = Static<typeof Provider>;
export type ProviderDetail = Static<typeof ProviderDetail>;
