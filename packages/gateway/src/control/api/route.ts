/** One route of the admin API as data, used by the listener, the OpenAPI document and the isolation tests. */
import type { IncomingMessage } from 'node:http';
import type { Static, TSchema } from 'typebox';
import type { Caller } from '../../kernel/caller.ts';
import type { UpstreamError } from '../../kernel/record.ts';
import type { OperationStore } from '../../media/operations/ports.ts';
import type { SpendQuestion } from '../../money/usage/spend-question.ts';
import type { SpendSum } from '../../money/usage/spend-sum.ts';
import type { Vault } from '../../people/secrets/vault.ts';
import type { Store } from '../../store/postgres/store.ts';
import type { AlertSettings } from '../alerts/alert-watch.ts';
import type { ConfiguredKey } from '../keys/find-keys.ts';
import type { ModelDetail, ShownModel } from '../models/contract.ts';
import type { CreditPort } from '../money/credit-port.ts';
import type { PaymentAdapter } from '../money/payment.ts';
import type { ConfigurationDiff, ShownNode, ShownSetting } from '../nodes/contract.ts';
import type { PricesPort, UsagePort } from '../prices/price-port.ts';
import type { ProviderTarget, ShownProvider } from '../providers/contract.ts';
import type { RequestsPort } from '../requests/requests-port.ts';
import type { ContentStore } from '../wire/content-store.ts';
import type { CaptureRows } from '../wire/ports.ts';
import type { Actor, Permission } from './actor.ts';
import { AdminProblem } from './problem.ts';

/** The providers in the current configuration. */
export type HostsPort = {
  readonly vault: () => Vault | undefined;
  readonly configured: () => readonly string[];
  readonly isKnown: (id: string) => boolean;
  readonly sourceOf: (id: string) => 'file' | 'database' | 'none';
  /** Why a credential cannot be used for a provider, without repeating it. */
  readonly problemWith: (id: string, credential: string) => string | undefined;
};

/** Models as the engine has them now. */
export type ModelsPort = {
  /** By id. At the prices of an account; undefined: at list prices. */
  readonly list: (account: string | undefined) => readonly ShownModel[];
  readonly one: (name: string, account: string | undefined) => ModelDetail | undefined;
};

/** The serving processes, and the configuration of each. */
export type NodesPort = {
  /** By id. */
  readonly list: () => Promise<readonly ShownNode[]>;
  /** Default: this node. Undefined: no such node, or it has not published its configuration. */
  readonly configuration: (node: string | undefined) => Promise<ShownConfiguration | undefined>;
  /** Against another node, or against the file. Undefined: one of them is unknown. */
  readonly diff: (node: string | undefined, against: string | undefined) => Promise<ConfigurationDiff | undefined>;
};

type ShownConfiguration = { readonly node: string; readonly hash: string; readonly items: readonly ShownSetting[] };

/** What this process knows of providers from its calls. */
export type TargetsPort = {
  readonly targets: (provider: string) => ProviderTarget[];
  readonly summary: (provider: string) => Omit<ShownProvider, 'id' | 'credential' | 'storedAt' | 'credentials'>;
  /** Number of configured credentials after the first. */
  readonly spares: (provider: string) => number;
  /** Returns how many circuit breakers were open. */
  readonly release: (provider: string, model: string | undefined) => number;
};

/**
 * A provider's answer to a credential. `none`: there is none, or no way to check it. `unclear`: neither accepted nor
 * rejected.
 */
export type CredentialVerdict = {
  readonly verdict: 'works' | 'refused' | 'unclear' | 'unreachable' | 'none';
  readonly status: number | null;
  /** Why it does not work. */
  readonly error: UpstreamError | null;
};

/** Allowed destinations of webhooks, now. */
export type WebhooksPort = {
  /** Why a URL is not allowed; undefined if it is. */
  readonly problemWith: (url: string) => string | undefined;
};

/** How alerts are raised and sent, now. */
type AlertsPort = {
  readonly settings: () => AlertSettings;
  /** Whether a mail server is configured. */
  readonly hasMail: () => boolean;
};

/** Sums from the analytics database, if it covers the question; undefined: use the sums in PostgreSQL. */
type AnalyticsPort = (question: SpendQuestion, limit: number) => Promise<readonly SpendSum[] | undefined>;

/** Captured content of requests. */
export type CapturedPort = Pick<CaptureRows, 'find' | 'rulesAt'> &
  Pick<ContentStore, 'read' | 'erase'> & {
    /** This node applies the rules in force; other nodes do when they are notified. */
    readonly follow: () => Promise<void>;
    /** Where this node stores content. */
    readonly storageKind: 'folder' | 's3';
    /** Why some content may not be readable on every node; undefined: all of it is. */
    readonly storageWarning: () => Promise<string | undefined>;
  };

/** Data plane calls from within the process. */
export type PlaygroundPort = {
  readonly isCall: (path: string) => boolean;
  /** The path at which a call is planned but not made. */
  readonly dryRunPath: string;
  /** The key with this hash, as a caller. */
  readonly known: (hash: string) => Promise<{ readonly isSuspended: boolean; readonly caller: Caller } | undefined>;
  /** Resolves when the answer starts. */
  readonly call: (of: {
    readonly caller: Caller;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly address: string;
    readonly gone: AbortSignal;
  }) => Promise<IncomingMessage>;
};

/** Available without a database, too. */
export type MemoryPorts = {
  readonly requests: RequestsPort;
  readonly models: ModelsPort;
  readonly nodes: NodesPort;
};

export type AdminPorts = MemoryPorts & {
  readonly store: Store;
  readonly money: CreditPort;
  /** Notifies this and all other nodes which cache entries to drop. */
  readonly tell: (message: string) => void;
  /** Configured keys. */
  readonly fileKeys: () => readonly ConfiguredKey[];
  readonly hosts: HostsPort;
  readonly targets: TargetsPort;
  /** Asks the provider; default: about the credential in use. */
  readonly testCredential: (id: string, credential: string | undefined) => Promise<CredentialVerdict>;
  readonly prices: PricesPort;
  readonly usage: UsagePort;
  readonly analytics: AnalyticsPort;
  readonly captured: CapturedPort;
  /** Undefined for a payment provider that is not configured. */
  readonly payments: (provider: string) => PaymentAdapter | undefined;
  readonly webhooks: WebhooksPort;
  readonly alerts: AlertsPort;
  readonly playground: PlaygroundPort;
  readonly nowMs: () => number;
  /** Targets that this node has out of service. */
  readonly openCircuits: () => readonly string[];
  readonly operations: Pick<OperationStore, 'find' | 'list' | 'move'>;
  /** A signed path of the data plane. */
  readonly linkTo: (blob: { readonly id: string; readonly expiresAtMs: number }) => string;
};

export type AdminRequest<Body, Query> = AdminPorts & {
  readonly actor: Actor;
  /** From the path; empty if it names none. */
  readonly accountId: string;
  /** The URL at which members reach the console. */
  readonly consoleOrigin: string;
  /** The actor's IP address. */
  readonly address: string;
  /** The actor has disconnected, or has the whole answer. */
  readonly gone: AbortSignal;
  /** Rejects once the actor may no longer make this request: for answers that last. */
  readonly requireStillPermitted: () => Promise<void>;
  readonly id: string;
  readonly body: Body;
  readonly query: Query;
};

/** A route without its implementation. */
export type RouteShape<B extends TSchema = TSchema, Q extends TSchema = TSchema> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{account}` and `{id}` are ids, `{owner}/{name}` is the id of a model. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  /** `public`: without a credential. */
  readonly permission: Permission | 'public';
  readonly body?: B;
  readonly query?: Q;
  readonly status?: number;
  readonly answer: TSchema;
  /** Media type of an answer that is not JSON: rows in the form of `answer`, streamed. */
  readonly media?: string;
  /** Default: enough for a few names and lists. */
  readonly maxBodyBytes?: number;
};

type RouteOf<B extends TSchema, Q extends TSchema> = RouteShape<B, Q> & {
  readonly permission: Permission;
  /** It only needs `MemoryPorts`. */
  readonly inMemory?: true;
  readonly run: (asked: AdminRequest<Static<B>, Static<Q>>) => Promise<unknown>;
};

export type AdminRoute = RouteOf<TSchema, TSchema>;

/** The answer of a route with `media`. Ends when the reader disconnects. */
export type StreamedAnswer = {
  readonly chunks: AsyncIterable<string | Uint8Array>;
  /** Default: that of the route. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Type-checked here with its own schemas; called only with input that passed them. */
export const route = <B extends TSchema, Q extends TSchema>(of: RouteOf<B, Q>): AdminRoute =>
  of as unknown as AdminRoute;

export function requireVault({ vault }: HostsPort): Vault {
  const found = vault();
  if (found === undefined)
    throw new AdminProblem('conflict', 'secrets.keys is not configured, so nothing can be encrypted.');
  return found;
}

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;

export const pageSize = (limit: string | undefined): number =>
  limit === undefined ? DEFAULT_PAGE : Math.min(MAX_PAGE, Math.max(1, Number(limit)));

export const pageOf = <Row, Item>(
  rows: readonly Row[],
  limit: number,
  idOf: (row: Row) => string,
  show: (row: Row) => Item,
): { items: Item[]; next: string | null } => {
  const last = rows.at(-1);
  return { items: rows.map(show), next: last !== undefined && rows.length === limit ? idOf(last) : null };
};
