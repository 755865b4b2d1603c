/** Alerts with all their dependencies; part of the composition root. */

import type { Config } from '../config/config.ts';
import type { ExpiringKey, StaleCredential } from '../control/alerts/alert.ts';
import { AlertWatch } from '../control/alerts/alert-watch.ts';
import type { MailBody } from '../control/alerts/bodies.ts';
import { AlertMessages, type DueAlert } from '../control/alerts/destination-rows.ts';
import { StoredAlerts } from '../control/alerts/rows.ts';
import { WebhookDispatcher } from '../control/webhooks/dispatcher.ts';
import { type Post, postSigned, statusOf } from '../control/webhooks/signed-post.ts';
import { systemClock } from '../kernel/clock.ts';
import type { CredentialState } from '../kernel/upstream.ts';
import type { DriftWatch } from '../models/shapes/drift-watch.ts';
import type { Log } from '../telemetry/log.ts';
import { sendMail } from '../upstream/mailer.ts';
import { operatorPost } from '../upstream/operator-post.ts';
import type { Backing } from './backing.ts';
import { logMissed, vaultOf } from './open-webhooks.ts';

export type OpenAlerts = {
  readonly watch: AlertWatch;
  readonly dispatcher: WebhookDispatcher<DueAlert>;
  close(): Promise<void>;
};

const MAIL_TAKEN = 250;
const JSON_HEADERS = { 'content-type': 'application/json', 'user-agent': 'trivium' };

/** Returns the receiver's status. Mails that a server refuses are retried, like other messages. */
async function deliver(
  { id, kind, body, address }: DueAlert,
  { alerts, webhooks, upstream }: Config,
  signal: AbortSignal,
): Promise<number> {
  if (address === undefined) throw new Error('the address cannot be decrypted with secrets.keys of this node');
  if ('to' in address) {
    if (alerts.smtp === undefined) throw new Error('alerts.smtp is not configured on this node');
    const mail: MailBody = JSON.parse(body);
    await sendMail(alerts.smtp, { ...mail, to: address.to }, id, webhooks.timeoutMs, upstream.ca);
    return MAIL_TAKEN;
  }
  const post: Post = (url, headers, text, until) =>
    operatorPost(url, { headers, body: text, signal: until }, webhooks.timeoutMs, upstream.ca);
  const { url, secret } = address;
  if (kind === 'webhook' && secret !== undefined)
    return postSigned({ id, url, body, secrets: [secret] }, post, systemClock.nowMs(), signal);
  return statusOf(await post(url, JSON_HEADERS, body, signal));
}

const expiringIn = ({ keys }: Config): readonly ExpiringKey[] =>
  keys.flatMap(({ account: accountId, name, expiresAt }) =>
    expiresAt === undefined ? [] : [{ accountId, keyId: name, name, expiresAt: new Date(expiresAt) }],
  );

/** What should have been renewed a minute ago, or read from its store fifteen. */
const RENEWAL_LATE_MS = 60_000;
const LOOKUP_LATE_MS = 15 * 60_000;

type NamedCredential = CredentialState & { readonly name: string };

/** Failures alone are none: another attempt follows. */
export const staleOf = (states: readonly NamedCredential[], nowMs: number): readonly StaleCredential[] =>
  states.flatMap(({ name, failure, issuedAtMs, renewAtMs }) => {
    const isLate =
      renewAtMs === null
        ? nowMs - (issuedAtMs ?? Number.NEGATIVE_INFINITY) >= LOOKUP_LATE_MS
        : nowMs - renewAtMs >= RENEWAL_LATE_MS;
    if (failure === null || !isLate) return [];
    return [{ credential: name, ageMs: issuedAtMs === null ? null : nowMs - issuedAtMs, why: failure }];
  });

export function openAlerts(
  config: () => Config,
  backing: Backing,
  credentials: () => readonly NamedCredential[],
  drift: DriftWatch,
  log: Log,
): OpenAlerts {
  const onTrouble = (error: unknown): void => log.warn('alerts not processed', { problem: String(error) });
  const watch = new AlertWatch(() => config().alerts, {
    rows: new StoredAlerts(backing.store),
    fileKeys: () => expiringIn(config()),
    staleCredentials: () => staleOf(credentials(), systemClock.nowMs()),
    drifts: () => drift.found(),
    nowMs: systemClock.nowMs,
    onTrouble,
  });
  const dispatcher = new WebhookDispatcher<DueAlert>(() => config().webhooks, {
    rows: new AlertMessages(backing.store, vaultOf(config)),
    isNotified: () => backing.isListening,
    send: (message, signal) => deliver(message, config(), signal),
    nowMs: systemClock.nowMs,
    jitter: Math.random,
    onTrouble,
    onMissed: logMissed(log, ({ destinationId }) => ({ destination: destinationId })),
  });
  watch.start();
  dispatcher.start();
  return {
    watch,
    dispatcher,
    close: async () => {
      await watch.stop();
      await dispatcher.stop();
    },
  };
}
