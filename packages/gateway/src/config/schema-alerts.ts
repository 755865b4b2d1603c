// Alerts: what raises them, and the mail server to send them through.

import Type, { type Static } from 'typebox';
import { closed, milliseconds, section } from './schema-parts.ts';

const MAX_KEPT_DAYS = 3650;

const smtp = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253, description: 'Name or address of the mail server.' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: 587, description: 'Its port.' }),
    security: Type.Enum(['tls', 'starttls', 'none'], {
      default: 'starttls',
      description:
        '`tls` from the first byte (port 465), `starttls` or the message is not sent, or `none` for a server on a private network.',
    }),
    user: Type.Optional(Type.String({ minLength: 1, maxLength: 320, description: 'User name, if the server asks.' })),
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4096, description: 'Its password, best as `env:NAME` or `file:/path`.' }),
    ),
    from: Type.String({ minLength: 3, maxLength: 320, description: 'Sender, e.g. `Trivium <alerts@example.com>`.' }),
  },
  { ...closed, description: 'The SMTP server for destinations of kind `mail`. Without it there are none.' },
);

export const alertsSchema = section(
  {
    enabled: Type.Boolean({ default: true, description: 'Raise alerts. They need a `database`.' }),
    checkEveryMs: milliseconds(15_000, 'How often budgets, spend and expiring keys are checked, by one node of all.'),
    budgetPercents: Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
      maxItems: 10,
      default: [50, 80, 95, 100],
      description:
        'Shares of a budget, in percent, that raise `budget.reached`, once per window of the budget; a jump over several raises the highest.',
    }),
    keyExpiryDays: Type.Array(Type.Integer({ minimum: 1, maximum: 365 }), {
      maxItems: 10,
      default: [7, 1],
      description: 'Days before a key expires at which `key.expiring` is raised, once each.',
    }),
    spendAnomaly: section(
      {
        factor: Type.Number({
          minimum: 1,
          maximum: 1000,
          default: 2,
          description: 'How many times the most expensive hour of the seven days before an hour must cost.',
        }),
        minUsd: Type.Number({
          minimum: 0,
          maximum: 1_000_000,
          default: 10,
          description: 'What it must cost at least, in US dollars.',
        }),
      },
      'When an hour of an account raises `spend.anomaly`, at most once a day. Accounts without a day of history raise none.',
    ),
    keepDays: Type.Integer({
      minimum: 1,
      maximum: MAX_KEPT_DAYS,
      default: 90,
      description: 'How long alerts are listed. Their deliveries are listed for seven days.',
    }),
    smtp: Type.Optional(smtp),
  },
  'Alerts to operators and accounts; see `docs/operate/alerts.md`. Where they are sent is set at the admin API.',
);

export type AlertsData = Static<typeof alertsSchema>;
