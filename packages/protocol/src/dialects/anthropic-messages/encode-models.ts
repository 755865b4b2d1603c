// Model cards as messages clients read them: `GET /v1/models` with its cursor paging, and one entry of it.

import type { Modality, ModelCard, Pricings } from '../../canonical/model-card.ts';

export interface MessagesModel {
  readonly id: string;
  readonly type: 'model';
  readonly display_name: string;
  /** YYYY-MM-DD */
  readonly created_at: string;
  readonly input_modalities: readonly Modality[];
  readonly output_modalities: readonly Modality[];
  readonly capabilities: { readonly reasoning: boolean };
  readonly context_length: number;
  /** The limits under the names of the protocol's own list; null where a model has none. */
  readonly max_input_tokens: number | null;
  readonly max_tokens: number | null;
  readonly pricings: Pricings;
  /** Names accepted besides the id: the maker's own. */
  readonly aliases?: readonly string[];
}

export interface MessagesModelList {
  readonly data: readonly MessagesModel[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

/** The query parameters as text; absent: everything. */
export interface MessagesModelsQuery {
  readonly limit?: string;
  readonly after_id?: string;
  readonly before_id?: string;
}

export type EncodedMessagesModels =
  | { readonly ok: true; readonly list: MessagesModelList }
  | { readonly ok: false; readonly field: keyof MessagesModelsQuery; readonly message: string };

const MAX_LIMIT = 1000;

const refuse = (field: keyof MessagesModelsQuery, message: string): EncodedMessagesModels => ({
  ok: false,
  field,
  message,
});

export const encodeModel = (card: ModelCard): MessagesModel => ({
  id: card.id,
  type: 'model',
  display_name: card.displayName,
  created_at: card.createdDay,
  input_modalities: card.inputModalities,
  output_modalities: card.outputModalities,
  capabilities: { reasoning: card.reasoning },
  context_length: card.contextLength,
  max_input_tokens: card.contextLength || null,
  max_tokens: card.maxOutputTokens || null,
  pricings: card.pricings,
  ...(card.aliases !== undefined && { aliases: card.aliases }),
});

const listOf = (page: readonly ModelCard[], hasMore: boolean): EncodedMessagesModels => ({
  ok: true,
  list: {
    data: page.map(encodeModel),
    has_more: hasMore,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  },
});

export const encodeModels = (cards: readonly ModelCard[], query: MessagesModelsQuery = {}): EncodedMessagesModels => {
  const limit = query.limit === undefined ? cards.length : Number(query.limit);
  if (query.limit !== undefined && (!/^[0-9]{1,4}$/.test(query.limit) || limit < 1 || limit > MAX_LIMIT))
    return refuse('limit', `limit must be a whole number from 1 to ${MAX_LIMIT}`);
  if (query.after_id !== undefined && query.before_id !== undefined)
    return refuse('before_id', 'before_id and after_id cannot be used together');
  const indexOf = (id: string): number => cards.findIndex((card) => card.id === id);
  if (query.before_id !== undefined) {
    const end = indexOf(query.before_id);
    if (end < 0) return refuse('before_id', 'before_id names no listed model');
    const start = Math.max(0, end - limit);
    return listOf(cards.slice(start, end), start > 0);
  }
  const previous = query.after_id === undefined ? -1 : indexOf(query.after_id);
  if (query.after_id !== undefined && previous < 0) return refuse('after_id', 'after_id names no listed model');
  const start = previous + 1;
  return listOf(cards.slice(start, start + limit), start + limit < cards.length);
};
