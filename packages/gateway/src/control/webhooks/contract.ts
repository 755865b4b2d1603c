/** Webhooks in the admin API: schemas that check, type and document at once. */
import Type, { type Static } from 'typebox';
import { closed, moment, nullable } from '../api/contract.ts';
import { ACCOUNT_EVENTS } from './events.ts';

const webhookEvents = nullable(
  Type.Array(Type.Enum([...ACCOUNT_EVENTS]), {
    minItems: 1,
    maxItems: ACCOUNT_EVENTS.length,
    uniqueItems: true,
    description: 'Events it receives. Null: ends of operations.',
  }),
);
export const Webhook = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    createdAt: moment('Creation time.'),
    previousUntil: nullable(moment('Until this time messages are also signed with the previous secret.')),
    goneAt: nullable(moment('Time the host answered 410; nothing is sent since.')),
    events: webhookEvents,
  },
  { ...closed, $id: 'Webhook' },
);
export const NewWebhook = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2048, description: 'URL that messages are posted to.' }),
    events: Type.Optional(webhookEvents),
  },
  closed,
);
export const WebhookChange = Type.Object({ events: webhookEvents }, closed);
export const WebhookWithSecret = Type.Object(
  { webhook: Webhook, secret: Type.String({ description: 'Signs its messages. Returned only here.' }) },
  { ...closed, $id: 'WebhookWithSecret' },
);

export type Webhook = Static<typeof Webhook>;

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ description: 'The `webhook-id` of its message, the same for every attempt.' }),
    event: nullable(Type.String({ description: 'Type of the event. Null: written by an earlier release.' })),
    state: Type.Enum(['due', 'delivered', 'failed'], { description: '`failed`: not retried automatically.' }),
    tries: Type.Integer({ minimum: 0 }),
    nextTryAt: nullable(moment('Time of the next attempt.')),
    lastTriedAt: nullable(moment('Time of the last attempt.')),
    lastStatus: nullable(Type.Integer({ description: 'HTTP status of the last attempt; 250 for accepted mail.' })),
    lastProblem: nullable(Type.String({ description: 'Why the last attempt got no status.' })),
    createdAt: moment('Time of the event.'),
  },
  { ...closed, $id: 'WebhookDelivery' },
);

export type WebhookDelivery = Static<typeof WebhookDelivery>;
