/** Alerts with all their dependencies; part of the composition root. */

import type { Config } from '../config/config.ts';
import type { ExpiringKey } from '../control/alerts/alert.ts';
import { AlertWatch } from '../control/alerts/alert-watch.ts';
import type { MailBody } from '../control/alerts/bodies.ts';
import { AlertMessages, type DueAlert } from '../control/alerts/destination-rows.ts';
import { StoredAlerts } from '../control/alerts/rows.ts';
import { WebhookDispatcher } from '../control/webhooks/dispatcher.ts';
import { type Post, postSigned, statusOf } from '../control/webhooks/signed-post.ts';
import { systemClock } from '../kernel/clock.ts';
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

export function openAlerts(config: () => Config, backing: Backing, log: Log): OpenAlerts {
  const onTrouble = (error: unknown): void => log.warn('alerts not processed', { problem: String(error) });
  const watch = new AlertWatch(() => config().alerts, {
    rows: new StoredAlerts(backing.store),
    fileKeys: () => expiringIn(config()),
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
