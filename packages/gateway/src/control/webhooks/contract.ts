/** Webhooks in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, moment, nullable } from '../api/contract.ts';
import { ACCOUNT_EVENTS } from './events.ts';

const webhookEvents = nullable(
  Type.Array(Type.Enum([...ACCOUNT_EVENTS]), {
    minItems: 1,
    maxItems: ACCOUNT_EVENTS.length,
    uniqueItems: true,
    description: 'The events it gets. Null: the ends of operations.',
  }),
);
export const Webhook = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    createdAt: moment('When it was registered.'),
    previousUntil: nullable(moment('Until when the secret before the last rotation signs as well.')),
    goneAt: nullable(moment('When its host answered 410: nothing is sent to it any more.')),
    events: webhookEvents,
  },
  { ...closed, $id: 'Webhook' },
);
export const NewWebhook = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048, description: 'Where messages are posted.' }),
    events: Type.Optional(webhookEvents),
  },
  closed,
);
export const WebhookChange = Type.Object({ events: webhookEvents }, closed);
export const WebhookWithSecret = Type.Object(
  { webhook: Webhook, secret: Type.String({ description: 'Signs its messages. Shown this once.' }) },
  { ...closed, $id: 'WebhookWithSecret' },
);

export type Webhook = Static<typeof Webhook>;

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

export type WebhookDelivery = Static<typeof WebhookDelivery>;
