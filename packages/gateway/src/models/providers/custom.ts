// A host the operator describes in the configuration: any server compatible with a supported wire format.

import {
  chatOffer,
  embeddingsOffer,
  embedOffer,
  generateOffer,
  imagesOffer,
  messagesOffer,
  moderationsOffer,
  operationsOffer,
  predictOffer,
  rerankOffer,
  responsesOffer,
  speechOffer,
  transcriptionOffer,
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
  'openai-moderations',
  'openai-images',
  'google-predict',
  'google-operations',
  'openai-videos',
  'openai-speech',
  'openai-transcription',
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
  'openai-moderations': moderationsOffer,
  'openai-images': imagesOffer,
  'google-predict': predictOffer,
  'google-operations': operationsOffer,
  'openai-videos': videosOffer,
  'openai-speech': speechOffer,
  'openai-transcription': transcriptionOffer,
};

/** What servers with OpenAI's formats for text have at the same base URL. */
const BESIDE_OPENAI: readonly CustomDialect[] = [
  'openai-embeddings',
  'cohere-rerank',
  'openai-moderations',
  'openai-images',
  'openai-videos',
  'openai-speech',
  'openai-transcription',
];
const BESIDE: Readonly<Partial<Record<CustomDialect, readonly CustomDialect[]>>> = {
  'openai-chat': BESIDE_OPENAI,
  'openai-responses': BESIDE_OPENAI,
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
