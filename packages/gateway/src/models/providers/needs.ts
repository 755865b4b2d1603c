// What an operator has to configure before a shipped provider can be called.

import { missingVariables } from './offer-url.ts';
import type { Offer, Provider } from './provider.ts';
import { isScheme } from './signers/schemes.ts';

export interface ProviderNeeds {
  readonly displayName: string;
  readonly needsCredential: boolean;
  /** Names of `variables`; those of the wire format that needs fewest. */
  readonly settings: readonly string[];
}

/** A service account names its project itself. */
const isNamedByCredential = (name: string, { sign }: Offer): boolean =>
  name === 'project' && isScheme(sign) && sign.kind === 'google-oauth';

export function providerNeeds({ displayName, offers }: Provider): ProviderNeeds {
  const all = Object.values(offers);
  const [fewest = []] = all
    .map((offer) => missingVariables(offer).filter((name) => !isNamedByCredential(name, offer)))
    .sort((a, b) => a.length - b.length);
  return { displayName, needsCredential: all.some(({ credential }) => credential !== 'optional'), settings: fewest };
}
