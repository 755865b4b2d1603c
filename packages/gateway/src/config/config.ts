// The configuration after every check: frozen, secrets resolved, keys hashed, all limits filled in. A section is what its
// schema says, except those named here: their own files say how they differ from the file. Never log one: the URLs,
// keys, headers and passwords in it are the secrets themselves.

import type { JsonBounds } from '@trivium/protocol/framing';
import type { CatalogueOverrides } from '../models/catalogue/schema.ts';
import { customProvider } from '../models/providers/custom.ts';
import type { Provider } from '../models/providers/provider.ts';
import type { RateRules } from '../money/limits/rules.ts';
import type { DatedPriceTerms } from '../money/prices/account-terms.ts';
import type { StaticKey } from '../people/accounts/static-keys.ts';
import type { CallerIssuer } from '../people/identity/issuers.ts';
import type { ConfigData } from './schema.ts';
import type { BlobSettings } from './sections/blobs.ts';
import type { buildAdmin } from './sections/listeners.ts';
import type { PassthroughSettings } from './sections/passthrough.ts';
import type { SignInSettings } from './sections/people.ts';
import type { ProviderSettings } from './sections/providers.ts';
import type { SecretStoreSettings } from './sections/secret-stores.ts';
import type { DatabaseSettings } from './sections/stores.ts';
import type { buildUpstream } from './sections/upstream.ts';
import type { ConfigOrigin } from './settings.ts';

export type { ProviderSettings } from './sections/providers.ts';
export type { DatabaseSettings } from './sections/stores.ts';

type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

interface BuiltSections {
  readonly admin: Frozen<ReturnType<typeof buildAdmin>>;
  readonly signIn: SignInSettings;
  readonly keys: readonly StaticKey[];
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** `models` and `catalogue` of the file. */
  readonly catalogue: CatalogueOverrides;
  readonly passthrough: PassthroughSettings;
  readonly prices: DatedPriceTerms;
  /** With the rules of the database: kinds it has rules for, and kinds it switches off. */
  readonly alerts: Frozen<ConfigData['alerts']> & {
    readonly stored?: readonly string[];
    readonly disabled?: readonly string[];
  };
  readonly rateLimits: RateRules;
  readonly limits: Frozen<ConfigData['limits']> & { readonly memoryBytes: number };
  readonly upstream: Frozen<ReturnType<typeof buildUpstream>>;
  readonly blobs: Frozen<BlobSettings>;
  readonly secretStores: Readonly<Record<string, Frozen<SecretStoreSettings>>>;
  /** Absent: nothing is stored. */
  readonly database?: Frozen<DatabaseSettings>;
  /** Signing secrets of payment providers, by the name the operator gave each. */
  readonly payments: ReadonlyMap<string, readonly string[]>;
}

/** `aliases` has no prototype, so any caller's string may be looked up in it. */
export interface Config
  extends BuiltSections,
    Frozen<Omit<ConfigData, keyof BuiltSections | 'models' | 'callerTokens'>> {
  readonly callerIssuers: readonly CallerIssuer[];
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
