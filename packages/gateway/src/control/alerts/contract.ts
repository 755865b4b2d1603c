/** Alerts, destinations and deliveries as the admin API gives them. */

import Type, { type Static } from 'typebox';
import { closed, moment, nullable, Page } from '../api/contract.ts';
import { FORMS } from '../api/forms.ts';
import { ALERT_KINDS } from '../webhooks/events.ts';
import { DESTINATION_KINDS } from './bodies.ts';

const kind = Type.Enum([...ALERT_KINDS], { description: 'What it is about.' });

export const Alert = Type.Object(
  {
    id: Type.String(),
    kind,
    accountId: nullable(Type.String({ description: 'Null: it is for operators only.' })),
    subject: Type.String({ description: 'What it is about: a budget, a key, a provider, a model.' }),
    title: Type.String({ description: 'One sentence for people.' }),
    detail: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
    raisedAt: moment('When it was raised.'),
    lastSeenAt: moment('When an outage was last confirmed; else as `raisedAt`.'),
    resolvedAt: nullable(moment('When an outage ended.')),
    acknowledgedAt: nullable(moment('When an operator acknowledged it.')),
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
export const AlertRule = Type.Object(
  {
    kind,
    enabled: Type.Boolean(),
    raisedWhen: Type.String({ description: 'The condition, with the values of this configuration.' }),
    window: Type.String({ description: 'How often it is raised at most.' }),
    audience: Type.Enum(['operators', 'operators and the account']),
  },
  { ...closed, $id: 'AlertRule' },
);

const events = nullable(
  Type.Array(kind, { minItems: 1, maxItems: ALERT_KINDS.length, uniqueItems: true, description: 'Null: all kinds.' }),
);
const name = Type.String({ minLength: 1, maxLength: 200, description: 'For people.' });
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
    createdAt: moment('When it was added.'),
    goneAt: nullable(moment('When its host answered 410: nothing is sent to it any more.')),
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
        description: 'Where messages are posted, private addresses included; for every kind but `mail`.',
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
    secret: nullable(Type.String({ description: 'Signs messages of the kind `webhook`. Shown this once.' })),
  },
  { ...closed, $id: 'AddedAlertDestination' },
);

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ description: 'The `webhook-id` of its message: the same for every try.' }),
    event: nullable(Type.String({ description: 'Its type. Null: written by an earlier release.' })),
    state: Type.Enum(['due', 'delivered', 'failed'], { description: '`failed`: it is not tried again by itself.' }),
    tries: Type.Integer({ minimum: 0 }),
    nextTryAt: nullable(moment('When it is tried next.')),
    lastTriedAt: nullable(moment('When it was tried last.')),
    lastStatus: nullable(Type.Integer({ description: 'HTTP status of the last try; 250 for mail that was accepted.' })),
    lastProblem: nullable(Type.String({ description: 'Why the last try got no status.' })),
    createdAt: moment('When the event was.'),
  },
  { ...closed, $id: 'WebhookDelivery' },
);

export type ShownAlert = Static<typeof Alert>;
export type AlertRule = Static<typeof AlertRule>;
export type AlertDestination = Static<typeof AlertDestination>;
export type WebhookDelivery = Static<typeof WebhookDelivery>;
