// The configuration after every check: immutable, secrets resolved, keys hashed, all limits filled in. `schema.ts`
// documents each setting.

import type { JsonBounds } from '@trivium/protocol/framing';
import type { LogLevel } from '../kernel/log-level.ts';
import type { DataFacts } from '../models/catalogue/model.ts';
import type { CatalogueOverrides } from '../models/catalogue/schema.ts';
import { type CustomProvider, customProvider } from '../models/providers/custom.ts';
import type { Provider } from '../models/providers/provider.ts';
import type { RateRules } from '../money/limits/rules.ts';
import type { DatedPriceTerms } from '../money/prices/account-terms.ts';
import type { Rights, Role } from '../people/accounts/rights.ts';
import type { StaticKey } from '../people/accounts/static-keys.ts';
import type { CallerIssuer, SignInIssuer } from '../people/identity/issuers.ts';
import type { OperationsData } from './schema-operations.ts';
import type { ClickHouseData } from './schema-stores.ts';
import type { ConfigOrigin } from './settings.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface ProviderSettings extends DataFacts {
  readonly id: string;
  /** The resolved secret. Never log it. */
  readonly credential?: string;
  /** Further credentials of the same host, resolved as well. */
  readonly spareCredentials?: readonly string[];
  /** Replaces the shipped base URL; an own host has it in `own` as well. */
  readonly baseUrl?: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Present if the operator described the host; absent if the id names a shipped one. */
  readonly own?: CustomProvider;
}

interface Limits {
  readonly bodyBytes: number;
  readonly bodyBytesPerSecond: number;
  readonly headerBytes: number;
  readonly headerCount: number;
  readonly jsonDepth: number;
  readonly jsonMembers: number;
  readonly jsonElements: number;
  readonly jsonValues: number;
  /** Absent: as long as the body may be. */
  readonly jsonStringBytes?: number;
  readonly urlLength: number;
  readonly answerBytes: number;
  readonly eventBytes: number;
  readonly connections: number;
  readonly keylessConnections: number;
  readonly pieceCount: number;
  readonly pieceBytes: number;
  readonly wireRatio: number;
  readonly unpackRatio: number;
  readonly pipelined: number;
  readonly turnBytes: number;
  readonly turnEvents: number;
  readonly floodBytes: number;
  readonly floodEvents: number;
  readonly inFlight: number;
  readonly inFlightPerKey: number;
  readonly memoryBytes: number;
}

interface Overload {
  readonly lagMs: number;
  readonly heapShare: number;
  readonly residentShare: number;
}

export interface TimeoutSettings {
  readonly headersMs: number;
  readonly bodyGraceMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly silenceMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly holdMs: number;
  readonly classes: Readonly<Record<'fast' | 'standard' | 'reasoning' | 'media', ClassWaits>>;
  readonly drainNoticeMs: number;
  readonly drainMs: number;
  readonly keepAliveToCallerMs: number;
  readonly slowReaderMs: number;
}

/** Absent values are derived from the general timeouts. */
interface ClassWaits {
  readonly firstByteMs?: number;
  readonly silenceMs?: number;
  readonly idleMs?: number;
  readonly totalMs?: number;
}

interface RetrySettings {
  readonly maxAttempts: number;
  readonly budgetPercent: number;
  readonly budgetSaved: number;
  readonly failoverReserve: number;
  readonly backoffMs: number;
  readonly maxWaitMs: number;
}

interface HealthSettings {
  readonly failures: number;
  readonly stalls: number;
  readonly outMs: number;
  readonly maxOutMs: number;
}

export interface UpstreamSettings {
  readonly proxy?: string;
  /** PEM texts, in addition to the certificates the runtime trusts. */
  readonly ca: readonly string[];
  readonly connectionsPerOrigin: number;
  readonly allowInsecure: boolean;
}

interface FetchSettings {
  readonly schemes: readonly string[];
  readonly ports: readonly number[];
  readonly alsoAddresses: readonly string[];
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly maxAtOnce: number;
  readonly timeoutMs: number;
}

interface SealMemorySettings {
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly ttlMs: number;
}

interface IdempotencySettings {
  readonly maxAnswerBytes: number;
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly ttlMs: number;
  readonly waitMs: number;
}

export interface BlobSettings {
  readonly folder: string;
  readonly maxBytes: number;
  readonly mount: string;
  readonly publicOrigin?: string;
  readonly linkMs: number;
  readonly s3?: {
    readonly origin: string;
    /** Empty if the host name contains the bucket. */
    readonly bucketPath: string;
    readonly region: string;
    readonly prefix: string;
    readonly accessKeyId: string;
    /** Never log it, nor the token. */
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

interface WebhookSettings {
  readonly schemes: readonly string[];
  readonly ports: readonly number[];
  readonly alsoAddresses: readonly string[];
  readonly timeoutMs: number;
  readonly lookEveryMs: number;
  readonly maxAtOnce: number;
}

export interface TraceConfig {
  readonly endpoint: string;
  /** May contain a credential. Never log them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampleRatio: number;
  readonly propagate: boolean;
  readonly baggageTo: readonly string[];
  readonly maxQueuedSpans: number;
  readonly batchMs: number;
  readonly timeoutMs: number;
}

export interface AlertConfig {
  readonly enabled: boolean;
  readonly checkEveryMs: number;
  readonly budgetPercents: readonly number[];
  readonly keyExpiryDays: readonly number[];
  readonly spendAnomaly: { readonly factor: number; readonly minUsd: number };
  readonly keepDays: number;
  readonly smtp?: {
    readonly host: string;
    readonly port: number;
    readonly security: 'tls' | 'starttls' | 'none';
    readonly user?: string;
    /** Never log it. */
    readonly password?: string;
    readonly from: string;
  };
}

/** Percentages with up to four decimals; accounts by id, without a prototype. */
export type PriceTerms = DatedPriceTerms;

export interface DatabaseSettings {
  /** May contain a password. Never log it. */
  readonly url: string;
  readonly directUrl: string;
  readonly maxConnections: number;
  readonly connectMs: number;
  readonly statementMs: number;
  readonly keyGraceMs: number;
  readonly migrate: boolean;
}

export interface RedisSettings {
  /** May contain a password. Never log it. */
  readonly url: string;
}

/** With the URL resolved, which may contain a password. Never log it. */
export type ClickHouseConfig = ClickHouseData;

export const GENAI_FINISH_REASONS = ['auto', 'bare', 'prefixed'] as const;
type GenaiFinishReason = (typeof GENAI_FINISH_REASONS)[number];

/** Upper bounds of the keys that members of a role create for themselves. */
export type RoleKeys = Rights & { readonly maxDays?: number; readonly maxKeys?: number };

export interface SignInSettings {
  readonly issuers: readonly SignInIssuer[];
  readonly keys: Readonly<Partial<Record<Role, RoleKeys>>>;
}

export interface Config {
  readonly listen: Address & { readonly trustedProxies: readonly string[] };
  readonly admin: Address & {
    /** Whether the web console is served. */
    readonly console: boolean;
    /** SHA-256 of the operator's secret, in hex. */
    readonly secretHash?: string;
    readonly publicUrl?: string;
    readonly members?: Address & { readonly publicUrl?: string };
  };
  readonly mounts: {
    readonly chat: readonly string[];
    readonly messages: readonly string[];
    readonly genai: readonly string[];
    readonly short: boolean;
  };
  readonly signIn: SignInSettings;
  readonly keys: readonly StaticKey[];
  readonly callerIssuers: readonly CallerIssuer[];
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly catalogue: CatalogueOverrides;
  readonly prices: PriceTerms;
  readonly rateLimits: RateRules;
  readonly usage: { readonly eventDays: number; readonly sumDays: number };
  /** Short name → model id. Has no prototype, so any caller's string may be looked up in it. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly auto: { readonly models: readonly string[] };
  readonly limits: Limits;
  readonly overload: Overload;
  readonly readiness: { readonly database: boolean };
  readonly warmUp: { readonly enabled: boolean; readonly forMs: number };
  readonly watchdog: {
    readonly enabled: boolean;
    readonly suspendMs: number;
    readonly replaceMs: number;
    readonly busyMs: number;
  };
  readonly timeouts: TimeoutSettings;
  readonly retries: RetrySettings;
  readonly health: HealthSettings;
  readonly hedging: { readonly maxPercent: number };
  readonly cors: { readonly origins: readonly string[] };
  readonly upstream: UpstreamSettings;
  readonly genai: { readonly finishReason: GenaiFinishReason };
  /** Never empty: generated at load if the file has none. */
  readonly seals: { readonly keys: readonly string[]; readonly memory: SealMemorySettings };
  readonly media: { readonly fetch: FetchSettings & { readonly enabled: boolean } };
  readonly blobs: BlobSettings;
  readonly webhooks: WebhookSettings;
  readonly alerts: AlertConfig;
  /** Absent: tracing is off. */
  readonly traces?: TraceConfig;
  readonly idempotency: IdempotencySettings;
  readonly ledger: { readonly journal: string };
  readonly operations: OperationsData;
  /** Absent: nothing is stored. */
  readonly database?: DatabaseSettings;
  readonly redis?: RedisSettings;
  /** Absent: records are in the database alone. */
  readonly clickhouse?: ClickHouseConfig;
  /** They encrypt secrets in the database. Never log them. */
  readonly secrets: { readonly keys: readonly string[] };
  /** Signing secrets of payment providers, by the name the operator gave each. Never log them. */
  readonly payments: ReadonlyMap<string, readonly string[]>;
  readonly explain: { readonly maxRequests: number; readonly ttlMs: number };
  readonly log: { readonly level: LogLevel };
  readonly origin: ConfigOrigin;
}

/** Limits for the JSON body of a caller. */
export const jsonBoundsOf = ({ limits }: Config): JsonBounds => ({
  depth: limits.jsonDepth,
  membersPerObject: limits.jsonMembers,
  elementsPerArray: limits.jsonElements,
  values: limits.jsonValues,
  stringBytes: limits.jsonStringBytes ?? limits.bodyBytes,
});

export const ownProviders = (config: Config): readonly Provider[] =>
  Object.values(config.providers).flatMap((settings) =>
    settings.own === undefined ? [] : [customProvider(settings.own)],
  );
