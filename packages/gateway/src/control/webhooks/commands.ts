/** `trivium webhooks …`: webhook endpoints of an account, and their deliveries. */

import type { Static } from 'typebox';
import { type Column, type CommandGroup, commandFor, type MemberOf } from '../api/command.ts';
import type { Rotation } from '../keys/contract.ts';
import type { NewWebhook, Webhook, WebhookChange, WebhookDelivery } from './contract.ts';

/** Of messages to webhooks and to the destinations of alerts. */
export const DELIVERY_COLUMNS: readonly Column<MemberOf<WebhookDelivery>>[] = [
  'createdAt',
  'event',
  'state',
  'tries',
  'lastStatus',
  'lastProblem',
  'nextTryAt',
  'id',
];

export const webhookCommands: CommandGroup = {
  group: 'webhooks',
  about: 'webhooks of an account',
  commands: [
    commandFor<Webhook>()({
      command: 'webhooks list <account>',
      about: "list an account's webhooks",
      call: 'GET /accounts/{account}/webhooks',
      columns: ['url', 'id', 'createdAt', 'previousUntil', 'goneAt', 'events'],
    }),
    commandFor<Webhook, Static<typeof NewWebhook>>()({
      command: 'webhooks add <account> <url>',
      about: 'add a webhook; prints its signing secret once',
      call: 'POST /accounts/{account}/webhooks',
      options: {
        url: ['<url>', ''],
        events: [
          '--events <events>',
          'events, separated by commas (default: the ends of operations)',
          { form: 'commas' },
        ],
      },
      secretOf: 'webhook',
    }),
    commandFor<Webhook, Static<typeof WebhookChange>>()({
      command: 'webhooks events <account> <webhook> <events>',
      about: 'choose the events of a webhook, separated by commas, or default',
      call: 'PATCH /accounts/{account}/webhooks/{webhook}',
      options: { events: ['<events>', '', { form: 'commas', words: { default: null } }] },
    }),
    commandFor<WebhookDelivery>()({
      command: 'webhooks test <account> <webhook>',
      about: 'send a test message and wait for its first try',
      call: 'POST /accounts/{account}/webhooks/{webhook}/test',
    }),
    commandFor<WebhookDelivery>()({
      command: 'webhooks deliveries <account> <webhook>',
      about: 'list messages of the last seven days',
      call: 'GET /accounts/{account}/webhooks/{webhook}/deliveries',
      columns: DELIVERY_COLUMNS,
    }),
    commandFor<WebhookDelivery>()({
      command: 'webhooks resend <account> <delivery>',
      about: 'send a message again',
      call: 'POST /accounts/{account}/deliveries/{delivery}/resend',
    }),
    commandFor<Webhook, Static<typeof Rotation>>()({
      command: 'webhooks rotate <account> <webhook>',
      about: 'replace the signing secret',
      call: 'POST /accounts/{account}/webhooks/{webhook}/rotate',
      options: {
        graceSeconds: [
          '--grace <seconds>',
          'seconds for which the old secret signs, too',
          { form: 'number', default: '0' },
        ],
      },
      secretOf: 'webhook',
    }),
    commandFor<Webhook>()({
      command: 'webhooks remove <account> <webhook>',
      about: 'remove a webhook',
      call: 'DELETE /accounts/{account}/webhooks/{webhook}',
      done: 'removed',
    }),
  ],
};
