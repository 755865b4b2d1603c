// The hosts of a running gateway: the shipped ones plus the operator's own, found by id.

import type { Offer, Provider } from './provider.ts';
import * as shipped from './registry.ts';

export const SHIPPED_PROVIDERS: readonly Provider[] = Object.values(shipped);

export interface ProviderSet {
  readonly all: readonly Provider[];
  readonly ids: ReadonlySet<string>;
  find(id: string): Provider | undefined;
  /** Undefined if there is no such host, or it does not offer that wire format (yet). */
  offer(provider: string, dialect: string): Offer | undefined;
}

/** An operator's host of the same id replaces the shipped one. */
export const providerSet = (own: readonly Provider[] = []): ProviderSet => {
  const byId = new Map([...SHIPPED_PROVIDERS, ...own].map((provider) => [provider.id, provider]));
  return {
    all: [...byId.values()],
    ids: new Set(byId.keys()),
    find: (id) => byId.get(id),
    offer: (provider, dialect) => {
      const offers = byId.get(provider)?.offers;
      return offers !== undefined && Object.hasOwn(offers, dialect) ? offers[dialect] : undefined;
    },
  };
};
