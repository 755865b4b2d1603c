/** `trivium alerts …`: what was raised, by which rules, and where it is sent. */

import type { Static } from 'typebox';
import { type CommandGroup, commandFor } from '../api/command.ts';
import { DELIVERY_COLUMNS } from '../webhooks/commands.ts';
import type { WebhookDelivery } from '../webhooks/contract.ts';
import type {
  AlertDestination,
  AlertDestinationChange,
  AlertPage,
  AlertPreview,
  AlertRule,
  AlertRuleChange,
  NewAlertDestination,
  ShownAlert,
} from './contract.ts';

const THRESHOLD_OPTIONS = {
  errorPercent: ['--error-percent <percent>', "share of an hour's requests at a provider", { form: 'number' }],
  firstTokenMs: ['--first-token-ms <ms>', 'p95 of an hour at a provider', { form: 'number' }],
  minRequests: ['--min-requests <count>', 'least requests of the hour', { form: 'number' }],
  creditDays: ['--credit-days <days>', 'days that the credit lasts', { form: 'number' }],
} as const;

export const alertCommands: CommandGroup = {
  group: 'alerts',
  about: 'alerts, their rules and their destinations',
  commands: [
    commandFor<ShownAlert, Static<typeof AlertPage>>()({
      command: 'alerts list',
      about: 'list alerts, the newest first',
      call: ['GET /accounts/{account}/alerts', 'GET /alerts'],
      options: {
        state: ['--open', 'only those that are neither resolved nor acknowledged', { is: 'open' }],
        kind: ['--kind <kind>', 'only of this kind, e.g. budget.reached'],
        account: ['--account <account>', 'only of this account'],
      },
      columns: ['raisedAt', 'kind', 'title', 'resolvedAt', 'acknowledgedAt', 'id'],
    }),
    commandFor<AlertRule>()({
      command: 'alerts rules',
      about: 'list what alerts are raised for',
      call: 'GET /alerts/rules',
      columns: ['kind', 'enabled', 'raisedWhen', 'window', 'source'],
    }),
    commandFor<AlertRule, AlertRuleChange>()({
      command: 'alerts rule <rule>',
      about: 'set thresholds of a kind of alert, or switch it off',
      call: 'PATCH /alerts/rules/{rule}',
      arguments: { rule: 'kind of alert, e.g. budget.reached' },
      options: {
        enabled: ['--off', 'do not raise it', { is: false }],
        budgetPercents: ['--percents <list>', 'shares of a budget, separated by commas', { form: 'numbers' }],
        keyExpiryDays: ['--days <list>', 'days before a key expires, separated by commas', { form: 'numbers' }],
        factor: ['--factor <number>', 'times the most expensive hour before', { form: 'number' }],
        minUsd: ['--min-usd <usd>', 'least cost of the hour', { form: 'number' }],
        ...THRESHOLD_OPTIONS,
      },
    }),
    commandFor<AlertPreview, AlertRuleChange>()({
      command: 'alerts preview <rule>',
      about: 'tell how often thresholds would have raised an alert in the last week',
      call: 'POST /alerts/rules/{rule}/preview',
      arguments: { rule: 'kind of alert, e.g. errors.high' },
      options: {
        budgetPercents: ['--percents <list>', 'shares of a budget, separated by commas', { form: 'numbers' }],
        keyExpiryDays: ['--days <list>', 'days before a key expires, separated by commas', { form: 'numbers' }],
        factor: ['--factor <number>', 'times the most expensive hour before', { form: 'number' }],
        minUsd: ['--min-usd <usd>', 'least cost of the hour', { form: 'number' }],
        ...THRESHOLD_OPTIONS,
      },
    }),
    commandFor<AlertRule>()({
      command: 'alerts reset <rule>',
      about: 'thresholds as the configuration has them',
      call: 'DELETE /alerts/rules/{rule}',
      arguments: { rule: 'kind of alert, e.g. budget.reached' },
    }),
    commandFor<ShownAlert>()({
      command: 'alerts acknowledge <alert>',
      about: 'mark an alert as seen',
      call: 'POST /alerts/{alert}/acknowledge',
    }),
  ],
};

export const destinationCommands: CommandGroup = {
  group: 'alerts destinations',
  about: 'where alerts are sent',
  commands: [
    commandFor<AlertDestination>()({
      command: 'alerts destinations list',
      about: 'list destinations',
      call: 'GET /alerts/destinations',
      columns: ['name', 'id', 'kind', 'target', 'events', 'goneAt'],
    }),
    commandFor<AlertDestination, Static<typeof NewAlertDestination>>()({
      command: 'alerts destinations add <kind> <address...>',
      about: 'add a destination: a URL, or mail addresses',
      call: 'POST /alerts/destinations',
      options: {
        kind: ['<kind>', 'webhook, slack, teams, discord or mail'],
        name: ['--name <name>', 'name for people (default: the kind)', { elseLike: 'kind' }],
        events: [
          '--events <kinds>',
          'kinds of alerts, separated by commas (default: all)',
          { form: 'commas', words: { all: null } },
        ],
      },
      secretOf: 'destination',
    }),
    commandFor<AlertDestination, Static<typeof AlertDestinationChange>>()({
      command: 'alerts destinations change <destination>',
      about: 'change its name or its kinds of alerts',
      call: 'PATCH /alerts/destinations/{destination}',
      options: {
        name: ['--name <name>', 'name for people'],
        events: [
          '--events <kinds>',
          'kinds of alerts, separated by commas, or all',
          { form: 'commas', words: { all: null } },
        ],
      },
    }),
    commandFor<WebhookDelivery>()({
      command: 'alerts destinations test <destination>',
      about: 'send a test message and wait for its first try',
      call: 'POST /alerts/destinations/{destination}/test',
    }),
    commandFor<WebhookDelivery>()({
      command: 'alerts destinations deliveries <destination>',
      about: 'list messages of the last seven days',
      call: 'GET /alerts/destinations/{destination}/deliveries',
      columns: DELIVERY_COLUMNS,
    }),
    commandFor<WebhookDelivery>()({
      command: 'alerts destinations resend <delivery>',
      about: 'send a message again',
      call: 'POST /alerts/deliveries/{delivery}/resend',
    }),
    commandFor<AlertDestination>()({
      command: 'alerts destinations remove <destination>',
      about: 'remove a destination',
      call: 'DELETE /alerts/destinations/{destination}',
      done: 'removed',
    }),
  ],
};
