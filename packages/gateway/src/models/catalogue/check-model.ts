// Semantic checks of one model: ids, dates, modalities against limits, hosts and wire formats. Turns data into a Model.

import { DIALECT_IDS, readsAlone } from '@trivium/protocol/canonical';
import type { PriceCase } from '../../kernel/price.ts';
import { readPrices } from './check-prices.ts';
import { type Endpoint, isWildcard, type Model } from './model.ts';
import { at, type ReportProblem } from './problem.ts';
import type { EndpointData, ModelData } from './schema.ts';

/** Wire formats of sound end with what they serve: they serve nothing else, and nothing else serves it. */
const servesSound = (dialect: string, kind: 'speech' | 'transcription'): boolean => dialect.endsWith(`-${kind}`);

/** Wire formats an endpoint may name, whether or not this build supports them already. */
const CATALOGUE_DIALECTS: ReadonlySet<string> = new Set([
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-generate',
  'amazon-converse',
  'openai-embeddings',
  'google-embed',
  'cohere-rerank',
  'voyage-rerank',
  'tei-rerank',
  'bedrock-rerank',
  'openai-moderations',
  'openai-images',
  'google-predict',
  'ark-images',
  'bfl-images',
  'dashscope-images',
  'azure-flux-images',
  'fal-queue',
  'google-operations',
  'openai-videos',
  'ark-video',
  'kling-video',
  'minimax-video',
  'dashscope-video',
  'xai-video',
  'fal-video',
  ...DIALECT_IDS.filter((id) => servesSound(id, 'speech') || servesSound(id, 'transcription')),
]);

/** Wire formats of embeddings: they serve nothing else, and nothing else serves embeddings. */
const EMBED_DIALECTS: ReadonlySet<string> = new Set(['openai-embeddings', 'google-embed']);

/** And those of reranking. */
const RERANK_DIALECTS: ReadonlySet<string> = new Set([
  'cohere-rerank',
  'voyage-rerank',
  'tei-rerank',
  'bedrock-rerank',
]);

const MODEL_ID = /^([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)\/([A-Za-z0-9](?:[A-Za-z0-9 ._:@/-]*[A-Za-z0-9])?)$/;

/** A name as makers write it: no owner, no slash. */
const BARE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._:@-]*[A-Za-z0-9])?$/;

export const isName = (text: string): boolean => MODEL_ID.test(text) || BARE_NAME.test(text);

/** `<owner>/*`: every model of that owner which is not listed. Operators' own only. */
const WILDCARD = /^([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)\/\*$/;

const ownerOf = (id: string): string | undefined => (MODEL_ID.exec(id) ?? WILDCARD.exec(id))?.[1];

export const isRealDay = (day: string): boolean => {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
};

export interface ModelRules {
  /** Undefined for operator overrides, which may contain models of any owner. */
  readonly owner?: string;
  readonly asOf?: string;
  readonly checkProvider: (provider: string, place: string) => void;
  readonly report: ReportProblem;
}

export const readEndpoint = (data: EndpointData, place: string, rules: ModelRules): Endpoint => {
  rules.checkProvider(data.provider, at(place, 'provider'));
  if (!CATALOGUE_DIALECTS.has(data.dialect))
    rules.report(at(place, 'dialect'), `"${data.dialect}" is not a known wire format`);
  const { pricings, otherPrices = [], ...rest } = data;
  const isPriced = Object.keys(pricings).length > 0;
  if (data.priceWhen !== undefined) checkCaseDays(data.priceWhen, at(place, 'priceWhen'), rules.report);
  if (data.unpriced === true && isPriced) rules.report(at(place, 'unpriced'), 'contradicts pricings');
  if (rules.asOf !== undefined && !isPriced && data.unpriced !== true)
    rules.report(
      at(place, 'pricings'),
      'has no price; write 0 for a free model, or unpriced: true if the price is not known',
    );
  return {
    ...rest,
    prices: readPrices(pricings, at(place, 'pricings'), rules.report),
    otherPrices: otherPrices.map(({ pricings: own, ...other }, index) => {
      const otherPlace = at(at(place, 'otherPrices'), index);
      if (other.when !== undefined) checkCaseDays(other.when, at(otherPlace, 'when'), rules.report);
      return { ...other, prices: readPrices(own, at(otherPlace, 'pricings'), rules.report) };
    }),
  };
};

export const checkCaseDays = ({ from, until }: PriceCase, place: string, report: ReportProblem): void => {
  if (from !== undefined && !isRealDay(from)) report(at(place, 'from'), 'is not a day of the calendar');
  if (until !== undefined && !isRealDay(until)) report(at(place, 'until'), 'is not a day of the calendar');
  if (from !== undefined && until !== undefined && until <= from) report(at(place, 'until'), 'must lie after from');
};

const checkDays = (data: ModelData, place: string, rules: ModelRules): void => {
  const { report, asOf } = rules;
  if (!isRealDay(data.created)) report(at(place, 'created'), 'is not a day of the calendar');
  else if (asOf !== undefined && data.created > asOf)
    report(at(place, 'created'), `lies after the file's asOf (${asOf})`);
  if (data.retiring === undefined) {
    if (data.retired === true) report(at(place, 'retiring'), 'is missing: a retired model needs the day it ended');
    if (data.successor !== undefined) report(at(place, 'successor'), 'is for models that retire');
    return;
  }
  if (asOf !== undefined && data.retired === true && data.successor === undefined)
    report(at(place, 'successor'), 'is missing: callers of a retired model need to know what to use');
  if (!isRealDay(data.retiring)) report(at(place, 'retiring'), 'is not a day of the calendar');
  else if (data.retiring < data.created) report(at(place, 'retiring'), 'lies before created');
  else if (asOf !== undefined && data.retired === true && data.retiring > asOf)
    report(at(place, 'retiring'), `lies after the file's asOf (${asOf}), yet the model is called retired`);
  else if (asOf !== undefined && data.retired !== true && data.retiring <= asOf)
    report(at(place, 'retiring'), `is not after the file's asOf (${asOf}): mark the model as retired`);
};

const checkLimits = (data: ModelData, place: string, report: ReportProblem): void => {
  const writesText = data.outputModalities.includes('text');
  for (const limit of ['contextLength', 'maxOutputTokens'] as const) {
    if (writesText && data[limit] === undefined) report(at(place, limit), 'is missing: the model writes text');
  }
  if ((data.maxOutputTokens ?? 0) > (data.contextLength ?? Number.POSITIVE_INFINITY))
    report(at(place, 'maxOutputTokens'), 'is larger than contextLength');
  const { thinking } = data.capabilities;
  if (data.reasoning !== (thinking.kind !== 'none'))
    report(at(place, 'reasoning'), `contradicts capabilities.thinking.kind "${thinking.kind}"`);
  if ((thinking.min ?? 0) > (thinking.max ?? Number.POSITIVE_INFINITY))
    report(`${at(place, 'capabilities')}.thinking.min`, 'is larger than max');
};

/** Shipped endpoints that make images must state limits and their source; limits on other models are an error. */
const checkImages = (data: ModelData, place: string, asOf: string | undefined, report: ReportProblem): void => {
  const makesImages = data.outputModalities.includes('image');
  for (const [index, { image }] of data.endpoints.entries()) {
    const own = at(at(at(place, 'endpoints'), index), 'image');
    if (image !== undefined && !makesImages) report(own, 'is for models that make images');
    else if (asOf === undefined) continue;
    else if (makesImages && image === undefined) report(own, 'is missing: the model makes images');
    else if (image !== undefined && image.source === undefined) report(`${own}.source`, 'is missing');
  }
};

const VIDEO_DIALECTS = /-video|^google-operations$/;

/** The same for videos. */
const checkVideos = (data: ModelData, place: string, asOf: string | undefined, report: ReportProblem): void => {
  for (const [index, { video, dialect }] of data.endpoints.entries()) {
    const own = at(at(at(place, 'endpoints'), index), 'video');
    const makesClips = VIDEO_DIALECTS.test(dialect);
    if (video !== undefined && !makesClips) report(own, 'is for wire formats of videos');
    else if (asOf === undefined) continue;
    else if (makesClips && video === undefined) report(own, 'is missing: the endpoint makes videos');
    else if (video !== undefined && video.source === undefined) report(`${own}.source`, 'is missing');
  }
};

const checkEmbedding = (data: ModelData, place: string, report: ReportProblem): void => {
  const makesVectors = data.outputModalities.includes('embedding');
  if (makesVectors && data.outputModalities.length > 1)
    report(at(place, 'outputModalities'), 'must be embedding alone: an embedding model has no other output');
  if (makesVectors !== (data.embedding !== undefined))
    report(at(place, 'embedding'), makesVectors ? 'is missing: the model makes embeddings' : 'is for embedding models');
  for (const [index, { dialect }] of data.endpoints.entries())
    if (EMBED_DIALECTS.has(dialect) !== makesVectors)
      report(`${at(at(place, 'endpoints'), index)}.dialect`, `"${dialect}" does not fit outputModalities`);
};

const checkSound = (data: ModelData, place: string, report: ReportProblem): void => {
  for (const kind of ['speech', 'transcription'] as const) {
    const isIt = data.outputModalities.includes(kind);
    if (isIt && data.outputModalities.length > 1)
      report(at(place, 'outputModalities'), `must be ${kind} alone: such a model has no other output`);
    for (const [index, { dialect, pricings }] of data.endpoints.entries()) {
      const own = at(at(place, 'endpoints'), index);
      if (servesSound(dialect, kind) !== isIt) report(`${own}.dialect`, `"${dialect}" does not fit outputModalities`);
      if (isIt && Object.keys(pricings).length > 0 && pricings.audio === undefined)
        report(`${own}.pricings.audio`, 'is missing: what the model is paid for is sound');
    }
  }
};

const checkReranking = (data: ModelData, place: string, report: ReportProblem): void => {
  const ranks = data.outputModalities.includes('rerank');
  if (ranks && data.outputModalities.length > 1)
    report(at(place, 'outputModalities'), 'must be rerank alone: a model that ranks documents has no other output');
  for (const [index, { dialect, pricings }] of data.endpoints.entries()) {
    const own = at(at(place, 'endpoints'), index);
    if (RERANK_DIALECTS.has(dialect) !== ranks) report(`${own}.dialect`, `"${dialect}" does not fit outputModalities`);
    if (!ranks && pricings.prompt?.some(({ unit }) => unit === 'perCount') === true)
      report(`${own}.pricings.prompt`, 'perCount is the price of a search unit: for models that rank documents');
  }
};

const checkModeration = (data: ModelData, place: string, report: ReportProblem): void => {
  const moderates = data.outputModalities.includes('moderation');
  if (moderates && data.outputModalities.length > 1)
    report(at(place, 'outputModalities'), 'must be moderation alone: such a model has no other output');
  for (const [index, { dialect }] of data.endpoints.entries())
    if ((dialect === 'openai-moderations') !== moderates)
      report(`${at(at(place, 'endpoints'), index)}.dialect`, `"${dialect}" does not fit outputModalities`);
};

/** An operator may leave a model unpriced (it is then for accounts without credit only), but not partly priced. */
const checkEndpoints = (data: ModelData, place: string, asOf: string | undefined, report: ReportProblem): void => {
  const offers = new Set<string>();
  for (const [index, endpoint] of data.endpoints.entries()) {
    const own = at(at(place, 'endpoints'), index);
    const offer = `${endpoint.provider} ${endpoint.dialect}`;
    if (offers.has(offer)) report(own, `is a second endpoint for ${offer}`);
    offers.add(offer);
    const mayLackPrices = asOf === undefined || endpoint.unpriced === true;
    if (mayLackPrices && Object.keys(endpoint.pricings).length === 0) continue;
    if (readsAlone(data.outputModalities) && endpoint.pricings.prompt === undefined)
      report(`${own}.pricings.prompt`, 'is missing: the model reads text');
    if (!data.outputModalities.includes('text')) continue;
    for (const kind of ['prompt', 'completion'] as const) {
      if (endpoint.pricings[kind] === undefined) report(`${own}.pricings.${kind}`, 'is missing: the model writes text');
    }
  }
};

/** A wildcard covers many models, so it has no aliases, and each host receives the name the caller used. */
const checkWildcard = (data: ModelData, place: string, report: ReportProblem): void => {
  if ((data.aliases ?? []).length > 0) report(at(place, 'aliases'), 'is not for a wildcard');
  for (const [index, { upstreamModel }] of data.endpoints.entries())
    if (!upstreamModel.includes('*'))
      report(`${at(at(place, 'endpoints'), index)}.upstreamModel`, 'must hold "*", where the name is put');
};

export interface CheckedModel {
  readonly model: Model;
  readonly retired: boolean;
}

export const readModel = (data: ModelData, place: string, rules: ModelRules): CheckedModel => {
  const { report } = rules;
  const owner = ownerOf(data.id);
  if (owner === undefined || (rules.asOf !== undefined && isWildcard(data.id)))
    report(at(place, 'id'), 'must be <owner>/<name>, in plain characters');
  else if (isWildcard(data.id)) checkWildcard(data, place, report);
  else if (rules.owner !== undefined && owner !== rules.owner)
    report(at(place, 'id'), `belongs to "${owner}", this file to "${rules.owner}"`);
  for (const [index, alias] of (data.aliases ?? []).entries()) {
    if (!isName(alias)) report(at(at(place, 'aliases'), index), 'must be a plain name, or <owner>/<name>');
  }
  checkDays(data, place, rules);
  checkLimits(data, place, report);
  checkEmbedding(data, place, report);
  checkSound(data, place, report);
  checkReranking(data, place, report);
  checkModeration(data, place, report);
  checkImages(data, place, rules.asOf, report);
  checkVideos(data, place, rules.asOf, report);
  checkEndpoints(data, place, rules.asOf, report);
  const { created, createdApprox: _approx, retired = false, aliases = [], endpoints, ...rest } = data;
  const model: Model = {
    ...rest,
    owner: owner ?? '',
    aliases,
    createdDay: created,
    endpoints: endpoints.map((endpoint, index) => readEndpoint(endpoint, at(at(place, 'endpoints'), index), rules)),
  };
  return { model, retired };
};
