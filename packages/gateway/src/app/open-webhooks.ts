/** Webhooks of accounts with all their dependencies; part of the composition root. */
import { operationName } from '@trivium/protocol/dialects';
import type { Config } from '../config/config.ts';
import { type Attempted, type Delivery, type DueMessage, WebhookDispatcher } from '../control/webhooks/dispatcher.ts';
import type { OperationEnd } from '../control/webhooks/events.ts';
import type { WebhooksPort } from '../control/webhooks/ports.ts';
import { announce, type DueWebhook, StoredMessages } from '../control/webhooks/rows.ts';
import { type Post, postSigned } from '../control/webhooks/signed-post.ts';
import { systemClock } from '../kernel/clock.ts';
import type { VideoOperation } from '../media/operations/operation.ts';
import type { OnOver } from '../media/operations/ports.ts';
import { Vault } from '../people/secrets/vault.ts';
import type { Log } from '../telemetry/log.ts';
import { GuardedClient } from '../upstream/guarded-client.ts';
import type { Backing } from './backing.ts';

/** If a receiver has moved, the account registers its new address. */
const NO_REDIRECTS = 0;

export const webhookClient = ({ webhooks, upstream }: Config): GuardedClient =>
  new GuardedClient({ ...webhooks, maxRedirects: NO_REDIRECTS }, upstream.ca);

export const vaultOf = (config: () => Config) => (): Vault | undefined => {
  const { keys } = config().secrets;
  return keys.length === 0 ? undefined : new Vault(keys);
};

/** The receiver's address is private to its owner and must not be logged. */
export const logMissed =
  <Message extends DueMessage>(log: Log, idOf: (message: Message) => Readonly<Record<string, string>>) =>
  (message: Message, attempted: Attempted, delivery: Delivery): void =>
    log.warn('webhook delivery failed', {
      ...idOf(message),
      delivery: message.id,
      tries: message.tries,
      ...attempted,
      next: typeof delivery === 'object' ? `again in ${Math.round(delivery.againInMs / 1000)} s` : 'none',
    });

export function openWebhooks(config: () => Config, backing: Backing, log: Log): WebhookDispatcher<DueWebhook> {
  const post: Post = (url, headers, body, signal) =>
    webhookClient(config()).ask(url, { method: 'POST', headers, body, signal });
  let isWarned = false;
  const onUnsigned = (): void => {
    if (!isWarned) log.warn('webhook deliveries wait for a node with secrets.keys; this one has none');
    isWarned = true;
  };
  const dispatcher = new WebhookDispatcher<DueWebhook>(() => config().webhooks, {
    rows: new StoredMessages(backing.store, vaultOf(config), onUnsigned),
    isNotified: () => backing.isListening,
    send: (message, signal) => postSigned(message, post, systemClock.nowMs(), signal),
    nowMs: systemClock.nowMs,
    jitter: Math.random,
    onTrouble: (error) => log.warn('webhook deliveries not processed', { problem: String(error) }),
    onMissed: logMissed(log, ({ accountId, webhookId }) => ({ accountId, webhook: webhookId })),
  });
  dispatcher.start();
  return dispatcher;
}

/** Refused operations send no webhook: the caller already got the HTTP error. */
const END_OF: Readonly<Partial<Record<VideoOperation['state'], OperationEnd>>> = {
  done: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
};

function endOf({ state, result }: VideoOperation): OperationEnd | undefined {
  const allHeldBack = result !== undefined && result.clips.length === 0 && result.blocked.length > 0;
  return allHeldBack ? 'blocked' : END_OF[state];
}

export const announcing =
  ({ store }: Backing): OnOver =>
  async (operation) => {
    const end = endOf(operation);
    if (end === undefined) return;
    const { accountId, id, model } = operation;
    const event = { accountId, operation: operationName(model, id), model: operation.modelId, end };
    await store.within(accountId, (db) => announce(db, event, systemClock.nowMs()));
  };

export const webhooksPort = (config: () => Config): WebhooksPort => ({
  problemWith: (url) =>
    webhookClient(config()).admits(url)
      ? undefined
      : `Must be a ${config().webhooks.schemes.join(' or ')} URL without credentials, at a port and an address that may be reached.`,
});
