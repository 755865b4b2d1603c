/** What the admin API needs of providers beyond their stored credentials. */
import type { UpstreamError } from '../../kernel/record.ts';
import type { DatabasePorts, VaultPort } from '../api/route.ts';
import type { ProviderSummary, ProviderTarget, ShownCredential } from './contract.ts';

export type ProviderPorts = DatabasePorts & {
  readonly hosts: HostsPort;
  readonly targets: TargetsPort;
  /** Asks the provider; default: about the credential in use. */
  readonly testCredential: (id: string, credential: string | undefined) => Promise<CredentialVerdict>;
};

/** The providers in the current configuration. */
export type HostsPort = VaultPort & {
  readonly configured: () => readonly string[];
  /** Those built in, and those of the configuration. */
  readonly known: () => Iterable<string>;
  readonly isKnown: (id: string) => boolean;
  readonly sourceOf: (id: string) => 'file' | 'database' | 'none';
  /** Why a credential cannot be used for a provider, without repeating it. */
  readonly problemWith: (id: string, credential: string) => string | undefined;
};

/** What this process knows of providers from its calls. */
export type TargetsPort = {
  readonly targets: (provider: string) => ProviderTarget[];
  readonly summary: (provider: string) => ProviderSummary;
  /** Configured credentials, in the order they are tried in; their values are never shown. */
  readonly credentials: (provider: string) => readonly Omit<ShownCredential, 'position' | 'source'>[];
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
