/** The current state of providers: circuit breakers, credentials without their values, retry budgets. */

import Type, { type Static } from 'typebox';
import { closed, listOfItems, moment, nullable, Page, UpstreamErrorView } from '../api/contract.ts';
import { Circuit } from '../models/contract.ts';
import { type AttemptHealth, PROVIDER_STATES } from './health.ts';

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
const renewed = {
  identity: nullable(
    Type.String({
      description:
        'Identity of the machine, e.g. `aws:imds`, or reference to a store, e.g. `vault:main/openai#key`. Null: a secret.',
    }),
  ),
  renewal: nullable(
    Type.Object(
      {
        issuedAt: nullable(
          moment(
            'Time the temporary credential in use was issued, or the secret last read from its store. Null: not yet.',
          ),
        ),
        renewsAt: nullable(moment('The next request after this time renews it.')),
        endsAt: nullable(moment('End of the temporary credential in use.')),
        failedAt: nullable(moment('Time of the last renewal, if it failed.')),
        failure: nullable(Type.String({ description: 'Why it failed.' })),
      },
      {
        ...closed,
        description:
          'Renewal of the temporary credential, or lookup of the secret, on the answering node. Null: the credential is used as it is.',
      },
    ),
  ),
};
const providerMembers = {
  ...Host.properties,
  displayName: Type.String(),
  configured: Type.Boolean({ description: 'False: it is known only by its stored credential.' }),
  origins: Type.Array(Type.String(), { description: 'Origins of its endpoints.' }),
  credentials: Type.Array(Type.Object({ ...credential, source: Type.Enum(['file', 'database']), ...renewed }, closed), {
    description: 'In the order they are tried in. Their values are never shown.',
  }),
  models: Type.Integer({ description: 'Number of callable models.' }),
  openCircuits: Type.Integer({ description: 'Number of models with an open circuit breaker.' }),
  state: Type.Enum([...PROVIDER_STATES], {
    description:
      '`open`: the answering node has a circuit breaker open. `failing`: the last attempt failed, or an outage alert is open. `unknown`: no attempt in 24 hours.',
  }),
  attempts: Type.Integer({
    description: "Attempts of all nodes in the last 96 quarters of an hour, without callers' own errors.",
  }),
  failedAttempts: Type.Integer({
    description: 'Failed attempts among them, also of requests that another provider answered.',
  }),
  errorShare: nullable(Type.Number({ description: 'Failed attempts by attempts, from 0 to 1. Null: no attempts.' })),
  p50Ms: nullable(Type.Integer({ description: 'Median until the first content, in ms, from histograms.' })),
  p95Ms: nullable(Type.Integer({ description: 'The same, exceeded by 5 % of the answers.' })),
  lastSuccessAt: nullable(moment('End of the last successful attempt.')),
  lastFailureAt: nullable(moment('End of the last failed attempt.')),
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
export const ProviderQuery = Type.Object(
  {
    ...Page.properties,
    all: Type.Optional(
      Type.Enum(['true'], { description: 'Built-in providers too that are not configured and have no credential.' }),
    ),
  },
  closed,
);

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
              p50Ms: nullable(Type.Integer({ description: 'Median until the first content.' })),
              p95Ms: nullable(Type.Integer()),
            },
            closed,
          ),
        ),
      },
      { ...closed, description: 'Attempts of all nodes by outcome, over 24 hours; quarters without any are left out.' },
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
export type ProviderQuery = Static<typeof ProviderQuery>;
export type ShownProvider = Static<typeof Provider>;
export type ShownCredential = ShownProvider['credentials'][number];
/** What a node knows of a provider without its attempts. */
export type ProviderSummary = Omit<
  ShownProvider,
  'id' | 'credential' | 'storedAt' | 'credentials' | keyof AttemptHealth
>;
export type ProviderDetail = Static<typeof ProviderDetail>;
