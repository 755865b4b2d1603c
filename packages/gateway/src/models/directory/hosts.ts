/** The operator's configuration as input for targets: which hosts can be called, and with which credential. */
import { createHash } from 'node:crypto';
import { findAnyDialect, findVideoDialect } from '@trivium/protocol/dialects';
import type { RequestSigner } from '../../kernel/upstream.ts';
import type { DataFacts, Endpoint } from '../catalogue/model.ts';
import type { CatalogueSnapshot } from '../catalogue/snapshot.ts';
import { missingVariables } from '../providers/offer-url.ts';
import type { Offer } from '../providers/provider.ts';
import type { ProviderSet } from '../providers/provider-set.ts';
import { unsigned } from '../providers/signers/headers.ts';
import { isScheme, type Signing, signingWith } from '../providers/signers/schemes.ts';
import { isStoreReference } from '../providers/signers/store-references.ts';

export type HostSettings = DataFacts & {
  readonly credential?: string;
  readonly spareCredentials?: readonly string[];
  readonly baseUrl?: string;
  readonly variables: Readonly<Record<string, string>>;
};

export type DirectorySources = {
  readonly catalogue: CatalogueSnapshot;
  readonly providers: ProviderSet;
  /** Only hosts the operator configured; a host without settings is not called. */
  readonly hosts: Readonly<Record<string, HostSettings>>;
  readonly aliases: Readonly<Record<string, string>>;
  /** The models `trivium/auto` chooses among; empty: there is no such model. */
  readonly auto: readonly string[];
  /** There is a database to store running videos in. */
  readonly videos?: boolean;
  /** Undefined if the credential does not fit the scheme. */
  readonly signerFor: (
    signing: Signing,
    settings: { readonly credential: string; readonly variables: Readonly<Record<string, string>> },
  ) => RequestSigner | undefined;
};

/** Why an endpoint cannot be called. */
export const WHYS_NOT_CALLABLE = [
  'unknown-provider',
  'unknown-format',
  'not-configured',
  'no-credential',
  'missing-settings',
] as const;
export type WhyNotCallable = (typeof WHYS_NOT_CALLABLE)[number];

export function whyNotCallable(
  endpoint: Endpoint,
  { providers, hosts, videos }: DirectorySources,
): WhyNotCallable | undefined {
  const offer = providers.offer(endpoint.provider, endpoint.dialect);
  if (offer === undefined) return providers.ids.has(endpoint.provider) ? 'unknown-format' : 'unknown-provider';
  if (!isBuilt(endpoint, videos === true)) return 'unknown-format';
  const settings = hosts[endpoint.provider];
  if (settings === undefined) return 'not-configured';
  if (settings.credential === undefined && offer.sign !== unsigned && offer.credential !== 'optional')
    return 'no-credential';
  return missingVariables(offer, settings).length === 0 ? undefined : 'missing-settings';
}

export const isCallable = (endpoint: Endpoint, sources: DirectorySources): boolean =>
  whyNotCallable(endpoint, sources) === undefined;

/** Videos outlive the request that submits them, so without a database there are none. */
const isBuilt = ({ dialect }: Endpoint, videos: boolean): boolean =>
  findAnyDialect(dialect) !== undefined || (videos && findVideoDialect(dialect) !== undefined);

/**
 * Fixed headers if they depend on the secret alone; a signer if they depend on the request or the time. Undefined: the
 * credential does not fit.
 */
export function signingOf(
  offer: Offer,
  { credential, variables }: HostSettings,
  { signerFor }: DirectorySources,
): { readonly headers: readonly (readonly string[])[]; readonly signer?: RequestSigner } | undefined {
  if (credential === undefined) return isScheme(offer.sign) ? undefined : { headers: [] };
  const sign = signingWith(offer, credential);
  if (!isScheme(sign) && !isStoreReference(credential)) return { headers: sign(credential) };
  const signer = signerFor(sign, { credential, variables });
  return signer && { headers: [], signer };
}

/** The headers of every call to a host. */
export const fixedHeaders = (offer: Offer, signed: readonly (readonly string[])[]): readonly string[] => [
  'content-type',
  'application/json',
  'accept-encoding',
  'identity',
  ...(offer.headers ?? []).flat(),
  ...signed.flat(),
];

/** Who can open a seal: the account behind a credential at a host. A hash, so that it can be shown. */
export const scopeOf = (provider: string, origin: string, credential = ''): string =>
  createHash('sha256').update(`${provider}\n${origin}\n${credential}`).digest('base64url').slice(0, 16);
