// The address of one call: base and path with every variable filled in, or the names of those that are missing.

import type { Offer } from './provider.ts';

const VARIABLE = /\{([a-z]+)\}/g;
const SAFE_VALUE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export interface OfferSettings {
  /** Takes the place of the offer's own base (a proxy, another region, a private deployment). */
  readonly baseUrl?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Variables the operator has to fill in before the offer can be called. */
export const variablesOf = (offer: Offer, settings: OfferSettings = {}): readonly string[] => {
  const template = (settings.baseUrl ?? offer.baseUrl) + offer.path + (offer.streamPath ?? '');
  const names = [...template.matchAll(VARIABLE)].map((match) => match[1] ?? '');
  return [...new Set(names)].filter((name) => name !== 'model');
};

export const missingVariables = (offer: Offer, settings: OfferSettings = {}): readonly string[] =>
  variablesOf(offer, settings).filter((name) => !SAFE_VALUE.test(settings.variables?.[name] ?? ''));

/** Slashes separate path segments in some hosts' model ids; everything else is escaped, so an id cannot leave its place. */
const escapeModel = (model: string): string =>
  model
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/');

export const offerUrl = (
  offer: Offer,
  settings: OfferSettings,
  call: { readonly upstreamModel: string; readonly stream: boolean },
): string => {
  const missing = missingVariables(offer, settings);
  if (missing.length > 0) throw new Error(`no usable value for ${missing.map((name) => `{${name}}`).join(', ')}`);
  const base = (settings.baseUrl ?? offer.baseUrl).replace(/\/+$/, '');
  const path = call.stream ? (offer.streamPath ?? offer.path) : offer.path;
  return `${base}${path}`.replace(VARIABLE, (_whole, name: string) =>
    name === 'model' ? escapeModel(call.upstreamModel) : (settings.variables?.[name] ?? ''),
  );
};
