// Model cards as chat clients read them: `GET /models` and one entry of it.

import type { Modality, ModelCard, Pricings } from '../../canonical/model-card.ts';

export interface ChatModel {
  readonly id: string;
  readonly object: 'model';
  readonly display_name: string;
  /** Unix seconds of the release day at 00:00 UTC. */
  readonly created: number;
  readonly owned_by: string;
  readonly input_modalities: readonly Modality[];
  readonly output_modalities: readonly Modality[];
  readonly capabilities: { readonly reasoning: boolean };
  readonly context_length: number;
  readonly pricings: Pricings;
  /** Names accepted besides the id: the maker's own. */
  readonly aliases?: readonly string[];
}

export interface ChatModelList {
  readonly object: 'list';
  readonly data: readonly ChatModel[];
}

export const encodeModel = (card: ModelCard): ChatModel => ({
  id: card.id,
  object: 'model',
  display_name: card.displayName,
  created: Date.parse(`${card.createdDay}T00:00:00Z`) / 1000,
  owned_by: card.ownedBy,
  input_modalities: card.inputModalities,
  output_modalities: card.outputModalities,
  capabilities: { reasoning: card.reasoning },
  context_length: card.contextLength,
  pricings: card.pricings,
  ...(card.aliases !== undefined && { aliases: card.aliases }),
});

export const encodeModels = (cards: readonly ModelCard[]): ChatModelList => ({
  object: 'list',
  data: cards.map(encodeModel),
});
