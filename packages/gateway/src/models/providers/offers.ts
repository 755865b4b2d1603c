// The usual form of an offer per wire format: its path and fixed headers, so that a host's file states only its
// differences.

import type {
  ChatQuirks,
  CohereRerankQuirks,
  EmbeddingsQuirks,
  EmbedQuirks,
  GenerateQuirks,
  ImagesQuirks,
  MessagesQuirks,
  ResponsesQuirks,
  SpeechQuirks,
  TranscriptionQuirks,
} from '@trivium/protocol/dialects';
import type { Offer } from './provider.ts';
import type { Signing, SigningScheme } from './signers/schemes.ts';

type Place = Readonly<{ baseUrl: string; sign: Signing; identity?: SigningScheme }>;

export const chatOffer = (place: Place & { readonly quirks?: Partial<ChatQuirks> }): Offer => ({
  ...place,
  path: '/chat/completions',
  actionPaths: { completions: '/completions' },
});

export const responsesOffer = (place: Place & { readonly quirks?: Partial<ResponsesQuirks> }): Offer => ({
  ...place,
  path: '/responses',
});

/** The version is the upstream API's, whatever version the caller named. */
export const messagesOffer = (place: Place & { readonly quirks?: Partial<MessagesQuirks> }): Offer => ({
  ...place,
  path: '/v1/messages',
  headers: [['anthropic-version', '2023-06-01']],
});

/**
 * Hosts of other makers' models, which copied the format without the tools that its home runs or searches. No package
 * says otherwise (LiteLLM 1.109.1 and the AI SDK have no betas or tools for them); a loss is the safe side.
 */
export const likeMessagesOffer = (place: Place): Offer =>
  messagesOffer({ ...place, quirks: { webFetch: false, toolSearch: false } });

export const generateOffer = (place: Place & { readonly quirks?: Partial<GenerateQuirks> }): Offer => ({
  // Google's Gemini API refuses what only Vertex AI has.
  quirks: { cloudFields: false },
  ...place,
  path: '/models/{model}:generateContent',
  streamPath: '/models/{model}:streamGenerateContent?alt=sse',
});

export const embeddingsOffer = (place: Place & { readonly quirks?: Partial<EmbeddingsQuirks> }): Offer => ({
  ...place,
  path: '/embeddings',
});

export const embedOffer = (place: Place & { readonly quirks?: Partial<EmbedQuirks> }): Offer => ({
  ...place,
  path: '/models/{model}:batchEmbedContents',
});

export const rerankOffer = (place: Place & { readonly quirks?: Partial<CohereRerankQuirks> }): Offer => ({
  ...place,
  path: '/rerank',
});

export const moderationsOffer = (place: Place): Offer => ({ ...place, path: '/moderations' });

export const imagesOffer = (place: Place & { readonly quirks?: Partial<ImagesQuirks> }): Offer => ({
  ...place,
  path: '/images/generations',
  actionPaths: { edit: '/images/edits' },
});

export const predictOffer = (place: Place): Offer => ({ ...place, path: '/models/{model}:predict' });

export const operationsOffer = (place: Place): Offer => ({ ...place, path: '/models/{model}:predictLongRunning' });

export const videosOffer = (place: Place): Offer => ({ ...place, path: '/videos' });

export const speechOffer = (place: Place & { readonly quirks?: Partial<SpeechQuirks> }): Offer => ({
  ...place,
  path: '/audio/speech',
});

export const transcriptionOffer = (place: Place & { readonly quirks?: Partial<TranscriptionQuirks> }): Offer => ({
  ...place,
  path: '/audio/transcriptions',
  actionPaths: { translate: '/audio/translations' },
});

/** For hosts whose formats share one base: the version is in the path, so that one `baseUrl` serves them all. */
export const belowV1 = ({ actionPaths = {}, ...offer }: Offer): Offer => ({
  ...offer,
  path: `/v1${offer.path}`,
  actionPaths: Object.fromEntries(Object.entries(actionPaths).map(([action, path]) => [action, `/v1${path}`])),
});
