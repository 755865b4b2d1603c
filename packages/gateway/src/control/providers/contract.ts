/** The current state of providers: circuit breakers, credentials without their values, retry budgets. */
import Type, { type Static } from 'typebox';
import { closed, Host, listOfItems, moment, nullable } from '../api/contract.ts';
import { Circuit } from '../models/contract.ts';

const credential = {
  position: Type.Integer({ description: 'Its place in the configuration, from 1: the order they are tried in.' }),
};
const providerMembers = {
  ...Host.properties,
  displayName: Type.String(),
  configured: Type.Boolean({ description: 'False: it is known only by its stored credential.' }),
  origins: Type.Array(Type.String(), { description: 'Where it is called.' }),
  credentials: Type.Array(Type.Object({ ...credential, source: Type.Enum(['file', 'database']) }, closed), {
    description: 'In the order they are tried in. Their values are never shown.',
  }),
  models: Type.Integer({ description: 'How many models can be called there.' }),
  openCircuits: Type.Integer({ description: 'How many of them get no calls now.' }),
  retryBudget: Type.Object(
    {
      left: Type.Number({ description: 'Retries that may be made now.' }),
      max: Type.Number({ description: 'Most that can be saved up.' }),
      percent: Type.Number({ description: 'What every hundred requests add.' }),
    },
    { ...closed, description: 'Of the process that answers.' },
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
    stallsInRow: Type.Integer({ description: 'Of them, those by silence.' }),
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
              at: moment('Its start.'),
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
