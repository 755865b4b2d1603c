/** One route of the admin API as data: the listener, the OpenAPI document and the tests of isolation all read it. */
import type { IncomingMessage } from 'node:http';
import type { Static, TSchema } from 'typebox';
import type { Caller } from '../accounts/caller.ts';
import type { AlertSettings } from '../alerts/alert-watch.ts';
import type { ContentStore } from '../capture/content-store.ts';
import type { CaptureRows } from '../capture/ports.ts';
import type { UpstreamError } from '../kernel/record.ts';
import type { OperationStore } from '../operations/ports.ts';
import type { PaymentAdapter } from '../payments/payment.ts';
import type { Vault } from '../secrets/vault.ts';
import type { ConfiguredKey } from '../store/postgres/find-keys.ts';
import type { Store } from '../store/postgres/store.ts';
import type { SpendQuestion } from '../usage/spend-question.ts';
import type { SpendSum } from '../usage/spend-sum.ts';
import type { Actor, Permission } from './actor.ts';
import type { ModelDetail, ShownModel } from './contract-models.ts';
import type { ConfigurationDiff, ShownNode, ShownSetting } from './contract-nodes.ts';
import type { ProviderTarget, ShownProvider } from './contract-providers.ts';
import type { CreditPort } from './credit-port.ts';
import type { PricesPort, UsagePort } from './price-port.ts';
import { AdminProblem } from './problem.ts';
import type { RequestsPort } from './requests-port.ts';

/** What the configuration says of hosts, now. */
export type HostsPort = {
  readonly vault: () => Vault | undefined;
  readonly configured: () => readonly string[];
  readonly isKnown: (id: string) => boolean;
  readonly sourceOf: (id: string) => 'file' | 'database' | 'none';
  /** Why a credential could not be used for a host, without repeating it. */
  readonly problemWith: (id: string, credential: string) => string | undefined;
};

/** Models as the engine has them now. */
export type ModelsPort = {
  /** By id. At the prices of an account; undefined: at list prices. */
  readonly list: (account: string | undefined) => readonly ShownModel[];
  readonly one: (name: string, account: string | undefined) => ModelDetail | undefined;
};

/** The processes that serve, and the configuration of each. */
export type NodesPort = {
  /** By id. */
  readonly list: () => Promise<readonly ShownNode[]>;
  /** Without a name: of this node. Undefined: no such node, or it has not published any. */
  readonly configuration: (node: string | undefined) => Promise<ShownConfiguration | undefined>;
  /** Against another node, or against the file. Undefined: one of them is not known. */
  readonly diff: (node: string | undefined, against: string | undefined) => Promise<ConfigurationDiff | undefined>;
};

type ShownConfiguration = { readonly node: string; readonly hash: string; readonly items: readonly ShownSetting[] };

/** What the process that answers knows of providers from its calls. */
export type TargetsPort = {
  readonly targets: (provider: string) => ProviderTarget[];
  readonly summary: (provider: string) => Omit<ShownProvider, 'id' | 'credential' | 'storedAt' | 'credentials'>;
  /** Credentials of the file beside the first. */
  readonly spares: (provider: string) => number;
  /** How many circuits were open. */
  readonly release: (provider: string, model: string | undefined) => number;
};

/** What a host says to a credential. `none`: there is none, or no way to ask. `unclear`: it answered with neither yes nor no. */
export type CredentialVerdict = {
  readonly verdict: 'works' | 'refused' | 'unclear' | 'unreachable' | 'none';
  readonly status: number | null;
  /** Why not, where it does not work. */
  readonly error: UpstreamError | null;
};

/** Where webhooks may lead, now. */
export type WebhooksPort = {
  /** Why a URL cannot be one; undefined when it may be tried. */
  readonly problemWith: (url: string) => string | undefined;
};

/** How alerts are raised and sent, now. */
type AlertsPort = {
  readonly settings: () => AlertSettings;
  /** Whether a mail server is configured. */
  readonly hasMail: () => boolean;
};

/** Sums from the analytics database, if one has all that is asked for; undefined: the sums of the database are to be read. */
type AnalyticsPort = (question: SpendQuestion, limit: number) => Promise<readonly SpendSum[] | undefined>;

/** Content that was captured of requests. */
export type CapturedPort = Pick<CaptureRows, 'find' | 'rulesAt'> &
  Pick<ContentStore, 'read' | 'erase'> & {
    /** This node takes up the rules that are in force; others do when they hear of them. */
    readonly follow: () => Promise<void>;
    /** Where this node keeps it. */
    readonly storageKind: 'folder' | 's3';
    /** Why some of it may not be readable on every node; undefined: all of it is. */
    readonly storageWarning: () => Promise<string | undefined>;
  };

/** Calls of the data plane from within the process. */
export type PlaygroundPort = {
  readonly isCall: (path: string) => boolean;
  /** Where a call is planned and not made. */
  readonly dryRunPath: string;
  /** The key with this hash, as callers are known by it. */
  readonly known: (hash: string) => Promise<{ readonly isSuspended: boolean; readonly caller: Caller } | undefined>;
  /** Resolves when the answer begins. */
  readonly call: (of: {
    readonly caller: Caller;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly address: string;
    readonly gone: AbortSignal;
  }) => Promise<IncomingMessage>;
};

/** What a gateway without a database has, too. */
export type MemoryPorts = {
  readonly requests: RequestsPort;
  readonly models: ModelsPort;
  readonly nodes: NodesPort;
};

export type AdminPorts = MemoryPorts & {
  readonly store: Store;
  readonly money: CreditPort;
  /** Tells this and all other nodes what to forget. */
  readonly tell: (message: string) => void;
  /** Keys that the configuration names. */
  readonly fileKeys: () => readonly ConfiguredKey[];
  readonly hosts: HostsPort;
  readonly targets: TargetsPort;
  /** Asks the host; without a credential, about the one that is used. */
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
  /** Of the path; empty where it names none. */
  readonly accountId: string;
  /** Where members reach the console. */
  readonly consoleOrigin: string;
  /** Where the actor asks from. */
  readonly address: string;
  /** The actor has hung up, or has the whole answer. */
  readonly gone: AbortSignal;
  readonly id: string;
  readonly body: Body;
  readonly query: Query;
};

/** What a route is without what it does. */
export type RouteShape<B extends TSchema = TSchema, Q extends TSchema = TSchema> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `{account}` and `{id}` stand for ids, `{owner}/{name}` for the id of a model. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  /** `public`: without a credential. */
  readonly permission: Permission | 'public';
  readonly body?: B;
  readonly query?: Q;
  readonly status?: number;
  readonly answer: TSchema;
  /** Of an answer that is no JSON: rows in the form of `answer`, one after another, while they are read. */
  readonly media?: string;
  /** Absent: a few names and lists. */
  readonly maxBodyBytes?: number;
};

type RouteOf<B extends TSchema, Q extends TSchema> = RouteShape<B, Q> & {
  readonly permission: Permission;
  /** It needs no more than `MemoryPorts`. */
  readonly inMemory?: true;
  readonly run: (asked: AdminRequest<Static<B>, Static<Q>>) => Promise<unknown>;
};

export type AdminRoute = RouteOf<TSchema, TSchema>;

/** What a route with `media` gives. Ends when the reader leaves. */
export type StreamedAnswer = {
  readonly chunks: AsyncIterable<string | Uint8Array>;
  /** Absent: that of the route. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Checked here with its own types; run only with what its own schemas have let through. */
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
