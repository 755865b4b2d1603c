/** The interfaces of wire formats for images, embeddings and videos, and what they share with those for text. */
import type { DialectId } from '../canonical/dialect-id.ts';
import type { EmbedAnswer, EmbedCall, EmbedVector } from '../canonical/embedding.ts';
import type { Fault } from '../canonical/fault.ts';
import type {
  EmbedLoss,
  EmbedSpelling,
  EmbedStances,
  ImageLoss,
  ImageSpelling,
  ImageStances,
  RerankLoss,
  RerankSpelling,
  RerankStances,
  VideoLoss,
  VideoStances,
} from '../canonical/fields.ts';
import { GatewayError } from '../canonical/gateway-error.ts';
import type { ImageAnswer, ImageCall, ImageEvent } from '../canonical/image.ts';
import { isJsonArray, type Json, type JsonObject } from '../canonical/json.ts';
import type { ModerateCall } from '../canonical/moderation.ts';
import type { RerankAnswer, RerankCall } from '../canonical/rerank.ts';
import type { FollowUpRequest, VideoCall, VideoFile, VideoProgress } from '../canonical/video.ts';
import type { VideoLimits } from '../canonical/video-limits.ts';
import { floatsOfBase64 } from '../passes/float32.ts';
import type { Machine } from '../stream/machine.ts';
import type {
  AnswerContext,
  Dialect,
  EncodedAnswer,
  EncodedCall,
  Frame,
  HostDialect,
  ModelFacts,
  Reading,
  RequestHead,
  TargetFacts,
  Understanding,
} from './dialect.ts';
import type { HostJob } from './host-job.ts';
import type {
  SpeechDialect,
  SpeechServerHalf,
  SpeechUnderstanding,
  TranscriptionDialect,
  TranscriptionServerHalf,
  TranscriptionUnderstanding,
} from './sound-dialects.ts';

// Images. Requests are always rebuilt: files, sizes and counts differ at every host, so there is no verbatim lane. Many
// formats are used by hosts only and have no server half.

export type ImageUnderstanding = Understanding<ImageCall, ImageLoss>;

export interface ImageServerHalf {
  /** The dialect this body belongs to, if several dialects share one path; absent or undefined: this one. */
  siblingFor?(body: JsonObject): DialectId | undefined;
  /** Throws a GatewayError with the caller's field name. */
  understand(body: JsonObject, head?: RequestHead): ImageUnderstanding;
  /** Throws a GatewayError `refused` if there is nothing to return. */
  encodeAnswer(answer: ImageAnswer, context: AnswerContext): EncodedAnswer;
  /** Absent if the protocol does not stream images. */
  readonly streaming?: {
    eventEncoder(context: AnswerContext): Machine<ImageEvent, Frame>;
    /** The text that reports a failure in the middle of a stream. Nothing follows it. */
    streamFault(fault: Fault): string;
    /** A keep-alive that clients of this protocol ignore. */
    readonly keepAlive: string;
  };
  readonly spelling: ImageSpelling;
}

export interface ImageClientHalf {
  /** Throws a GatewayError `unsupported` if dropping something would change the image. */
  encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss>;
  decodeAnswer(body: Json, target: TargetFacts): ImageAnswer;
  /** What a mask marks for editing, if not the transparent area; such masks are converted before `encodeCall`. */
  readonly editsWhere?: 'white';
  /** The requested quality reaches the host, which may charge by it. Absent: it never does. */
  takesQuality?(target: TargetFacts): boolean;
  /** An error response that is really an answer: the image is withheld, and `decodeAnswer` can say why. */
  isBlocked?(status: number, body: Json | undefined): boolean;
  /** Absent if hosts of this format do not stream images. */
  readonly streaming?: {
    streams(target: TargetFacts): boolean;
    eventDecoder(target: TargetFacts): Machine<Frame, ImageEvent>;
  };
  readonly job?: HostJob;
  decodeFault(status: number, body: Json | undefined): Fault;
  /** Image calls contain no seals. */
  readonly sealRefusals: readonly [];
}

export interface ImageDialect {
  readonly id: DialectId;
  readonly operation: 'image';
  readonly argumentsAsValues?: never;
  readonly stances: ImageStances;
  quirks(own: object): object;
  readonly server?: ImageServerHalf;
  readonly client: ImageClientHalf;
}

// Embeddings: the two halves of `dialect.ts` without streaming.

export type EmbedUnderstanding = Understanding<EmbedCall, EmbedLoss>;

export interface EmbedDialect {
  readonly id: DialectId;
  readonly operation: 'embed';
  /** Embedding calls have no tool arguments. */
  readonly argumentsAsValues?: never;
  readonly stances: EmbedStances;
  quirks(own: object): object;
  readonly server: {
    /** Throws a GatewayError with the caller's field name. */
    understand(body: JsonObject, head?: RequestHead): EmbedUnderstanding;
    encodeAnswer(answer: EmbedAnswer, context: AnswerContext): EncodedAnswer;
    readonly spelling: EmbedSpelling;
  };
  readonly client: {
    /** Throws a GatewayError `unsupported` if dropping something would change the vectors. */
    encodeCall(call: EmbedCall, target: TargetFacts): EncodedCall<EmbedLoss>;
    decodeAnswer(body: Json, target: TargetFacts): EmbedAnswer;
    decodeFault(status: number, body: Json | undefined): Fault;
    /** Embedding calls contain no seals. */
    readonly sealRefusals: readonly [];
  };
  readonly verbatim: { answer(body: Json, context: AnswerContext, target: TargetFacts): Reading };
}

// Reranking: requests are always rebuilt, since hosts differ in names and answers are ordered by the gateway, so there is
// no verbatim lane. Most formats are used by hosts only.

export type RerankUnderstanding = Understanding<RerankCall, RerankLoss>;

export interface RerankServerHalf {
  /** Throws a GatewayError with the caller's field name. */
  understand(body: JsonObject, head?: RequestHead): RerankUnderstanding;
  encodeAnswer(answer: RerankAnswer, context: AnswerContext): EncodedAnswer;
  readonly spelling: RerankSpelling;
}

export interface RerankDialect {
  readonly id: DialectId;
  readonly operation: 'rerank';
  readonly argumentsAsValues?: never;
  readonly stances: RerankStances;
  quirks(own: object): object;
  readonly server?: RerankServerHalf;
  readonly client: {
    encodeCall(call: RerankCall, target: TargetFacts): EncodedCall<RerankLoss>;
    decodeAnswer(body: Json, target: TargetFacts): RerankAnswer;
    decodeFault(status: number, body: Json | undefined): Fault;
    /** Calls for reranking contain no seals. */
    readonly sealRefusals: readonly [];
  };
}

// Moderation: one format, which is passed through. Nothing is rebuilt, so nothing can be lost.

export type ModerateUnderstanding = Understanding<ModerateCall, never>;

export interface ModerateDialect {
  readonly id: DialectId;
  readonly operation: 'moderate';
  readonly argumentsAsValues?: never;
  quirks(own: object): object;
  readonly server: {
    /** Throws a GatewayError with the caller's field name. */
    understand(body: JsonObject, head?: RequestHead): ModerateUnderstanding;
    readonly spelling: Readonly<Record<never, string>>;
  };
  readonly client: {
    decodeFault(status: number, body: Json | undefined): Fault;
    readonly sealRefusals: readonly [];
  };
  readonly verbatim: { answer(body: Json, context: AnswerContext, target: TargetFacts): Reading };
}

// Videos: a task is submitted once, polled, and ends in clips.

export type VideoTarget = {
  readonly upstreamModel: string;
  readonly limits: VideoLimits;
  /** Path for submitting tasks, relative to the host's base URL. */
  readonly path: string;
  /** The form of the format the host uses, if there are several. */
  readonly form?: string;
};

export type SubmittedVideo = {
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: JsonObject;
  readonly losses: readonly VideoLoss[];
};

/** Everything needed to poll a task later, on any node. */
export type VideoTask = { readonly id: string; readonly path: string };

export interface VideoDialect {
  readonly id: DialectId;
  readonly operation: 'video';
  readonly stances: VideoStances;
  /** Polling interval of one task, in ms. */
  readonly cadenceMs: number;
  /** Throws a GatewayError if dropping something would change the clip. */
  submit(call: VideoCall, target: VideoTarget): SubmittedVideo;
  /** Another video like the finished one of a task, by its host. Absent: the format has no such request. */
  remix?(prompt: string, task: VideoTask): SubmittedVideo;
  /**
   * The task in the answer to a submission. Undefined: the answer names none, and one may be running. Throws the reason
   * for a refusal.
   */
  taskOf(answer: Json, submitted: SubmittedVideo): VideoTask | undefined;
  poll(task: VideoTask, target: VideoTarget): FollowUpRequest;
  /** State `errand`: the clips need a follow-up request; `clipsOf` reads its answer. */
  progressOf(answer: Json): VideoProgress | { readonly state: 'errand'; readonly errand: FollowUpRequest };
  clipsOf(answer: Json): VideoProgress;
  /** A refusal instead of the clips that ends the task. Absent or undefined: the refusal may be temporary. */
  noClips?(status: number, answer: Json | undefined): VideoProgress | undefined;
  decodeFault(status: number, body: Json | undefined): Fault;
}

/** What callers see of a stored operation. */
export type ReportedOperationState =
  | { readonly state: 'waiting'; readonly percent?: number }
  | { readonly state: 'done'; readonly videos: readonly VideoFile[]; readonly blocked: readonly string[] }
  | { readonly state: 'failed'; readonly fault: Fault };

// The dialects of all operations. Callers use those with a server half; hosts may use any.

export type AnyDialect =
  | HostDialect
  | EmbedDialect
  | RerankDialect
  | ModerateDialect
  | ImageDialect
  // Sound.
  | SpeechDialect
  | TranscriptionDialect;
export type CallerDialect =
  | Dialect
  | EmbedDialect
  | (RerankDialect & { readonly server: RerankServerHalf })
  | ModerateDialect
  | (ImageDialect & { readonly server: ImageServerHalf })
  // Sound.
  | (SpeechDialect & { readonly server: SpeechServerHalf })
  | (TranscriptionDialect & { readonly server: TranscriptionServerHalf });
export type AnyUnderstanding =
  | Understanding
  | EmbedUnderstanding
  | RerankUnderstanding
  | ModerateUnderstanding
  | ImageUnderstanding
  // Sound.
  | SpeechUnderstanding
  | TranscriptionUnderstanding;

export const hasCallers = (dialect: AnyDialect): dialect is CallerDialect => dialect.server !== undefined;

/** Response options that apply to text only. */
export const NO_TEXT_OPTIONS = {
  usageInStream: false,
  withCost: false,
  hideReasoning: false,
  logprobs: false,
} as const;

// Shared checks of embedding dialects: inputs the model cannot read, unsupported dimensions, invalid vectors.

/** An upstream's dialect does not know the caller's field names, so the message has none. */
export const refuseInput = (problem: string, field = 'input'): GatewayError =>
  new GatewayError({ kind: 'unsupported', message: `The ${field} of this request ${problem}.`, field });

/** Vectors of another length than requested are useless, so the request is refused. */
export function judgeDimensions(dimensions: number | undefined, field: string, { embedding }: ModelFacts): void {
  if (dimensions === undefined) return;
  const native = embedding?.dimensions;
  const problem =
    embedding?.shortens !== true
      ? 'cannot be chosen for this model'
      : native !== undefined && dimensions > native
        ? `must not exceed ${native} for this model`
        : undefined;
  if (problem !== undefined) throw new GatewayError({ kind: 'unsupported', message: `'${field}' ${problem}.`, field });
}

/** Numbers, or base64 from hosts that return it by default. */
export function vectorOf(value: Json | undefined): EmbedVector['values'] {
  if (typeof value === 'string') {
    const floats = floatsOfBase64(value);
    if (floats !== undefined && floats.length > 0) return floats;
  } else if (isJsonArray(value) && value.length > 0 && value.every((each) => typeof each === 'number')) return value;
  throw new GatewayError({
    kind: 'upstream-broken',
    message: 'The upstream provider sent something that is no vector.',
  });
}

export const WRONG_COUNT = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent another number of vectors than it was asked for.',
} as const;
