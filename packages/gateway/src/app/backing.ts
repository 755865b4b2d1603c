/**
 * Everything a gateway with a database keeps open: connection pools, notifications from other nodes, and the key cache.
 */

import type { Config } from '../config/config.ts';
import { ensureAccounts } from '../control/accounts/rows.ts';
import { TAGS_CHANNEL } from '../control/accounts/tag-rows.ts';
import { keySource, type RightsOfRole } from '../control/keys/rows.ts';
import { MANAGED_CHANNEL } from '../control/managed-settings/rows.ts';
import { POLICIES_CHANNEL } from '../control/policies/rows.ts';
import { PRICES_CHANNEL } from '../control/prices/rows.ts';
import { CREDENTIAL_CHANNEL, credentialIdentity, listCredentials } from '../control/providers/rows.ts';
import { MESSAGES_CHANNEL } from '../control/webhooks/delivery-rows.ts';
import { CAPTURE_CHANNEL } from '../control/wire/rows.ts';
import type { Clock } from '../kernel/clock.ts';
import { KEY_CHANNEL, type ProofRule } from '../people/accounts/key-source.ts';
import { KnownKeys } from '../people/accounts/known-keys.ts';
import { Vault } from '../people/secrets/vault.ts';
import { JOBS_CHANNEL } from '../store/jobs/jobs.ts';
import { openStore } from '../store/open-store.ts';
import { DatabaseEvents, type EventsPorts } from '../store/postgres/events.ts';
import { RELEASE_CHANNEL, type ReleasedCircuits, readRelease } from '../store/postgres/releases.ts';
import { OPERATOR, type Store, type StoreSettings } from '../store/postgres/store.ts';
import { RedisEvents } from '../store/redis/events.ts';
import type { Log } from '../telemetry/log.ts';

const DAY_MS = 86_400_000;

/** How long a proof of sign-in holds, and where to sign in again. */
export function proofRuleOf({ signIn, admin }: Config): ProofRule {
  const origin = admin.members?.publicUrl ?? admin.publicUrl;
  return {
    maxAgeMs: signIn.proofDays === undefined ? undefined : signIn.proofDays * DAY_MS,
    signInUrl: origin === undefined ? undefined : new URL('/console/', origin).href,
  };
}

export type BackingSettings = {
  readonly database: StoreSettings & {
    readonly directUrl: string;
    readonly migrate: boolean;
    readonly keyGraceMs: number;
  };
  readonly redis?: { readonly url: string };
};

/** Notified by the ledger's functions in the database. */
const LEDGER_CHANNEL = 'trivium_ledger';
/** Prefix of messages about a whole account, on the channel of keys. */
const OF_ACCOUNT = 'account:';

export class Backing {
  readonly store: Store;
  readonly keys: KnownKeys;
  /** How long keys of members live without a sign-in. */
  proofRule: ProofRule = {};
  /** Leases of this account are recalled, or its budgets have changed. */
  onRecall: (accountId: string) => void = () => undefined;
  /** The rights of people who are signed in from a program; undefined: none, and such tokens are refused. */
  rightsOfSignedIn: RightsOfRole = () => undefined;
  /** This account's kind may have changed. */
  onAccount: (accountId: string) => void = () => undefined;
  /** An operator closes a provider's circuit breakers. */
  onRelease: (circuits: ReleasedCircuits) => void = () => undefined;
  /** Declared tags may have changed: of this account, or of any. */
  onTags: (accountId?: string) => void = () => undefined;
  /** Managed settings may have changed. */
  onManaged: () => void = () => undefined;
  /** Capture rules may have changed. */
  onCapture: () => void = () => undefined;
  /** A job was sent; the message says when it is due. */
  onJob: (message: string) => void = () => undefined;
  /** A message of a webhook or an alert may be due. */
  onMessages: () => void = () => undefined;
  readonly #events: DatabaseEvents;
  readonly #redis: RedisEvents | undefined;
  readonly #up = new Set<'PostgreSQL' | 'Redis'>();
  readonly #log: Log;
  #onStored: (() => void) | undefined;

  private constructor(store: Store, { database, redis }: BackingSettings, clock: Clock, log: Log) {
    this.store = store;
    this.#log = log;
    this.keys = new KnownKeys({
      source: keySource(
        store,
        () => this.proofRule,
        (role, client) => this.rightsOfSignedIn(role, client),
      ),
      proofRule: () => this.proofRule,
      monotonicMs: clock.monotonicMs,
      graceMs: database.keyGraceMs,
      onTrouble: (error) => log.warn('API key lookup failed', { error }),
    });
    const handlers = new Map([
      [KEY_CHANNEL, (message: string) => this.#onKeyMessage(message)],
      [LEDGER_CHANNEL, (accountId: string) => this.onRecall(accountId)],
      [CREDENTIAL_CHANNEL, () => this.#onStored?.()],
      [PRICES_CHANNEL, () => this.#onStored?.()],
      [POLICIES_CHANNEL, () => this.#onStored?.()],
      [RELEASE_CHANNEL, (message: string) => this.#onReleaseMessage(message)],
      [TAGS_CHANNEL, (accountId: string) => this.onTags(accountId || undefined)],
      [MANAGED_CHANNEL, () => this.onManaged()],
      [CAPTURE_CHANNEL, () => this.onCapture()],
      [MESSAGES_CHANNEL, () => this.onMessages()],
      [JOBS_CHANNEL, (message: string) => this.onJob(message)],
    ]);
    this.#events = new DatabaseEvents(database.directUrl, handlers, {
      ...this.#notificationsFrom('PostgreSQL'),
      onBeat: () => this.keys.noteContact(),
    });
    this.#redis =
      redis === undefined ? undefined : new RedisEvents(redis.url, handlers, this.#notificationsFrom('Redis'));
  }

  static async open(settings: BackingSettings, clock: Clock, log: Log): Promise<Backing> {
    const store = await openStore(settings.database, log);
    const backing = new Backing(store, settings, clock, log);
    await Promise.all([backing.#events.start(), backing.#redis?.start()]);
    return backing;
  }

  /** Creates the accounts that the configuration file names, so that the ledger and usage can reference them. */
  ensureAccounts(ids: readonly string[]): Promise<void> {
    return ensureAccounts(this.store, ids);
  }

  /** Whether notifications of the database arrive. */
  get isListening(): boolean {
    return this.#up.has('PostgreSQL');
  }

  /** Called when a credential, a price, terms or a policy may have changed. At most one listener. */
  onStored(listener: () => void): void {
    this.#onStored = listener;
  }

  /** Credentials that can be decrypted; the others are logged with their provider. */
  async credentials(secrets: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const opened = new Map<string, string>();
    const stored = await this.store.within(OPERATOR, listCredentials);
    const vault = new Vault(secrets);
    for (const row of stored) {
      try {
        opened.set(row.provider, vault.open(credentialIdentity(row.provider), row));
      } catch (error) {
        this.#log.error('stored credential cannot be decrypted', { provider: row.provider, error });
      }
    }
    return opened;
  }

  /** Notifies the other nodes over Redis; PostgreSQL notifies them as well. */
  tell(message: string): void {
    this.keys.forget(message);
    this.#redis?.publish(KEY_CHANNEL, message);
  }

  async close(): Promise<void> {
    await this.#events.close();
    this.#redis?.close();
    await this.store.close();
  }

  #onKeyMessage(message: string): void {
    this.keys.forget(message);
    if (message.startsWith(OF_ACCOUNT)) this.onAccount(message.slice(OF_ACCOUNT.length));
  }

  #onReleaseMessage(message: string): void {
    const circuits = readRelease(message);
    if (circuits !== undefined) this.onRelease(circuits);
  }

  #notificationsFrom(source: 'PostgreSQL' | 'Redis'): EventsPorts {
    return {
      onUp: () => {
        this.#up.add(source);
        // Notifications may have been missed while disconnected.
        this.#onStored?.();
        this.onTags();
        this.onManaged();
        this.onCapture();
        this.onMessages();
        this.keys.nowListening();
      },
      onDown: (error) => {
        if (!this.#up.delete(source)) return;
        this.#log.warn(`${source} notifications lost; cache invalidation degraded`, { problem: error.message });
        if (this.#up.size === 0) this.keys.stoppedListening();
      },
    };
  }
}
