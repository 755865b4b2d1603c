// Writes docs/reference/webhook-events.md: every event with when it is sent, to whom, and a body made by the code that sends it; with
// --check it only says whether the page is stale. A new event without a line here does not compile.
// Run: node --conditions=trivium-source scripts/docs/generate-webhook-events.ts [--check]

import {
  type Alert,
  alertsOf,
  anomalyAlert,
  auditAlert,
  budgetAlert,
  canaryAlert,
  creditAlert,
  driftAlert,
  errorsAlert,
  expiryAlert,
  latencyAlert,
  providerAlert,
  setBackAlert,
  staleAlert,
} from '../../packages/gateway/src/control/alerts/alert.ts';
import { bodyFor } from '../../packages/gateway/src/control/alerts/bodies.ts';
import {
  ACCOUNT_ALERT_KINDS,
  ALERT_KINDS,
  type AlertKind,
  type OperationEnd,
  type ResponseEnd,
  TEST_EVENT,
} from '../../packages/gateway/src/control/webhooks/events.ts';
import { messageBody, responseBody, testBody } from '../../packages/gateway/src/control/webhooks/message.ts';
import type { RequestRecord } from '../../packages/gateway/src/kernel/record.ts';
import { routeKeyOf } from '../../packages/gateway/src/kernel/route-key.ts';
import { code, writeOrCheck } from './generated-document.ts';

const SCRIPT = 'scripts/docs/generate-webhook-events.ts';
const NOW_MS = Date.parse('2026-11-16T09:30:00Z');
const USD = 1_000_000_000n;

type Described = { readonly when: string; readonly to: string; readonly body: string };

const END_WORDS: Readonly<Record<OperationEnd, string>> = {
  succeeded: 'an operation has ended with a result, and it is charged',
  blocked: 'the provider refused the content; nothing is charged',
  failed: 'an operation has failed or timed out; nothing is charged',
  cancelled: 'an operation was cancelled; nothing is charged',
};

const operationEvent = (end: OperationEnd): Described => ({
  when: END_WORDS[end],
  to: 'webhooks of the account; by default',
  body: messageBody(
    { accountId: 'acme', operation: 'publishers/google/models/veo-3.1/operations/4fJq2', model: 'google/veo-3.1', end },
    NOW_MS,
  ),
});

const RESPONSE_WORDS: Readonly<Record<ResponseEnd, string>> = {
  completed: 'a response made in the background is complete, and it is charged',
  incomplete: 'a response made in the background has ended at a limit or a filter, and it is charged',
  failed: 'a response made in the background has failed',
  cancelled: 'a response made in the background was cancelled; what it used is charged',
};

const responseEvent = (end: ResponseEnd): Described => ({
  when: RESPONSE_WORDS[end],
  to: 'webhooks of the account that choose it',
  body: responseBody('resp_01K9Z3', end, NOW_MS),
});

/** As much of a record as an alert reads. */
const recordWith = (bill: object): RequestRecord =>
  ({
    bill,
    provider: 'groq',
    modelId: 'meta/llama-4-scout',
    receivedAtMs: NOW_MS,
    requestId: '01K9Z3',
    accountId: 'acme',
  }) as unknown as RequestRecord;

const ROUTE = routeKeyOf('groq', 'meta/llama-4-scout', 'a1');

const first = ([alert]: readonly Alert[]): Alert => {
  if (alert === undefined) throw new Error('the sample raises no alert');
  return alert;
};

const PROVIDER_HOUR = {
  provider: 'openai',
  at: new Date(Date.parse('2026-11-16T09:00:00Z')),
  requests: 200,
  failed: 0,
  firstTokenMs: null,
};
const ALERTS: Readonly<Record<AlertKind, { readonly when: string; readonly sample: Alert }>> = {
  'budget.reached': {
    when: 'a threshold of a budget is reached',
    sample: budgetAlert(
      {
        accountId: 'acme',
        scope: 'account',
        span: 'month',
        limitNano: 100n * USD,
        spentNano: 81n * USD,
        startMs: Date.parse('2026-11-01T00:00:00Z'),
      },
      80,
    ),
  },
  'spend.anomaly': {
    when: 'an hour costs far more than any of the week before',
    sample: anomalyAlert({
      accountId: 'acme',
      hour: new Date(Date.parse('2026-11-16T09:00:00Z')),
      costNano: 42n * USD,
      beforeNano: 9n * USD,
    }),
  },
  'key.expiring': {
    when: 'a key expires soon',
    sample: expiryAlert(
      { accountId: 'acme', keyId: 'key_3f', name: 'web-app', expiresAt: new Date(NOW_MS + 5 * 86_400_000) },
      7,
    ),
  },
  'credit.low': {
    when: 'the credit of an account ends soon at its pace; raised where a rule is set',
    sample: creditAlert({ accountId: 'acme', leftNano: 12n * USD, perDayNano: 4n * USD }, NOW_MS),
  },
  'errors.high': {
    when: "too large a share of an hour's requests at a provider fails; raised where a rule is set",
    sample: errorsAlert({ ...PROVIDER_HOUR, failed: 30 }),
  },
  'latency.high': {
    when: 'the first token of a provider takes too long in an hour; raised where a rule is set',
    sample: latencyAlert({ ...PROVIDER_HOUR, firstTokenMs: 6100 }),
  },
  'usage.unpriced': {
    when: 'a provider reports usage that has no price',
    sample: first(alertsOf(recordWith({ cost: { unpriced: ['audio'] } }))),
  },
  'usage.suspect': {
    when: 'a provider reports usage that cannot be true',
    sample: first(alertsOf(recordWith({ cost: { unpriced: [] }, suspect: { why: ['completion'] } }))),
  },
  'provider.out': {
    when: 'a provider is taken out of service for a model',
    sample: providerAlert({ now: 'out', why: 'failures', forMs: 30_000, routeKey: ROUTE }, NOW_MS),
  },
  'provider.back': {
    when: 'a provider is back in service',
    sample: providerAlert({ now: 'back', routeKey: ROUTE }, NOW_MS),
  },
  'provider.drift': {
    when: 'an answer of a provider has something that is not known of its format',
    sample: driftAlert({
      provider: 'openai',
      format: 'openai-chat',
      difference: { kind: 'new word', at: 'answer.choices[].finish_reason', seen: 'paused' },
      skeleton: '{"choices":[{"finish_reason":"paused","index":0}]}',
      sinceMs: NOW_MS,
      compared: 1000,
      seen: 3,
    }),
  },
  'canary.stepped_back': {
    when: 'the canary of a routing policy steps back',
    sample: canaryAlert(
      'gpt-canary',
      'openai/gpt-5.5',
      { rule: 'errorPercent', limit: 10, measured: 26, calls: 50 },
      new Date(NOW_MS),
    ),
  },
  'credential.stale': {
    when: 'a credential cannot be renewed, or not be read from its store',
    sample: staleAlert(
      { credential: 'vault:main/openai#key', ageMs: 900_000, why: 'The store does not answer.' },
      NOW_MS,
    ),
  },
  'ledger.audit_failed': {
    when: 'the hourly audit of the ledger fails',
    sample: auditAlert('acme', 'entries add up to the balance', 'spent 10, entries 11', NOW_MS),
  },
  'ledger.set_back': {
    when: 'a node finds that the database was set back to an earlier copy',
    sample: setBackAlert('node-1', 'heartbeat 41 of node-1.7 was confirmed, and the database has 12', NOW_MS),
  },
};

const isForAccounts = (kind: AlertKind): boolean => (ACCOUNT_ALERT_KINDS as readonly AlertKind[]).includes(kind);

const alertEvent = (kind: AlertKind): Described => {
  const { when, sample } = ALERTS[kind];
  if (sample.kind !== kind) throw new Error(`the sample of ${kind} is of ${sample.kind}`);
  return {
    when,
    to: isForAccounts(kind)
      ? 'destinations of operators; webhooks of the account that choose it'
      : 'destinations of operators',
    body: bodyFor('webhook', { ...sample, id: 'alert_7c', raisedAtMs: NOW_MS }),
  };
};

const EVENTS: ReadonlyMap<string, Described> = new Map([
  ...(Object.keys(END_WORDS) as OperationEnd[]).map((end) => [`operation.${end}`, operationEvent(end)] as const),
  ...(Object.keys(RESPONSE_WORDS) as ResponseEnd[]).map((end) => [`response.${end}`, responseEvent(end)] as const),
  ...ALERT_KINDS.map((kind) => [kind, alertEvent(kind)] as const),
  [
    TEST_EVENT,
    {
      when: 'on request, whatever was chosen',
      to: 'the webhook or destination that is tested',
      body: testBody('wh_8a', NOW_MS),
    },
  ],
]);

const sectionOf = ([event, { when, to, body }]: readonly [string, Described]): string =>
  [
    `## ${event}`,
    '',
    `**When:** ${when}. **To:** ${to}.`,
    '',
    '```json',
    JSON.stringify(JSON.parse(body), null, 2),
    '```',
    '',
  ].join('\n');

const page = (): string => `# Webhook events

Every event that Trivium sends, with its body. Generated by ${code(SCRIPT)}: the bodies are made by the code that sends them.

All are \`POST\` requests signed in the form of Standard Webhooks: [headers, signature, retries](../call/webhooks.md). Accounts choose events with
\`trivium webhooks events\`, operators with \`trivium alerts destinations\`. [When exactly each alert is raised](../operate/alerts.md#what-is-raised).
Members are added, never renamed: ignore those you do not know. \`webhook-id\` is the same for every try of one message.

${[...EVENTS].map(sectionOf).join('\n').trimEnd()}
`;

if (import.meta.main)
  writeOrCheck({
    target: new URL('../../docs/reference/webhook-events.md', import.meta.url),
    script: SCRIPT,
    text: page(),
  });
