/** Models of the catalogue as this gateway can call them: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, listOfItems, moment, nullable, Page, word } from '../api/contract.ts';

const tokens = (description: string) => nullable(Type.Integer({ description: `${description}, in tokens.` }));

const circuitMembers = {
  state: Type.Enum(['closed', 'open', 'half-open'], {
    description: 'State of the circuit breaker. `open`: no calls. `half-open`: one trial call.',
  }),
  why: nullable(
    Type.Enum(['failures', 'stalls', 'credential', 'rate', 'hint'], {
      description: 'Why it is not closed. `hint`: reported by another node.',
    }),
  ),
  since: nullable(moment('Time it left the closed state.')),
  until: nullable(moment('Time of the next trial call.')),
};
export const Circuit = Type.Object(circuitMembers, {
  ...closed,
  $id: 'Circuit',
  description: 'State on the answering node; each node has its own circuit breakers.',
});

export const ModelPrice = Type.Object(
  {
    kind: Type.String({ description: 'Charged dimension, e.g. `prompt` or `completion`.' }),
    unit: Type.String({ description: 'Unit of the price, e.g. `perMTokens`.' }),
    usd: Type.String({ description: 'US dollars per unit, with the markup or discount of the account.' }),
    conditions: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Token ranges it applies to.' }),
    ),
  },
  { ...closed, $id: 'ModelPrice' },
);

const whyNot = (description: string, more: readonly string[]) =>
  nullable(
    Type.Enum([...more, 'unknown-provider', 'unknown-format', 'not-configured', 'no-credential', 'missing-settings'], {
      description,
    }),
  );

const endpointMembers = {
  provider: Type.String(),
  format: Type.String({ description: 'The wire format it is called in.' }),
  upstreamModel: Type.Optional(Type.String({ description: "The provider's name of the model. Operators only." })),
  contextLength: tokens('Prompt and answer at most'),
  maxOutputTokens: tokens('The answer at most'),
  inputModalities: Type.Array(Type.String()),
  callable: Type.Boolean(),
  whyNot: whyNot('Null: it can be called.', []),
  priced: Type.Boolean({
    description: 'False: it has no price, and is refused where money is limited by credit or a budget.',
  }),
  prices: Type.Array(ModelPrice),
  circuit: nullable(Circuit),
};

const modelMembers = {
  id: Type.String({ description: '`<owner>/<name>`.' }),
  owner: Type.String(),
  displayName: Type.String(),
  aliases: Type.Array(Type.String(), { description: 'Further names callers may use, those of the configuration too.' }),
  inputModalities: Type.Array(Type.String()),
  outputModalities: Type.Array(Type.String()),
  reasoning: Type.Boolean(),
  contextLength: tokens('Prompt and answer at most'),
  maxOutputTokens: tokens('The answer at most'),
  createdDay: nullable(Type.String()),
  retiring: nullable(Type.String({ description: 'Day of retirement by its maker.' })),
  callable: Type.Boolean({ description: 'At least one endpoint can be called.' }),
  whyNot: whyNot('Null: it can be called. `hidden`: by `changes` of the configuration.', [
    'hidden',
    'retired',
    'no-endpoint',
  ]),
};

const ModelEndpoint = Type.Object(endpointMembers, { ...closed, $id: 'ModelEndpoint' });
const Model = Type.Object({ ...modelMembers, endpoints: Type.Array(ModelEndpoint) }, { ...closed, $id: 'Model' });
const ModelEndpointDetail = Type.Object(
  {
    ...endpointMembers,
    otherPrices: Type.Array(
      Type.Object(
        {
          basis: Type.String({ description: 'The case they apply to.' }),
          when: nullable(Type.Record(Type.String(), Type.Unknown())),
          meters: nullable(Type.Array(Type.String())),
          prices: Type.Array(ModelPrice),
        },
        closed,
      ),
      { description: 'Prices for other cases.' },
    ),
  },
  { ...closed, $id: 'ModelEndpointDetail' },
);
export const ModelDetail = Type.Object(
  {
    ...modelMembers,
    description: Type.String(),
    endpoints: Type.Array(ModelEndpointDetail),
  },
  { ...closed, $id: 'ModelDetail' },
);

const account = word('At the prices of this account. Operators only; others see the prices of their own.');
export const ModelQuery = Type.Object({ account }, closed);
export const ModelSearch = Type.Object(
  {
    ...Page.properties,
    q: word('Part of the id, the name or an alias.'),
    owner: word('Only models of this owner.'),
    provider: word('Only models with an endpoint at this provider.'),
    callable: Type.Optional(Type.Enum(['true', 'false'], { description: 'Only those that can be called, or cannot.' })),
    account,
  },
  closed,
);
export const Models = listOfItems(Model);

export type Circuit = Static<typeof Circuit>;
export type ModelPrice = Static<typeof ModelPrice>;
export type ShownModel = Static<typeof Model>;
export type ShownEndpoint = Static<typeof ModelEndpoint>;
export type ModelDetail = Static<typeof ModelDetail>;
