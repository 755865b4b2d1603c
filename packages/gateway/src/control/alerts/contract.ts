/** Alerts, destinations and deliveries as the admin API gives them. */

import Type, { type Static } from 'typebox';
import { closed, moment, nullable, Page } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';
import { ALERT_KINDS } from '../webhooks/events.ts';
import { DESTINATION_KINDS } from './bodies.ts';

const kind = Type.Enum([...ALERT_KINDS], { description: 'Kind of alert.' });

export const Alert = Type.Object(
  {
    id: Type.String(),
    kind,
    accountId: nullable(Type.String({ description: 'Null: it is for operators only.' })),
    subject: Type.String({ description: 'The budget, key, provider or model concerned.' }),
    title: Type.String({ description: 'One sentence for people.' }),
    detail: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
    raisedAt: moment('Time the alert was raised.'),
    lastSeenAt: moment('Last confirmation of an outage; else equal to `raisedAt`.'),
    resolvedAt: nullable(moment('End of the outage.')),
    acknowledgedAt: nullable(moment('Time of acknowledgement.')),
    acknowledgedBy: nullable(Type.String()),
  },
  { ...closed, $id: 'Alert' },
);
export const AlertPage = Type.Object(
  {
    ...Page.properties,
    kind: Type.Optional(kind),
    state: Type.Optional(
      Type.Enum(['open'], { description: 'Only alerts that are neither resolved nor acknowledged.' }),
    ),
  },
  closed,
);
/** Thresholds, in the form of the configuration; each belongs to one kind. */
export const AlertRuleChange = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: 'False: alerts of this kind are not raised.' })),
    budgetPercents: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
        minItems: 1,
        maxItems: 10,
        description: 'Shares of a budget in percent; for `budget.reached`.',
      }),
    ),
    keyExpiryDays: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 365 }), {
        minItems: 1,
        maxItems: 10,
        description: 'Days before the expiry of a key; for `key.expiring`.',
      }),
    ),
    factor: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 1000,
        description: 'Times the most expensive hour before; for `spend.anomaly`.',
      }),
    ),
    minUsd: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1_000_000,
        description: 'Least cost of the hour in US dollars; for `spend.anomaly`.',
      }),
    ),
    errorPercent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: "Share of an hour's requests at a provider that fail by its fault; for `errors.high`.",
      }),
    ),
    firstTokenMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 600_000,
        description: 'p95 to the first token within an hour at a provider; for `latency.high`.',
      }),
    ),
    minRequests: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Least requests of the hour (default: 20); for `errors.high` and `latency.high`.',
      }),
    ),
    creditDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 90,
        description: 'Days that the credit lasts at the pace of the last week; for `credit.low`.',
      }),
    ),
  },
  { ...closed, minProperties: 1, $id: 'AlertRuleChange' },
);
const { enabled: _, ...thresholds } = AlertRuleChange.properties;
const AlertRuleValues = Type.Object(thresholds, { ...closed, description: 'Its thresholds; none: it has none.' });
export const AlertRule = Type.Object(
  {
    kind,
    enabled: Type.Boolean(),
    raisedWhen: Type.String({ description: 'The condition, with the values of this configuration.' }),
    window: Type.String({ description: 'Minimum time between two alerts.' }),
    values: AlertRuleValues,
    audience: Type.Enum(['operators', 'operators and the account']),
    source: Type.Enum(['database', 'configuration'], { description: 'Where its values come from.' }),
  },
  { ...closed, $id: 'AlertRule' },
);
export const AlertPreview = Type.Object(
  {
    times: nullable(
      Type.Integer({ description: 'How often it would have been raised. Null: nothing stored tells for this kind.' }),
    ),
    from: moment('Start of the time looked at: a week ago, or now where only the present state is known.'),
    examples: Type.Array(
      Type.Object(
        {
          at: moment('Time of the condition.'),
          subject: Type.String({ description: 'The budget, key, account or provider.' }),
          value: Type.String({ description: 'What was measured, with its unit.' }),
        },
        closed,
      ),
      { description: 'The latest of them, at most five.' },
    ),
  },
  { ...closed, $id: 'AlertPreview' },
);

const events = nullable(
  Type.Array(kind, { minItems: 1, maxItems: ALERT_KINDS.length, uniqueItems: true, description: 'Null: all kinds.' }),
);
const name = Type.String({ minLength: 1, maxLength: 200, description: 'Display name.' });
const destinationKind = Type.Enum([...DESTINATION_KINDS], {
  description: 'Form of the messages. `webhook`: a signed event in the form of Standard Webhooks.',
});

export const AlertDestination = Type.Object(
  {
    id: Type.String(),
    kind: destinationKind,
    name,
    target: Type.String({ description: 'The host of its URL, or the mail addresses. The URL itself is not shown.' }),
    events,
    createdAt: moment('Creation time.'),
    goneAt: nullable(moment('Time the host answered 410; nothing is sent since.')),
  },
  { ...closed, $id: 'AlertDestination' },
);
export const NewAlertDestination = Type.Object(
  {
    kind: destinationKind,
    name,
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'URL that messages are posted to, also at private addresses; for all kinds except `mail`.',
      }),
    ),
    to: Type.Optional(
      Type.Array(Type.String({ minLength: 3, maxLength: 320, pattern: FORMS.mailAddress }), {
        minItems: 1,
        maxItems: 50,
        description: 'Mail addresses; for the kind `mail`.',
      }),
    ),
    events: Type.Optional(events),
  },
  closed,
);
export const AlertDestinationChange = Type.Object(
  { name: Type.Optional(name), events: Type.Optional(events) },
  { ...closed, minProperties: 1 },
);
export const AddedAlertDestination = Type.Object(
  {
    destination: AlertDestination,
    secret: nullable(Type.String({ description: 'Signs messages of the kind `webhook`. Returned only here.' })),
  },
  { ...closed, $id: 'AddedAlertDestination' },
);

export type ShownAlert = Static<typeof Alert>;
export type AlertPreview = Static<typeof AlertPreview>;
export type AlertRule = Static<typeof AlertRule>;
export type AlertRuleChange = Static<typeof AlertRuleChange>;
export type AlertDestination = Static<typeof AlertDestination>;
