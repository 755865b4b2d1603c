/** Prices, terms and usage in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import type { ShownSum } from '../../money/usage/reports.ts';
import { closed, moment, nullable } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';

const day = (description: string) => Type.String({ pattern: FORMS.day, description });
const label = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });

const FROM = 'First day, UTC.';
const UNTIL = 'Day after the last, UTC.';
/** The catalogue's own validation explains what is wrong. */
const pricings = Type.Record(Type.String({ maxLength: 64 }), Type.Array(Type.Unknown(), { maxItems: 32 }), {
  description: 'Rows by kind, as in the catalogue; kinds that are not named stay as they are.',
});

export const NewPrice = Type.Object(
  {
    model: label('The model.'),
    provider: label('The provider.'),
    dialect: Type.Optional(label('Only this wire format. Default: all.')),
    from: Type.Optional(day(FROM)),
    until: Type.Optional(day(UNTIL)),
    pricings,
  },
  closed,
);
export const Price = Type.Object(
  {
    id: Type.String(),
    model: Type.String(),
    provider: Type.String(),
    dialect: nullable(Type.String()),
    from: nullable(Type.String({ description: FROM })),
    until: nullable(Type.String({ description: UNTIL })),
    pricings: Type.Record(Type.String(), Type.Unknown()),
    createdAt: moment('Creation time.'),
    withdrawnAt: nullable(moment('Withdrawal time.')),
  },
  { ...closed, $id: 'Price' },
);
export const PriceVersion = Type.Object(
  {
    version: Type.String(),
    firstSeen: moment('First use of this version.'),
    rows: Type.Record(Type.String(), Type.Unknown()),
  },
  { ...closed, $id: 'PriceVersion' },
);

export const NewTerms = Type.Object(
  {
    changePercent: nullable(
      Type.Number({
        minimum: -100,
        maximum: 9900,
        multipleOf: 0.0001,
        description: '`-20`: a discount, `15`: a markup, up to four decimals. Null: the default for all accounts.',
      }),
    ),
    from: Type.Optional(day('First day, UTC. Default: at once.')),
  },
  closed,
);
export const Terms = Type.Object(
  {
    from: moment('Start of validity.'),
    changePercent: nullable(Type.Number()),
    createdAt: moment('Creation time.'),
  },
  { ...closed, $id: 'Terms' },
);

const word = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));
export const UsageQuery = Type.Object(
  {
    from: word('First day, UTC. Default: 30 days before `until`.'),
    until: word('Day after the last, UTC. Default: tomorrow.'),
    by: word('Comma-separated: `day`, `hour`, `model`, `key`, `provider`. Default: `day`.'),
    model: word('Only this model.'),
    key: word('Only this key.'),
  },
  closed,
);
export const UsageSums = Type.Object(
  {
    from: Type.String(),
    until: Type.String(),
    data: Type.Array(Type.Unsafe<ShownSum>(Type.Record(Type.String(), Type.Unknown()))),
  },
  { ...closed, $id: 'UsageSums' },
);
export const UsageOfRequest = Type.Record(Type.String(), Type.Unknown(), { $id: 'UsageOfRequest' });

export type Price = Static<typeof Price>;
export type Terms = Static<typeof Terms>;
