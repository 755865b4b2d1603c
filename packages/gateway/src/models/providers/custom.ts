// A host the operator describes in the configuration: any server compatible with a supported wire format.

import {
  chatOffer,
  embeddingsOffer,
  embedOffer,
  generateOffer,
  imagesOffer,
  messagesOffer,
  operationsOffer,
  predictOffer,
  rerankOffer,
  responsesOffer,
  videosOffer,
} from './offers.ts';
import type { Offer, Provider, Quirks } from './provider.ts';
import { HEADER_SIGNERS, type HeaderSignerName, type Signer } from './signers/headers.ts';

export const CUSTOM_DIALECTS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-generate',
  'openai-embeddings',
  'google-embed',
  'cohere-rerank',
  'voyage-rerank',
  'tei-rerank',
  'openai-images',
  'google-predict',
  'google-operations',
  'openai-videos',
] as const;
export type CustomDialect = (typeof CUSTOM_DIALECTS)[number];

const OFFER_FORMS: Readonly<Record<CustomDialect, (place: { baseUrl: string; sign: Signer }) => Offer>> = {
  'openai-chat': chatOffer,
  'openai-responses': responsesOffer,
  'anthropic-messages': messagesOffer,
  'google-generate': generateOffer,
  'openai-embeddings': embeddingsOffer,
  'google-embed': embedOffer,
  'cohere-rerank': rerankOffer,
  'voyage-rerank': rerankOffer,
  'tei-rerank': rerankOffer,
  'openai-images': imagesOffer,
  'google-predict': predictOffer,
  'google-operations': operationsOffer,
  'openai-videos': videosOffer,
};

/** Servers with the one format for text have embeddings, reranking, images and videos at the same base URL in the others. */
const BESIDE: Readonly<Partial<Record<CustomDialect, readonly CustomDialect[]>>> = {
  'openai-chat': ['openai-embeddings', 'cohere-rerank', 'openai-images', 'openai-videos'],
  'openai-responses': ['openai-embeddings', 'cohere-rerank', 'openai-images', 'openai-videos'],
  'google-generate': ['google-embed', 'google-predict', 'google-operations'],
};

export interface CustomProvider {
  readonly id: string;
  readonly displayName?: string;
  readonly dialect: CustomDialect;
  /** Up to, not including, the path the wire format fixes: `http://10.0.0.7:8000/v1` for chat completions. */
  readonly baseUrl: string;
  readonly auth: HeaderSignerName;
  readonly quirks?: Quirks;
}

export const customProvider = (own: CustomProvider): Provider => {
  const place = { baseUrl: own.baseUrl.replace(/\/+$/, ''), sign: HEADER_SIGNERS[own.auth] };
  const offer = OFFER_FORMS[own.dialect](place);
  const beside = BESIDE[own.dialect] ?? [];
  return {
    id: own.id,
    displayName: own.displayName ?? own.id,
    offers: {
      [own.dialect]: own.quirks === undefined ? offer : { ...offer, quirks: { ...offer.quirks, ...own.quirks } },
      ...Object.fromEntries(beside.map((dialect) => [dialect, OFFER_FORMS[dialect](place)])),
    },
  };
};
