import { expect, test } from 'vitest';
import { bodyFor, type DestinationKind, type RaisedAlert } from './bodies.ts';

const RAISED: RaisedAlert = {
  id: 'alr_1',
  kind: 'budget.reached',
  accountId: 'acme',
  title: "Account acme has reached 80 % of today's budget.",
  facts: { account: 'acme', scope: 'account', span: 'day', percent: 80, spentUsd: '8.1', limitUsd: '10' },
  raisedAtMs: Date.UTC(2026, 10, 16, 9, 30),
};
const bodyOf = (kind: DestinationKind, own: Partial<RaisedAlert> = {}): unknown =>
  JSON.parse(bodyFor(kind, { ...RAISED, ...own }));

test('a signed webhook gets an event in the form of Standard Webhooks', () => {
  expect(bodyOf('webhook')).toEqual({
    type: 'budget.reached',
    timestamp: '2026-11-16T09:30:00.000Z',
    data: {
      id: 'alr_1',
      title: "Account acme has reached 80 % of today's budget.",
      account: 'acme',
      scope: 'account',
      span: 'day',
      percent: 80,
      spentUsd: '8.1',
      limitUsd: '10',
    },
  });
});

test('Slack gets blocks, and a text for notifications', () => {
  const field = (label: string, value: string): object => ({ type: 'mrkdwn', text: `*${label}*\n${value}` });
  expect(bodyOf('slack')).toEqual({
    text: "Account acme has reached 80 % of today's budget.",
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: "*Account acme has reached 80 % of today's budget.*" } },
      {
        type: 'section',
        fields: [
          field('account', 'acme'),
          field('scope', 'account'),
          field('span', 'day'),
          field('percent', '80'),
          field('spent (USD)', '8.1'),
          field('limit (USD)', '10'),
        ],
      },
      { type: 'context', elements: [{ type: 'mrkdwn', text: 'Trivium · budget.reached' }] },
    ],
  });
});

test('Teams gets an adaptive card', () => {
  expect(bodyOf('teams', { facts: { account: 'acme', spentUsd: '8.1' } })).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'TextBlock',
              text: "Account acme has reached 80 % of today's budget.",
              weight: 'Bolder',
              size: 'Medium',
              wrap: true,
            },
            {
              type: 'FactSet',
              facts: [
                { title: 'account', value: 'acme' },
                { title: 'spent (USD)', value: '8.1' },
              ],
            },
            { type: 'TextBlock', text: 'Trivium · budget.reached', isSubtle: true, wrap: true },
          ],
        },
      },
    ],
  });
});

test('Discord gets an embed that mentions no one', () => {
  expect(bodyOf('discord', { facts: { account: 'acme', percent: 100 } })).toEqual({
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: "Account acme has reached 80 % of today's budget.",
        color: 0xd9_2d_20,
        timestamp: '2026-11-16T09:30:00.000Z',
        fields: [
          { name: 'account', value: 'acme', inline: true },
          { name: 'percent', value: '100', inline: true },
        ],
        footer: { text: 'Trivium · budget.reached' },
      },
    ],
  });
});

test('mail has a subject of one line', () => {
  expect(bodyOf('mail', { title: 'Two\r\nBcc: lines', facts: { expiresAt: '2026-12-01T00:00:00.000Z' } })).toEqual({
    subject: '[Trivium] Two Bcc: lines',
    text: 'Two\r\nBcc: lines\n\nexpires at: 2026-12-01T00:00:00.000Z\n\nbudget.reached, 2026-11-16T09:30:00.000Z',
  });
});

test('a name cannot notify a channel or create a link', () => {
  const facts = { name: '<!channel> <https://evil.example|click> & [click](https://evil.example)' };
  const slack = JSON.stringify(bodyOf('slack', { facts }));
  expect(slack).toContain('&lt;!channel&gt; &lt;https://evil.example|click&gt; &amp;');
  expect(slack).not.toMatch(/<[!h]/);
  for (const kind of ['teams', 'discord'] as const)
    expect(JSON.stringify(bodyOf(kind, { facts }))).toContain(String.raw`\\[click\\]\\(https`);
});
