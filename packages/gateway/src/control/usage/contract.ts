/** The overview in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, moment, nullable } from '../api/contract.ts';
import { UsageFigures } from './sums-contract.ts';

const word = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));

export const OverviewQuery = Type.Object(
  {
    from: word('The start: a day in `tz`, or a time (default: 24 h before `until`).'),
    until: word('The end, exclusive (default: now).'),
    tz: word('The time zone of days (default: UTC).'),
    account: word('Only this account.'),
  },
  closed,
);

export type OverviewQuery = Static<typeof OverviewQuery>;

const at = moment('The start of the hour or day.');
const NeedsALook = Type.Object(
  {
    kind: Type.Enum(['alert', 'provider-failing', 'circuit-open', 'unpriced', 'key-expiring'], {
      description:
        '`alert`: an open alert, but of what the last two say. `provider-failing`: its last attempt failed; operators only. `circuit-open`: a target is out of service on the node that answers; operators only. `unpriced`: requests that used something without a price. `key-expiring`: within 7 days.',
    }),
    subject: Type.String({ description: 'The id of the alert or the key, the provider, the target or the model.' }),
    accountId: nullable(Type.String({ description: 'Account of the alert or the key.' })),
    name: nullable(Type.String({ description: 'Title of the alert, or name of the key.' })),
    requests: nullable(Type.Integer({ description: 'Requests without a price.' })),
    at: nullable(moment('Time of the alert or of the last failure, or expiry of the key.')),
    alert: nullable(
      Type.Object(
        { kind: Type.String(), detail: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])) },
        { ...closed, description: 'What the title of the alert says, as data.' },
      ),
    ),
  },
  { ...closed, $id: 'NeedsALook' },
);
export type NeedsALook = Static<typeof NeedsALook>;

export const Overview = Type.Object(
  {
    from: moment('Start of the period.'),
    until: moment('End of the period, exclusive.'),
    bucket: Type.Enum(['hour', 'day']),
    now: UsageFigures,
    before: Type.Object(UsageFigures.properties, { ...closed, description: 'The previous period of the same length.' }),
    spendByModel: Type.Array(
      Type.Object(
        {
          at,
          model: Type.String({ description: 'One of the five most expensive models; empty: all others.' }),
          costUsd: Type.String(),
          requests: Type.Integer(),
        },
        closed,
      ),
    ),
    errors: Type.Array(
      Type.Object(
        {
          at,
          requests: Type.Integer(),
          caller: Type.Integer(),
          upstream: Type.Integer(),
          gateway: Type.Integer(),
        },
        closed,
      ),
    ),
    firstTokenByProvider: Type.Array(
      Type.Object({ at, provider: Type.String(), p50: Type.Integer(), p95: Type.Integer() }, closed),
    ),
    needsALook: Type.Array(NeedsALook),
    topKeys: Type.Array(
      Type.Object(
        {
          accountId: Type.String(),
          keyId: Type.String(),
          name: nullable(Type.String({ description: 'Name of a database key.' })),
          costUsd: Type.String(),
          requests: Type.Integer(),
        },
        closed,
      ),
    ),
    budgets: Type.Array(
      Type.Object(
        {
          accountId: Type.String(),
          scope: Type.String(),
          name: nullable(Type.String({ description: 'Name of the key or member of its scope.' })),
          span: Type.String(),
          usd: Type.String(),
          spentUsd: Type.String(),
          heldUsd: Type.String(),
        },
        { ...closed, description: 'Budgets closest to their limit.' },
      ),
    ),
  },
  { ...closed, $id: 'Overview' },
);
export type Overview = Static<typeof Overview>;
