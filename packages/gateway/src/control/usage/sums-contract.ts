/** Sums of usage over accounts in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, moment, nullable } from '../api/contract.ts';

const word = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));

export const SpendQuery = Type.Object(
  {
    from: word('The first day in `tz`, or a time (default: 30 days before `until`).'),
    until: word('The end, exclusive: a day in `tz`, or a time (default: tomorrow).'),
    by: word(
      'A list of `account`, `member`, `key`, `model`, `provider`, `protocol`, `outcome`, `lane` and one `tag:<name>`, which the last three do not go with (default: one sum).',
    ),
    bucket: Type.Optional(
      Type.Enum(['hour', 'day', 'month'], { description: 'Time unit of rows (default: the whole period).' }),
    ),
    tz: word('The time zone of days and months, e.g. `Europe/Berlin` (default: UTC).'),
    account: word('Only this account.'),
    member: word('Only this member.'),
    key: word('Only this key.'),
    model: word('Only this model.'),
    provider: word('Only this provider.'),
    protocol: word('Only `chat`, `responses`, `messages` or `genai`.'),
    outcome: word('Only `ok`, `interrupted` or a kind of fault.'),
    lane: word('Only `verbatim` or `translated`.'),
    tag: word('Only this value of a tag, e.g. `team=search`.'),
    latency: Type.Optional(
      Type.Enum(['true', 'false'], { description: 'Also return latency quantiles (default: false).' }),
    ),
  },
  closed,
);
export type SpendQuery = Static<typeof SpendQuery>;

const quantiles = (of: string) =>
  nullable(
    Type.Object(
      { p50: Type.Integer(), p95: Type.Integer(), p99: Type.Integer() },
      {
        ...closed,
        description: `${of}, in ms, from histograms. Null where nothing was counted, or \`latency\` was not asked for.`,
      },
    ),
  );

export const UsageFigures = Type.Object(
  {
    requests: Type.Integer({ description: 'Admitted requests, whatever their outcome.' }),
    failed: Type.Integer({ description: 'Failed requests among them.' }),
    recorded: Type.Integer({ description: 'Admitted and refused requests: as many as the list of requests has.' }),
    errors: Type.Integer({
      description: 'Recorded requests with an outcome other than `ok`, refused ones included; the sum of `faults`.',
    }),
    refused: Type.Integer({ description: 'Recorded requests that were refused; of a flood only some are recorded.' }),
    faults: Type.Object(
      { caller: Type.Integer(), upstream: Type.Integer(), gateway: Type.Integer() },
      { ...closed, description: 'Failed and refused requests by responsible party.' },
    ),
    tokens: Type.Object(
      {
        input: Type.Integer({ description: 'Input tokens, including cached ones.' }),
        output: Type.Integer({ description: 'Output tokens, including reasoning.' }),
        cached: Type.Integer({ description: 'Cached input tokens.' }),
        cacheWrite: Type.Integer({ description: 'Input tokens written to a cache.' }),
        reasoning: Type.Integer({ description: 'Reasoning tokens.' }),
      },
      closed,
    ),
    unpriced: Type.Integer({ description: 'Requests that used something without a price.' }),
    costUsd: Type.String({ description: 'Exact amount charged.' }),
    firstTokenMs: quantiles('Until the first token'),
    durationMs: quantiles('Until the end'),
  },
  { ...closed, $id: 'UsageFigures' },
);
export type UsageFigures = Static<typeof UsageFigures>;

const nameOf = (of: string) =>
  nullable(Type.String({ description: `Name of the ${of}. Null: it has none, or is gone.` }));

export const SpendRow = Type.Object(
  {
    at: Type.Optional(moment('The start of the hour, day or month.')),
    account: Type.Optional(Type.String()),
    accountName: Type.Optional(nameOf('account')),
    member: Type.Optional(Type.String({ description: 'Empty for keys of no member.' })),
    memberName: Type.Optional(nameOf('member')),
    key: Type.Optional(Type.String()),
    keyName: Type.Optional(nameOf('key')),
    model: Type.Optional(Type.String()),
    provider: Type.Optional(Type.String({ description: 'Empty for requests that reached none.' })),
    protocol: Type.Optional(Type.String({ description: 'Empty for hours before it was summed up.' })),
    outcome: Type.Optional(Type.String({ description: '`ok`, `interrupted` or a kind of fault; empty as above.' })),
    lane: Type.Optional(Type.String({ description: 'Empty for requests that reached no provider, and as above.' })),
    tag: Type.Optional(
      Type.String({ description: 'The value. Empty: the request had none. `other`: beyond 1000 values, or too long.' }),
    ),
    ...UsageFigures.properties,
  },
  { ...closed, $id: 'SpendRow' },
);
export type SpendRow = Static<typeof SpendRow>;

export const Spend = Type.Object(
  {
    from: moment('Start of the period.'),
    until: moment('End of the period, exclusive.'),
    tz: Type.String(),
    items: Type.Array(SpendRow, { description: 'By time, then most expensive first.' }),
    truncated: Type.Boolean({ description: 'More rows exist than were returned.' }),
  },
  { ...closed, $id: 'Spend' },
);
