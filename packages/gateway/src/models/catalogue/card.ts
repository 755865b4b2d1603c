// A row of a model list: the description, limits and prices of the endpoint that would be used first.

import type { Modality, ModelCard, OutputModality, PriceItem, PriceKind, Pricings } from '@trivium/protocol/canonical';
import { isOfReader, PRICE_KINDS } from '@trivium/protocol/canonical';
import type { ExactPrices } from '../../kernel/price.ts';
import { displayUsd } from '../../kernel/usd.ts';
import { type Callable, type Endpoint, isWildcard, type Model } from './model.ts';
import type { CatalogueSnapshot } from './snapshot.ts';

/** What this account pays for one unit; unchanged without a discount or markup. */
type EffectivePrice = (picoUsd: bigint, kind: PriceKind) => bigint;

const asListed: EffectivePrice = (picoUsd) => picoUsd;

const pricingsOf = (prices: ExactPrices, effective: EffectivePrice): Pricings => {
  const pricings: Partial<Record<PriceKind, readonly PriceItem[]>> = {};
  for (const kind of PRICE_KINDS) {
    const items = prices[kind];
    if (items === undefined) continue;
    pricings[kind] = items.map((item) => ({
      value: displayUsd(effective(item.picoUsd, kind)),
      unit: item.unit,
      currency: 'USD',
      ...(item.conditions === undefined ? {} : { conditions: item.conditions }),
    }));
  }
  return pricings;
};

/** Model lists have five modalities; speech is audio there, and what is written down is text. */
const shownAs = (modality: OutputModality): readonly Modality[] => {
  if (isOfReader(modality)) return [];
  if (modality === 'speech') return ['audio'];
  return modality === 'transcription' ? ['text'] : [modality];
};

const cardOf = (model: Model, endpoint: Endpoint, effective: EffectivePrice): ModelCard => {
  const { retiring } = model;
  return {
    id: model.id,
    ...(model.aliases.length > 0 && { aliases: model.aliases }),
    displayName: retiring === undefined ? model.displayName : `${model.displayName} (retiring ${retiring})`,
    description:
      retiring === undefined ? model.description : `${model.description} Its vendor retires it on ${retiring}.`,
    createdDay: model.createdDay,
    ownedBy: model.owner,
    inputModalities: endpoint.inputModalities ?? model.inputModalities,
    outputModalities: [...new Set(model.outputModalities.flatMap(shownAs))],
    reasoning: model.reasoning,
    ...(model.embedding !== undefined && { embedding: true }),
    contextLength: endpoint.contextLength ?? model.contextLength ?? 0,
    maxOutputTokens: endpoint.maxOutputTokens ?? model.maxOutputTokens ?? 0,
    ...(retiring === undefined ? {} : { retiring }),
    pricings: pricingsOf(endpoint.prices, effective),
  };
};

/** Undefined if no endpoint of the model can be called now. */
export const modelCard = (model: Model, callable: Callable, effective = asListed): ModelCard | undefined => {
  const first = model.endpoints.find(callable);
  return first === undefined ? undefined : cardOf(model, first, effective);
};

/** The rows of every model list, in catalogue order. */
export const modelCards = (
  snapshot: CatalogueSnapshot,
  callable: Callable,
  effective = asListed,
): readonly ModelCard[] =>
  snapshot.models.flatMap((model) => (isWildcard(model.id) ? [] : (modelCard(model, callable, effective) ?? [])));
