// `alerts`: what raises them, and the mail server to send them through. Read, its password is resolved.

import Type, { type Static } from 'typebox';
import {
  type Building,
  flag,
  integer,
  list,
  milliseconds,
  number,
  optionalSection,
  optionalText,
  section,
  text,
} from './parts.ts';

const MAX_KEPT_DAYS = 3650;

const smtp = optionalSection(
  {
    host: text(253, 'Name or address of the mail server.'),
    port: integer(1, 65_535, 587, 'Its port.'),
    security: Type.Enum(['tls', 'starttls', 'none'], {
      default: 'starttls',
      description:
        '`tls` from the first byte (port 465), `starttls` or the message is not sent, or `none` for a server on a private network.',
    }),
    user: optionalText(320, 'User name, if the server asks.'),
    password: optionalText(4096, 'Its password, best as `env:NAME` or `file:/path`.'),
    from: Type.String({ minLength: 3, maxLength: 320, description: 'Sender, e.g. `Trivium <alerts@example.com>`.' }),
  },
  'The SMTP server for destinations of kind `mail`. Without it there are none.',
);

export const alertsSchema = section(
  {
    enabled: flag(true, 'Raise alerts. They need a `database`.'),
    checkEveryMs: milliseconds(15_000, 'How often budgets, spend and expiring keys are checked, by one node of all.'),
    budgetPercents: list(
      Type.Integer({ minimum: 1, maximum: 100 }),
      10,
      [50, 80, 95, 100],
      'Shares of a budget, in percent, that raise `budget.reached`, once per window of the budget; a jump over several raises the highest.',
    ),
    keyExpiryDays: list(
      Type.Integer({ minimum: 1, maximum: 365 }),
      10,
      [7, 1],
      'Days before a key expires at which `key.expiring` is raised, once each.',
    ),
    spendAnomaly: section(
      {
        factor: number(
          1,
          1000,
          2,
          'How many times the most expensive hour of the seven days before an hour must cost.',
        ),
        minUsd: number(0, 1_000_000, 10, 'What it must cost at least, in US dollars.'),
      },
      'When an hour of an account raises `spend.anomaly`, at most once a day. Accounts without a day of history raise none.',
    ),
    driftOneIn: integer(
      0,
      1_000_000,
      200,
      'Of how many answers of providers one is compared with what is known of its format, for `provider.drift`, the log and the metrics; 0: none. Members, types and words are compared, never content.',
    ),
    keepDays: integer(1, MAX_KEPT_DAYS, 90, 'How long alerts are listed. Their deliveries are listed for seven days.'),
    smtp,
  },
  'Alerts to operators and accounts; see `docs/operate/alerts.md`. Where they are sent is set at the admin API.',
);

type AlertsData = Static<typeof alertsSchema>;

export const buildAlerts = (data: AlertsData, { secret, report }: Building): AlertsData => {
  const { smtp, ...rest } = data;
  if (smtp?.password === undefined) return data;
  const { password: given, ...server } = smtp;
  const password = secret(given, ['alerts', 'smtp', 'password']);
  if (smtp.user === undefined) report(['alerts', 'smtp', 'user'], 'is missing, and there is a password');
  return { ...rest, smtp: { ...server, ...(password !== undefined && { password }) } };
};
