/** Prices, terms and usage in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { FORMS } from '../api/forms.ts';

const closed = { additionalProperties: false } as const;
const moment = (description: string) => Type.String({ format: 'date-time', description });
const day = (description: string) => Type.String({ pattern: FORMS.day, description });
const label = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });
const orNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Number>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const FROM = 'The first day it holds, UTC.';
const UNTIL = 'The first day it holds no more, UTC.';
/** The catalogue's own validation explains what is wrong. */
const pricings = Type.Record(Type.String({ maxLength: 64 }), Type.Array(Type.Unknown(), { maxItems: 32 }), {
  description: 'Rows by kind, as in the catalogue; kinds that are not named stay as they are.',
});

export const NewPrice = Type.Object(
  {
    model: label('The model.'),
    provider: label('The host.'),
    dialect: Type.Optional(label('One of its formats; absent: all.')),
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
    dialect: orNull(Type.String()),
    from: orNull(Type.String({ description: FROM })),
    until: orNull(Type.String({ description: UNTIL })),
    pricings: Type.Record(Type.String(), Type.Unknown()),
    createdAt: moment('When it was set.'),
    withdrawnAt: orNull(moment('When it was taken back.')),
  },
  { ...closed, $id: 'Price' },
);
export const PriceVersion = Type.Object(
  {
    version: Type.String(),
    firstSeen: moment('When it was first in force.'),
    rows: Type.Record(Type.String(), Type.Unknown()),
  },
  { ...closed, $id: 'PriceVersion' },
);

export const NewTerms = Type.Object(
  {
    changePercent: orNull(
      Type.Number({
        minimum: -100,
        maximum: 9900,
        multipleOf: 0.0001,
        description: '`-20`: a discount, `15`: a markup, up to four decimals. Null: the default for all accounts.',
      }),
    ),
    from: Type.Optional(day('The first day, UTC; absent: at once.')),
  },
  closed,
);
export const Terms = Type.Object(
  {
    from: moment('Since when, or from when on.'),
    changePercent: orNull(Type.Number()),
    createdAt: moment('When they were set.'),
  },
  { ...closed, $id: 'Terms' },
);

const word = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));
export const UsageQuery = Type.Object(
  {
    from: word('The first day, UTC; 30 days before `until` when absent.'),
    until: word('The first day no more; tomorrow when absent.'),
    by: word('A list of `day`, `hour`, `model`, `key`, `provider`; `day` when absent.'),
    model: word('Only this model.'),
    key: word('Only this key.'),
  },
  closed,
);
export const UsageSums = Type.Object(
  { from: Type.String(), until: Type.String(), data: Type.Array(Type.Record(Type.String(), Type.Unknown())) },
  { ...closed, $id: 'UsageSums' },
);
export const UsageOfRequest = Type.Record(Type.String(), Type.Unknown(), { $id: 'UsageOfRequest' });

export type Price = Static<typeof Price>;
export type Terms = Static<typeof Terms>;
