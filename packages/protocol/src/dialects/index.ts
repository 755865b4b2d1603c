/** The registered dialects. A new one is one folder and one line here. */
import type { DialectId } from '../canonical/dialect-id.ts';
import { amazonConverse } from './amazon-converse/index.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { arkImages } from './ark-images/index.ts';
import { arkVideo } from './ark-video/index.ts';
import { bedrockRerank } from './bedrock-rerank/index.ts';
import { bflImages } from './bfl-images/index.ts';
import { cohereRerank } from './cohere-rerank/index.ts';
import { dashscopeImages } from './dashscope-images/index.ts';
import { dashscopeVideo } from './dashscope-video/index.ts';
import type { Dialect, HostDialect } from './dialect.ts';
import { falQueue } from './fal-queue/index.ts';
import { falVideo } from './fal-video/index.ts';
import { googleEmbed } from './google-embed/index.ts';
import { googleGenerate } from './google-generate/index.ts';
import { googleImage } from './google-image/index.ts';
import { googleOperations } from './google-operations/index.ts';
import { googlePredict } from './google-predict/index.ts';
import { klingVideo } from './kling-video/index.ts';
import { assemblyaiTranscription } from './makers-sound/assemblyai-sound.ts';
import { cartesiaSpeech, cartesiaTranscription } from './makers-sound/cartesia-sound.ts';
import { deepgramSpeech, deepgramTranscription } from './makers-sound/deepgram-sound.ts';
import { elevenlabsSpeech, elevenlabsTranscription } from './makers-sound/elevenlabs-sound.ts';
import { googleSpeech, googleTranscription } from './makers-sound/google-sound.ts';
import { mistralSpeech, mistralTranscription } from './makers-sound/mistral-sound.ts';
import type {
  AnyDialect,
  CallerDialect,
  EmbedDialect,
  ImageDialect,
  ModerateDialect,
  RerankDialect,
  VideoDialect,
} from './media-dialects.ts';
import { hasCallers } from './media-dialects.ts';
import { minimaxVideo } from './minimax-video/index.ts';
import { openaiCompletions } from './openai-chat/completions.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiEmbeddings } from './openai-embeddings/index.ts';
import { openaiImages } from './openai-images/index.ts';
import { openaiModerations } from './openai-moderations/index.ts';
import { openaiResponses } from './openai-responses/index.ts';
import { openaiSpeech } from './openai-speech/index.ts';
import { openaiTranscription } from './openai-transcription/index.ts';
import { openaiVideos } from './openai-videos/index.ts';
import type { SpeechDialect, TranscriptionDialect } from './sound-dialects.ts';
import { teiRerank } from './tei-rerank/index.ts';
import { voyageRerank } from './voyage-rerank/index.ts';
import { xaiVideo } from './xai-video/index.ts';

export { DistinctCalls, withDistinctCalls } from '../passes/distinct-calls.ts';
export {
  countInputTokens,
  ESTIMATE_MARGIN,
  estimateInputTokens,
  estimateOutputTokens,
  leastInputTokens,
} from '../passes/estimate-tokens.ts';
export { type FittedVideo, fitVideo } from '../passes/fit-video.ts';
export { dims, type RequestedSize } from '../passes/image-dims.ts';
export { newestMedia, withReadableMedia } from '../passes/readable-media.ts';
export { inOrder } from '../passes/sealed-call.ts';
export { restoreAnswer, type ToolNames, ToolRestorer } from '../passes/tool-names.ts';
export type { ConverseQuirks, FamilyRules, ModelFamily } from './amazon-converse/quirks.ts';
export { COMMON_MESSAGES, type MessagesQuirks, messagesQuirks } from './anthropic-messages/quirks.ts';
export { refusedSpendHeaders, spendHeaders, spendReport, uncappedReport } from './anthropic-messages/spend.ts';
export { firstMisfit, type SchemaError } from './checking.ts';
export type { CohereRerankQuirks } from './cohere-rerank/index.ts';
export type { DashscopeImagesQuirks } from './dashscope-images/index.ts';
export type * from './dialect.ts';
export type { QueueQuirks } from './fal-queue/index.ts';
export type { FormFile, FormPart } from './forms.ts';
export type { EmbedQuirks } from './google-embed/index.ts';
export { readsAtResolution } from './google-generate/judge.ts';
export {
  COMMON_GENERATE,
  type GenerateQuirks,
  generateQuirks,
} from './google-generate/quirks.ts';
export {
  type CheckedVideo,
  checkVideo,
  encodeOperation,
  googleOperations,
  type OperationForm,
  operationName,
  parseOperationName,
  videoSpelling,
} from './google-operations/index.ts';
export type * from './host-job.ts';
export { eventsOf } from './images.ts';
export type * from './media-dialects.ts';
export { type AnyDialect, type AnyUnderstanding, type CallerDialect, hasCallers } from './media-dialects.ts';
export { type ChatQuirks, COMMON_CHAT, chatQuirks } from './openai-chat/quirks.ts';
export type { EmbeddingsQuirks } from './openai-embeddings/index.ts';
export type { ImagesQuirks } from './openai-images/quirks.ts';
export { COMMON_RESPONSES, type ResponsesQuirks, responsesQuirks } from './openai-responses/quirks.ts';
export { failedMembers, queuedResponse } from './openai-responses/response-object.ts';
export type { SpeechQuirks } from './openai-speech/quirks.ts';
export type { TranscriptionQuirks } from './openai-transcription/quirks.ts';
export {
  checkOrder,
  checkRemix,
  encodeVideo,
  noVideo,
  type OrderedVideo,
  operationOfVideo,
  orderSpelling,
  pixelsOf,
  type StoredVideo,
  videoId,
} from './openai-videos/index.ts';
export { type AnyLoss, encodeCall, type TranslatedAnswer, translateAnswer } from './pairing.ts';
export { protocolAdapters } from './protocol-adapters.ts';
export type * from './response-options.ts';
export type * from './sound-dialects.ts';
export { refusesSeals, unknownMembersIn } from './upstream-errors.ts';

const built: Readonly<Partial<Record<DialectId, Dialect>>> = {
  'anthropic-messages': anthropicMessages,
  'google-generate': googleGenerate,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
};

/** Formats for text that only callers speak. */
const callersOnly: Readonly<Partial<Record<DialectId, Dialect>>> = { 'openai-completions': openaiCompletions };

/** Formats for text that only hosts speak. */
const hostsOnly: Readonly<Partial<Record<DialectId, HostDialect>>> = { 'amazon-converse': amazonConverse };

const embedding: Readonly<Partial<Record<DialectId, EmbedDialect>>> = {
  'google-embed': googleEmbed,
  'openai-embeddings': openaiEmbeddings,
};

const reranking: Readonly<Partial<Record<DialectId, RerankDialect>>> = {
  'bedrock-rerank': bedrockRerank,
  'cohere-rerank': cohereRerank,
  'tei-rerank': teiRerank,
  'voyage-rerank': voyageRerank,
};

const moderation: Readonly<Partial<Record<DialectId, ModerateDialect>>> = { 'openai-moderations': openaiModerations };

const images: Readonly<Partial<Record<DialectId, ImageDialect>>> = {
  'ark-images': arkImages,
  'bfl-images': bflImages,
  'dashscope-images': dashscopeImages,
  'fal-queue': falQueue,
  'google-image': googleImage,
  'google-predict': googlePredict,
  'openai-images': openaiImages,
};

const speech: Readonly<Partial<Record<DialectId, SpeechDialect>>> = {
  'cartesia-speech': cartesiaSpeech,
  'deepgram-speech': deepgramSpeech,
  'elevenlabs-speech': elevenlabsSpeech,
  'google-speech': googleSpeech,
  'mistral-speech': mistralSpeech,
  'openai-speech': openaiSpeech,
};
const transcription: Readonly<Partial<Record<DialectId, TranscriptionDialect>>> = {
  'assemblyai-transcription': assemblyaiTranscription,
  'cartesia-transcription': cartesiaTranscription,
  'deepgram-transcription': deepgramTranscription,
  'elevenlabs-transcription': elevenlabsTranscription,
  'google-transcription': googleTranscription,
  'mistral-transcription': mistralTranscription,
  'openai-transcription': openaiTranscription,
};

/** A new one is one description, one fixture folder and one line here. */
export const videoDialects: readonly VideoDialect[] = [
  googleOperations,
  arkVideo,
  dashscopeVideo,
  falVideo,
  klingVideo,
  minimaxVideo,
  xaiVideo,
  openaiVideos,
];

export const findVideoDialect = (id: DialectId | string): VideoDialect | undefined =>
  videoDialects.find((dialect) => dialect.id === id);

/** For URLs that serve two operations: the image dialect of a host of the first. */
const imagesBeside: Readonly<Partial<Record<string, DialectId>>> = { 'google-generate': 'google-image' };

const byId: ReadonlyMap<string, Dialect> = new Map(Object.entries(built));
const callersById: ReadonlyMap<string, Dialect> = new Map(Object.entries(callersOnly));
const textById: ReadonlyMap<string, HostDialect> = new Map(Object.entries({ ...built, ...hostsOnly }));
const embeddingById: ReadonlyMap<string, EmbedDialect> = new Map(Object.entries(embedding));
const rerankingById: ReadonlyMap<string, RerankDialect> = new Map(Object.entries(reranking));
const moderationById: ReadonlyMap<string, ModerateDialect> = new Map(Object.entries(moderation));
const imagesById: ReadonlyMap<string, ImageDialect> = new Map(Object.entries(images));
const soundById: ReadonlyMap<string, SpeechDialect | TranscriptionDialect> = new Map(
  Object.entries<SpeechDialect | TranscriptionDialect>({ ...speech, ...transcription }),
);

/** Of those that callers speak. */
export const findDialect = (id: string): Dialect | undefined => byId.get(id);
export const findTextDialect = (id: string): HostDialect | undefined => textById.get(id);
export const findEmbedDialect = (id: string): EmbedDialect | undefined => embeddingById.get(id);
export const findRerankDialect = (id: string): RerankDialect | undefined => rerankingById.get(id);
export const findImageDialect = (id: string): ImageDialect | undefined => imagesById.get(id);
export const findImagesBeside = (id: string): ImageDialect | undefined => findImageDialect(imagesBeside[id] ?? '');
export const findAnyDialect = (id: string): AnyDialect | undefined =>
  textById.get(id) ??
  callersById.get(id) ??
  embeddingById.get(id) ??
  rerankingById.get(id) ??
  moderationById.get(id) ??
  imagesById.get(id) ??
  soundById.get(id);

/** Throws for one that callers do not speak. */
export function requireCallerDialect(id: string): CallerDialect {
  const dialect = findAnyDialect(id);
  if (dialect === undefined || !hasCallers(dialect)) throw new Error(`no dialect of callers: ${id}`);
  return dialect;
}

export const builtDialects: readonly string[] = [
  ...textById.keys(),
  ...embeddingById.keys(),
  ...rerankingById.keys(),
  ...moderationById.keys(),
  ...imagesById.keys(),
  ...soundById.keys(),
  ...videoDialects.map(({ id }) => id),
];
