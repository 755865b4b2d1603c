/** Messages to accounts with everything they stand on; part of the composition root. */
import { operationName } from '@trivium/protocol/dialects';
import type { WebhooksPort } from '../admin/route.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../kernel/clock.ts';
import type { VideoOperation } from '../operations/operation.ts';
import type { OnOver } from '../operations/ports.ts';
import { Vault } from '../secrets/vault.ts';
import type { Backing } from '../store/postgres/backing.ts';
import { announce, StoredMessages } from '../store/postgres/webhooks.ts';
import type { Log } from '../telemetry/log.ts';
import { GuardedClient } from '../upstream/guarded-client.ts';
import { WebhookDispatcher } from '../webhooks/dispatcher.ts';
import type { OperationEnd } from '../webhooks/message.ts';

/** A receiver that has moved is told to its account, which registers the new address; a message follows nobody. */
const NO_REDIRECTS = 0;

export const webhookClient = ({ webhooks, upstream }: Config): GuardedClient =>
  new GuardedClient({ ...webhooks, maxRedirects: NO_REDIRECTS }, upstream.ca);

export function openWebhooks(config: () => Config, { store }: Backing, log: Log): WebhookDispatcher {
  const vault = (): Vault | undefined => {
    const { keys } = config().secrets;
    return keys.length === 0 ? undefined : new Vault(keys);
  };
  const dispatcher = new WebhookDispatcher(() => config().webhooks, {
    rows: new StoredMessages(store, vault),
    post: (url, headers, body, signal) => webhookClient(config()).ask(url, { method: 'POST', headers, body, signal }),
    nowMs: systemClock.nowMs,
    dice: Math.random,
    onTrouble: (error) => log.warn('webhook deliveries not processed', { problem: String(error) }),
  });
  dispatcher.start();
  return dispatcher;
}

/** Of an operation that was refused nobody is told: its caller was, at once. */
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
