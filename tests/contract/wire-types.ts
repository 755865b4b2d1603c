/**
 * The bodies of each exchange as the makers' own SDKs type them: what the schemas are generated from. The SDKs' parameters and
 * bodies differ in little things, which are set right here: betas and ids that travel as headers, getters that no body holds.
 */
import type { BetaErrorResponse } from '@anthropic-ai/sdk/resources/beta/beta';
import type {
  BetaMessage,
  BetaMessageTokensCount,
  BetaRawMessageStreamEvent,
  MessageCountTokensParams,
  MessageCreateParams,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type {
  Content,
  GenerateContentResponse,
  GenerationConfig,
  ImageConfig,
  SafetySetting,
  Tool,
  ToolConfig,
} from '@google/genai';
import type { SpeechCreateParams } from 'openai/resources/audio/speech';
import type { TranscriptionCreateResponse, TranscriptionStreamEvent } from 'openai/resources/audio/transcriptions';
import type { TranslationCreateResponse } from 'openai/resources/audio/translations';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParams,
} from 'openai/resources/chat/completions';
import type { Completion, CompletionCreateParams } from 'openai/resources/completions';
import type { CreateEmbeddingResponse, EmbeddingCreateParams } from 'openai/resources/embeddings';
import type { ImageGenerateParams, ImageGenStreamEvent, ImagesResponse } from 'openai/resources/images';
import type { ModerationCreateParams, ModerationCreateResponse } from 'openai/resources/moderations';
import type { Response, ResponseCreateParams, ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { ErrorObject } from 'openai/resources/shared';
import type { ImageInputReferenceParam, Video, VideoCreateParams, VideoDeleteResponse } from 'openai/resources/videos';
import type * as voyage from 'voyageai/serialization';
// The package hides what stands on the wire: its own types have other names.
import type { V2RerankRequest } from '../../node_modules/cohere-ai/serialization/resources/v2/client/requests/V2RerankRequest.js';
import type { V2RerankResponse } from '../../node_modules/cohere-ai/serialization/resources/v2/types/V2RerankResponse.js';

interface ChatRequest extends Omit<ChatCompletionCreateParams, 'stream'> {
  stream?: boolean | null;
}
interface ResponsesRequest extends Omit<ResponseCreateParams, 'stream'> {
  stream?: boolean | null;
}
interface ImagesRequest extends Omit<ImageGenerateParams, 'stream'> {
  stream?: boolean | null;
}
interface CompletionsRequest extends Omit<CompletionCreateParams, 'stream'> {
  stream?: boolean | null;
}
/** Without the file, which only a form can hold. */
interface VideosRequest extends Omit<VideoCreateParams, 'input_reference'> {
  input_reference?: ImageInputReferenceParam;
}
/** The SDK reads these members of a page. */
interface VideoList {
  object: 'list';
  data: Video[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}
interface OpenAIErrorAnswer {
  error: ErrorObject;
}
/** The SDK throws it, whatever else the event says. */
interface SoundErrorEvent extends OpenAIErrorAnswer {
  type: 'error';
}

export interface OpenAIWire {
  chatRequest: ChatRequest;
  chatAnswer: ChatCompletion;
  chatEvent: ChatCompletionChunk | OpenAIErrorAnswer;
  chatError: OpenAIErrorAnswer;
  responsesRequest: ResponsesRequest;
  responsesAnswer: Response;
  responsesEvent: ResponseStreamEvent;
  responsesError: OpenAIErrorAnswer;
  embeddingsRequest: EmbeddingCreateParams;
  embeddingsAnswer: CreateEmbeddingResponse;
  embeddingsError: OpenAIErrorAnswer;
  imagesRequest: ImagesRequest;
  imagesAnswer: ImagesResponse;
  imagesEvent: ImageGenStreamEvent | OpenAIErrorAnswer;
  imagesError: OpenAIErrorAnswer;
  speechRequest: SpeechCreateParams;
  speechError: OpenAIErrorAnswer;
  transcriptAnswer: TranscriptionCreateResponse;
  transcriptEvent: TranscriptionStreamEvent | SoundErrorEvent;
  transcriptError: OpenAIErrorAnswer;
  translationAnswer: TranslationCreateResponse;
  translationError: OpenAIErrorAnswer;
  moderationsRequest: ModerationCreateParams;
  moderationsAnswer: ModerationCreateResponse;
  moderationsError: OpenAIErrorAnswer;
  completionsRequest: CompletionsRequest;
  completionsAnswer: Completion;
  completionsEvent: Completion | OpenAIErrorAnswer;
  completionsError: OpenAIErrorAnswer;
  videosRequest: VideosRequest;
  videosAnswer: Video | VideoList;
  videosError: OpenAIErrorAnswer;
  videoAnswer: Video | VideoDeleteResponse;
  videoError: OpenAIErrorAnswer;
  clip: Video;
}

interface MessagesRequest extends Omit<MessageCreateParams, 'betas' | 'stream' | 'user_profile_id' | 'workspace_id'> {
  stream?: boolean;
}
interface CountRequest extends Omit<MessageCountTokensParams, 'betas' | 'user_profile_id' | 'workspace_id'> {}
/** The SDK reads it and hands it to no caller, so it has no type. */
interface Ping {
  type: 'ping';
}

export interface AnthropicWire {
  messagesRequest: MessagesRequest;
  messagesAnswer: BetaMessage;
  messagesEvent: BetaRawMessageStreamEvent | Ping | BetaErrorResponse;
  messagesError: BetaErrorResponse;
  countRequest: CountRequest;
  countAnswer: BetaMessageTokensCount;
  countError: BetaErrorResponse;
}

/** The SDK's own parameters are flat; these are the members of the body that it makes of them. */
interface GenerateRequest {
  contents: Content[];
  systemInstruction?: Content;
  tools?: Tool[];
  toolConfig?: ToolConfig;
  safetySettings?: SafetySetting[];
  generationConfig?: GenerateConfig;
  cachedContent?: string;
  labels?: Record<string, string>;
}
interface GenerateConfig extends GenerationConfig {
  imageConfig?: ImageConfig;
}
interface GenerateAnswer
  extends Pick<
    GenerateContentResponse,
    'candidates' | 'createTime' | 'modelVersion' | 'promptFeedback' | 'responseId' | 'usageMetadata' | 'modelStatus'
  > {}
/** The SDK has no type of it, and reads these members. */
interface GoogleErrorAnswer {
  error: { code: number; message: string; status: string; details: unknown[] };
}

export interface GoogleWire {
  generateRequest: GenerateRequest;
  generateAnswer: GenerateAnswer;
  generateEvent: GenerateAnswer | GoogleErrorAnswer;
  generateError: GoogleErrorAnswer;
}

interface RerankRequest extends V2RerankRequest.Raw {}
interface RerankAnswer extends V2RerankResponse.Raw {}
export interface CohereWire {
  rerankRequest: RerankRequest;
  rerankAnswer: RerankAnswer;
}

interface VoyageRequest extends voyage.RerankRequest.Raw {}
interface VoyageAnswer extends voyage.RerankResponse.Raw {}
export interface VoyageWire {
  voyageRequest: VoyageRequest;
  voyageAnswer: VoyageAnswer;
}
