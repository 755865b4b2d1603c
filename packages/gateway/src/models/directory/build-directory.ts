/** Catalogue, hosts and the operator's settings → the models that can be called now, each with prepared targets. */
import { type MediaKind, type ModelCard, readsAlone } from '@trivium/protocol/canonical';
import { findAnyDialect, findImagesBeside, type ModelFacts } from '@trivium/protocol/dialects';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { routeKeyOf } from '../../kernel/route-key.ts';
import {
  type Directory,
  type DirectoryEntry,
  isServed,
  jobOf,
  type ModelClass,
  type Target,
} from '../../kernel/target.ts';
import { priceAfterTerms } from '../../kernel/usd.ts';
import { modelCards } from '../catalogue/card.ts';
import { type Endpoint, isWildcard, type Model } from '../catalogue/model.ts';
import { basePathOf, offerUrl } from '../providers/offer-url.ts';
import type { Offer } from '../providers/provider.ts';
import { absenceOf } from './absence.ts';
import { AUTO_MODEL, autoCard, autoEntry } from './auto-model.ts';
import { type DirectorySources, fixedHeaders, type HostSettings, isCallable, scopeOf, signingOf } from './hosts.ts';
import { rateCardOf } from './rate-card.ts';
import { routeFacts } from './route-facts.ts';
import { unlistedModels } from './unlisted-models.ts';
import { videoRoutesOf } from './video-routes.ts';

export type { DirectorySources } from './hosts.ts';

export function buildDirectory(sources: DirectorySources): Directory {
  const { catalogue, aliases } = sources;
  const shapes = new Map<string, number>();
  const entryOf = (model: Model): DirectoryEntry => ({
    id: model.id,
    outputModalities: new Set(model.outputModalities),
    ...targetsOf(model, sources, shapes),
    ...videoRoutesOf(model, sources),
    ...(model.capabilities.promptCache !== 'none' && { promptCache: model.capabilities.promptCache }),
  });
  const entries = new Map<string, DirectoryEntry>(
    catalogue.models.filter(({ id }) => !isWildcard(id)).map((model) => [model.id, entryOf(model)]),
  );
  const idOf = (name: string): string => {
    const meant = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
    return catalogue.find(meant)?.id ?? meant;
  };
  const unlisted = unlistedModels(catalogue, sources.hosts, entryOf);
  const autoIds = [...new Set(sources.auto.map(idOf))];
  const auto = autoEntry(autoIds.flatMap((id) => entries.get(id) ?? []));
  if (auto !== undefined && !entries.has(AUTO_MODEL)) entries.set(AUTO_MODEL, auto);
  const cards = cardsByTerms(sources, auto === undefined ? [] : autoIds);
  return {
    find: (name) => {
      const id = idOf(name);
      return entries.get(id) ?? unlisted(id);
    },
    absence: absenceOf(catalogue, entries, idOf),
    hosts: new Set(Object.keys(sources.hosts)),
    modelIds: [...entries.values()].filter(isServed).map(({ id }) => id),
    cards: (factorPpm) => cards(factorPpm).list,
    card: (name, factorPpm) => cards(factorPpm).byId.get(idOf(name)),
  };
}

type Cards = { readonly list: readonly ModelCard[]; readonly byId: ReadonlyMap<string, ModelCard> };

/** Few accounts have discounts or markups, and fewer differ: lists are built on first use, and cached. */
const MAX_LISTS = 64;

function cardsByTerms(sources: DirectorySources, autoIds: readonly string[]): (factorPpm: number) => Cards {
  const made = new BoundedMap<number, Cards>(MAX_LISTS);
  const make = (factorPpm: number): Cards => {
    const list = modelCards(
      sources.catalogue,
      (endpoint) => isCallable(endpoint, sources),
      (picoUsd) => priceAfterTerms(picoUsd, factorPpm),
    );
    const byId = new Map<string, ModelCard>(list.map((card) => [card.id, card]));
    const ofAuto = autoCard(autoIds.flatMap((id) => byId.get(id) ?? []));
    if (ofAuto !== undefined && !byId.has(AUTO_MODEL)) byId.set(AUTO_MODEL, ofAuto);
    return { list: [...byId.values()], byId };
  };
  return (factorPpm) => made.getOrInsertComputed(factorPpm, make);
}

/**
 * A model that produces text and images has a separate format for each; one that produces only one of them uses the
 * endpoint's.
 */
function targetsOf(
  model: Model,
  sources: DirectorySources,
  shapes: Map<string, number>,
): Pick<DirectoryEntry, 'targets' | 'imageTargets'> {
  const made = model.endpoints.flatMap((endpoint) => targetWithSpares(model, endpoint, sources, shapes) ?? []);
  const gives = (modality: 'text' | 'image'): boolean => model.outputModalities.includes(modality);
  if (!gives('text') || !gives('image')) return { targets: made };
  return {
    targets: made.filter(({ dialect }) => dialect.operation !== 'image'),
    imageTargets: made.flatMap((target) => forImages(target) ?? []),
  };
}

function forImages(target: Target): Target | undefined {
  if (target.dialect.operation === 'image') return target;
  const dialect = findImagesBeside(target.dialect.id);
  if (dialect === undefined) return undefined;
  const beside = (one: Target): Target => ({
    ...one,
    dialect,
    facts: { ...one.facts, quirks: dialect.quirks(one.facts.quirks) },
    ...(one.spares !== undefined && { spares: one.spares.map(beside) }),
  });
  return beside(target);
}

function actionPathsOf(offer: Offer, settings: HostSettings, upstreamModel: string): Pick<Target, 'actionPaths'> {
  if (offer.actionPaths === undefined) return {};
  const paths = Object.keys(offer.actionPaths).map((action) => {
    const { pathname, search } = new URL(offerUrl(offer, settings, { upstreamModel, stream: false, action }));
    return [action, pathname + search] as const;
  });
  return { actionPaths: Object.fromEntries(paths) };
}

function targetWithSpares(
  model: Model,
  endpoint: Endpoint,
  sources: DirectorySources,
  shapes: Map<string, number>,
): Target | undefined {
  const { spareCredentials: credentials = [] } = sources.hosts[endpoint.provider] ?? {};
  const target = targetOf(model, endpoint, sources, shapes);
  if (target === undefined || credentials.length === 0) return target;
  const spares = credentials.flatMap((secret, index) => {
    const spare = targetOf(model, endpoint, sources, shapes, secret);
    return spare === undefined ? [] : [{ ...spare, credential: index + 2 }];
  });
  return { ...target, spares };
}

function targetOf(
  model: Model,
  endpoint: Endpoint,
  sources: DirectorySources,
  shapes: Map<string, number>,
  spareCredential?: string,
): Target | undefined {
  const offer = sources.providers.offer(endpoint.provider, endpoint.dialect);
  const dialect = findAnyDialect(endpoint.dialect);
  const host = sources.hosts[endpoint.provider];
  if (offer === undefined || dialect === undefined || host === undefined || !isCallable(endpoint, sources))
    return undefined;
  const settings = spareCredential === undefined ? host : { ...host, credential: spareCredential };
  const { upstreamModel } = endpoint;
  const url = new URL(offerUrl(offer, settings, { upstreamModel, stream: false }));
  const streamUrl = new URL(offerUrl(offer, settings, { upstreamModel, stream: true }));
  const signing = signingOf(offer, settings, sources);
  if (signing === undefined) return undefined;
  const { headers: signed, signer } = signing;
  const facts = factsOf(model, endpoint);
  const quirks = dialect.quirks(offer.quirks ?? {});
  const scope = scopeOf(endpoint.provider, url.origin, settings.credential);
  return {
    provider: endpoint.provider,
    routeKey: routeKeyOf(endpoint.provider, model.id, scope),
    ...(settings.credential !== undefined && { credential: 1 }),
    dialect,
    modelId: model.id,
    origin: url.origin,
    path: url.pathname + url.search,
    streamPath: streamUrl.pathname + streamUrl.search,
    ...actionPathsOf(offer, settings, upstreamModel),
    ...(jobOf(dialect) && { basePath: basePathOf(offer, settings) }),
    headers: fixedHeaders(offer, signed),
    ...(signer !== undefined && { signer }),
    facts: {
      upstreamModel,
      model: facts,
      quirks,
      sealOwner: {
        dialect: dialect.id,
        family: familyOf(model, endpoint, sources),
        scope,
      },
    },
    inputModalities: new Set(endpoint.inputModalities ?? model.inputModalities),
    card: rateCardOf(endpoint, model.outputModalities),
    route: routeFacts(model, endpoint, sources.providers.find(endpoint.provider)?.home === true, host),
    // What is read does not matter here: either all targets of a request read its media, or all of them lose some.
    shape: numberOf(JSON.stringify([dialect.id, quirks, { ...facts, reads: undefined }]), shapes),
    modelClass: classOf(model),
  };
}

/** The same text always has the same number. */
function numberOf(text: string, known: Map<string, number>): number {
  const number = known.get(text) ?? known.size;
  known.set(text, number);
  return number;
}

/**
 * Which servers can open the seals of this target. At its maker a model has the maker's plain name, which raw seals
 * from callers belong to; seals of another host for the same model are that host's own.
 */
function familyOf({ owner }: Model, { provider }: Endpoint, { providers }: DirectorySources): string {
  const family = providers.find(owner)?.sealFamily ?? owner;
  return providers.find(provider)?.home === true && provider === owner ? family : `${family}@${provider}`;
}

/** The class of a model, which decides its timeouts. */
function classOf({ outputModalities, capabilities }: Model): ModelClass {
  if (readsAlone(outputModalities)) return 'fast';
  if (outputModalities.some((modality) => modality !== 'text')) return 'media';
  return capabilities.thinking.kind === 'none' ? 'standard' : 'reasoning';
}

const MEDIA_KINDS: readonly MediaKind[] = ['image', 'audio', 'video', 'document'];

const readBy = (modalities: readonly string[]): readonly MediaKind[] =>
  MEDIA_KINDS.filter((kind) => modalities.includes(kind === 'document' ? 'file' : kind));

const halfOf = (tokens: number): number => Math.ceil(tokens / 2);

/** Whether sound is counted in tokens, which only some forms of an answer state. */
function soundBy({ prices }: Endpoint): Pick<ModelFacts, 'soundBy'> {
  const unit = prices.audio?.[0]?.unit;
  if (unit === undefined) return {};
  return { soundBy: unit === 'perMTokens' ? 'tokens' : 'pieces' };
}

function factsOf(model: Model, endpoint: Endpoint): ModelFacts {
  const { capabilities } = model;
  const maxOutputTokens = endpoint.maxOutputTokens ?? model.maxOutputTokens;
  const context = endpoint.contextLength ?? model.contextLength;
  return {
    maxOutputTokens,
    // The limit of an own model is its whole context unless it is set: hosts that add prompt and cap would refuse it.
    ...(maxOutputTokens !== undefined && maxOutputTokens === context && { usualOutputTokens: halfOf(context) }),
    temperature: capabilities.temperature,
    ...(capabilities.verbosity !== undefined && { verbosity: capabilities.verbosity }),
    tools: capabilities.tools,
    structuredOutput: capabilities.structuredOutput,
    reads: readBy(endpoint.inputModalities ?? model.inputModalities),
    ...(capabilities.tokenizer !== undefined && { tokenizer: capabilities.tokenizer }),
    thinking: {
      kind: capabilities.thinking.kind,
      canDisable: capabilities.thinking.canDisable ?? false,
      levels: capabilities.thinking.levels ?? [],
      ...(capabilities.thinking.min !== undefined && { budgetMin: capabilities.thinking.min }),
      ...(capabilities.thinking.max !== undefined && { budgetMax: capabilities.thinking.max }),
    },
    outputModalities: model.outputModalities,
    ...(capabilities.aspectRatios !== undefined && { aspectRatios: capabilities.aspectRatios }),
    ...(model.embedding !== undefined && { embedding: model.embedding }),
    ...(endpoint.image !== undefined && { image: endpoint.image }),
    ...soundBy(endpoint),
  };
}
