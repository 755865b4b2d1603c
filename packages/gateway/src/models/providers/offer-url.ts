// The URL of one call: base and path with every variable filled in, or the names of the missing ones.

import type { Offer } from './provider.ts';
import { variablesOfSigning } from './signers/schemes.ts';

const VARIABLE = /\{([a-z]+)\}/g;
const SAFE_VALUE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export interface OfferSettings {
  /** Replaces the offer's own base (a proxy, another region, a private deployment). */
  readonly baseUrl?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Variables the operator has to fill in before the offer can be called. */
export const variablesOf = (offer: Offer, settings: OfferSettings = {}): readonly string[] => {
  const paths = [offer.path, offer.streamPath ?? '', ...Object.values(offer.actionPaths ?? {})];
  const template = baseOf(offer, settings) + paths.join('');
  const names = [...template.matchAll(VARIABLE)].map((match) => match[1] ?? '');
  return [...new Set([...names, ...variablesOfSigning(offer.sign)])].filter((name) => name !== 'model');
};

const variableValue = (name: string, offer: Offer, { variables }: OfferSettings): string =>
  variables?.[name] ?? offer.defaults?.[name] ?? '';

const baseOf = (offer: Offer, settings: OfferSettings): string =>
  settings.baseUrl ?? offer.baseUrlOfRegion?.[variableValue('region', offer, settings)] ?? offer.baseUrl;

export const missingVariables = (offer: Offer, settings: OfferSettings = {}): readonly string[] =>
  variablesOf(offer, settings).filter((name) => !SAFE_VALUE.test(variableValue(name, offer, settings)));

/**
 * Slashes separate path segments in some hosts' model ids; everything else is escaped, so an id cannot change the rest
 * of the path.
 */
const escapeModel = (model: string, { escapesSlashes }: Offer): string =>
  (escapesSlashes === true ? [model] : model.split('/'))
    // Valid inside a path, and how hosts with versions after an @ spell their own.
    .map((segment) => encodeURIComponent(segment).replaceAll('%40', '@'))
    .join('/');

/** The path of the base alone, below which a host has further paths. */
export const basePathOf = (offer: Offer, settings: OfferSettings): string => {
  const { pathname } = new URL(offerUrl({ ...offer, path: '' }, settings, { upstreamModel: '', stream: false }));
  return pathname === '/' ? '' : pathname;
};

export const offerUrl = (
  offer: Offer,
  settings: OfferSettings,
  call: { readonly upstreamModel: string; readonly stream: boolean; readonly action?: string },
): string => {
  const missing = missingVariables(offer, settings);
  if (missing.length > 0) throw new Error(`no usable value for ${missing.map((name) => `{${name}}`).join(', ')}`);
  const base = baseOf(offer, settings).replace(/\/+$/, '');
  const usual = call.stream ? (offer.streamPath ?? offer.path) : offer.path;
  const path = offer.actionPaths?.[call.action ?? ''] ?? usual;
  return `${base}${path}`.replace(VARIABLE, (_whole, name: string) =>
    name === 'model' ? escapeModel(call.upstreamModel, offer) : variableValue(name, offer, settings),
  );
};

/** A path that ends like this has its list beside it. */
const SIBLINGS = ['/chat/completions', '/responses', '/embeddings', '/rerank', '/images/generations', '/messages'];
const OF_ONE_MODEL = /\/models\/\{model\}:[A-Za-z]+$/;

/** Where a host lists its models: the cheapest request that needs a valid credential. Undefined if no such list is known. */
export const listPathOf = ({ path }: Offer): string | undefined => {
  if (OF_ONE_MODEL.test(path)) return path.replace(OF_ONE_MODEL, '/models');
  const sibling = SIBLINGS.find((end) => path.endsWith(end));
  return sibling === undefined ? undefined : `${path.slice(0, -sibling.length)}/models`;
};
