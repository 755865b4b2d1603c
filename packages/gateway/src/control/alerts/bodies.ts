/** Formats an alert for its destination: a signed event, or a message for Slack, Teams, Discord or e-mail. */
import { eventBody } from '../webhooks/message.ts';
import type { Alert, Facts } from './alert.ts';

export const DESTINATION_KINDS = ['webhook', 'slack', 'teams', 'discord', 'mail'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** As it was raised, or a test of the destination. */
export type RaisedAlert = Pick<Alert, 'title' | 'facts' | 'accountId'> & {
  readonly id: string;
  readonly kind: string;
  readonly raisedAtMs: number;
};

export type MailBody = { readonly subject: string; readonly text: string };

const RED = 0xd9_2d_20;
const AMBER = 0xdc_68_03;
const GREEN = 0x07_94_55;

const colourOf = ({ kind, facts }: RaisedAlert): number => {
  if (kind === 'provider.back' || kind === 'webhook.test') return GREEN;
  const isUrgent = ['provider.out', 'ledger.audit_failed', 'ledger.set_back', 'usage.suspect'].includes(kind);
  return isUrgent || facts['percent'] === 100 ? RED : AMBER;
};

/** `spentUsd` is shown as `spent (USD)`, `expiresAt` as `expires at`. */
const labelOf = (name: string): string =>
  name
    .replace(/Usd$/, ' (USD)')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[A-Z](?![A-Z)])/g, (letter) => letter.toLowerCase());

const linesOf = (facts: Facts): readonly (readonly [label: string, value: string])[] =>
  Object.entries(facts).map(([name, value]) => [labelOf(name), String(value)]);

/** Names are free text: they must neither notify a channel nor create a link. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const MAX_SLACK_FIELDS = 10;

const slack = ({ title, facts, kind }: RaisedAlert): object => ({
  text: slackText(title),
  blocks: [
    { type: 'section', text: { type: 'mrkdwn', text: `*${slackText(title)}*` } },
    {
      type: 'section',
      fields: linesOf(facts)
        .slice(0, MAX_SLACK_FIELDS)
        .map(([label, value]) => ({ type: 'mrkdwn', text: `*${slackText(label)}*\n${slackText(value)}` })),
    },
    { type: 'context', elements: [{ type: 'mrkdwn', text: `Trivium · ${kind}` }] },
  ],
});

/** For cards of Teams Workflows, whose text is Markdown. */
const plain = (text: string): string => text.replaceAll(/[\\`*_[\]()#>|~]/g, (mark) => `\\${mark}`);

const teams = ({ title, facts, kind }: RaisedAlert): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          { type: 'TextBlock', text: plain(title), weight: 'Bolder', size: 'Medium', wrap: true },
          { type: 'FactSet', facts: linesOf(facts).map(([label, value]) => ({ title: label, value: plain(value) })) },
          { type: 'TextBlock', text: `Trivium · ${kind}`, isSubtle: true, wrap: true },
        ],
      },
    },
  ],
});

const MAX_DISCORD_FIELDS = 25;

const discord = (alert: RaisedAlert): object => ({
  allowed_mentions: { parse: [] },
  embeds: [
    {
      title: plain(alert.title).slice(0, 256),
      color: colourOf(alert),
      timestamp: new Date(alert.raisedAtMs).toISOString(),
      fields: linesOf(alert.facts)
        .slice(0, MAX_DISCORD_FIELDS)
        .map(([name, value]) => ({ name, value: plain(value).slice(0, 1024), inline: true })),
      footer: { text: `Trivium · ${alert.kind}` },
    },
  ],
});

const mail = ({ title, facts, kind, raisedAtMs }: RaisedAlert): MailBody => ({
  subject: `[Trivium] ${title}`.replaceAll(/[\r\n]+/g, ' ').slice(0, 200),
  text: [
    title,
    '',
    ...linesOf(facts).map(([label, value]) => `${label}: ${value}`),
    '',
    `${kind}, ${new Date(raisedAtMs).toISOString()}`,
  ].join('\n'),
});

export const alertBody = ({ id, kind, title, facts, raisedAtMs }: RaisedAlert): string =>
  eventBody(kind, raisedAtMs, { id, title, ...facts });

export function bodyFor(destination: DestinationKind, alert: RaisedAlert): string {
  switch (destination) {
    case 'webhook':
      return alertBody(alert);
    case 'slack':
      return JSON.stringify(slack(alert));
    case 'teams':
      return JSON.stringify(teams(alert));
    case 'discord':
      return JSON.stringify(discord(alert));
    case 'mail':
      return JSON.stringify(mail(alert));
  }
}
