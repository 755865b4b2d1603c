// Model cards as generateContent clients read them: `GET /models` with its page tokens, and one entry of it.

import type { Modality, ModelCard, Pricings } from '../../canonical/model-card.ts';

export interface GenerateModel {
  /** The plain id, without `models/`: clients send it back as the model. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly inputTokenLimit: number;
  readonly outputTokenLimit: number;
  readonly thinking: boolean;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: readonly Modality[];
  readonly pricings: Pricings;
  /** Names accepted besides the id: the maker's own. */
  readonly aliases?: readonly string[];
  /** Only for embedding models; text models do not need it. */
  readonly supportedGenerationMethods?: readonly string[];
}

export interface GenerateModelList {
  readonly models: readonly GenerateModel[];
  readonly nextPageToken?: string;
}

/** The query parameters as text; absent: everything. */
export interface GenerateModelsQuery {
  readonly pageSize?: string;
  readonly pageToken?: string;
}

export type EncodedGenerateModels =
  | { readonly ok: true; readonly list: GenerateModelList }
  | { readonly ok: false; readonly field: keyof GenerateModelsQuery; readonly message: string };

const TOKEN_PREFIX = 'after:';

const refuse = (field: keyof GenerateModelsQuery, message: string): EncodedGenerateModels => ({
  ok: false,
  field,
  message,
});

export const encodeModel = (card: ModelCard): GenerateModel => ({
  name: card.id,
  displayName: card.displayName,
  description: card.description,
  inputTokenLimit: card.contextLength,
  outputTokenLimit: card.maxOutputTokens,
  thinking: card.reasoning,
  inputModalities: card.inputModalities,
  outputModalities: card.outputModalities,
  pricings: card.pricings,
  ...(card.aliases !== undefined && { aliases: card.aliases }),
  ...(card.embedding === true && { supportedGenerationMethods: ['embedContent', 'batchEmbedContents'] }),
});

/** Index of the page's first card, or -1 for an unknown token. Clients request the first page with an empty token. */
const startOf = (cards: readonly ModelCard[], token: string | undefined): number => {
  if (token === undefined || token === '') return 0;
  if (!token.startsWith(TOKEN_PREFIX)) return -1;
  const id = token.slice(TOKEN_PREFIX.length);
  const previous = cards.findIndex((card) => card.id === id);
  return previous < 0 ? -1 : previous + 1;
};

export const encodeModels = (cards: readonly ModelCard[], query: GenerateModelsQuery = {}): EncodedGenerateModels => {
  const { pageSize } = query;
  if (pageSize !== undefined && !/^[0-9]{1,9}$/.test(pageSize))
    return refuse('pageSize', 'pageSize must be a whole number, 0 or more');
  const start = startOf(cards, query.pageToken);
  if (start < 0) return refuse('pageToken', 'pageToken is not one this list gave out');
  // 0 means "not set", as at this format's home.
  const size = Number(pageSize ?? 0) || cards.length;
  const page = cards.slice(start, start + size);
  const last = page.at(-1);
  const list = { models: page.map(encodeModel) };
  if (last === undefined || start + size >= cards.length) return { ok: true, list };
  return { ok: true, list: { ...list, nextPageToken: `${TOKEN_PREFIX}${last.id}` } };
};
