/**
 * The interface of a wire format for images. Requests are always rebuilt: files, sizes and counts differ at every host,
 * so there is no verbatim lane. Many formats are used by hosts only and have no server half.
 */
import type { DialectId } from '../canonical/dialect-id.ts';
import type { Fault } from '../canonical/fault.ts';
import type { ImageLoss, ImageSpelling, ImageStances } from '../canonical/fields.ts';
import type { ImageAnswer, ImageCall, ImageEvent } from '../canonical/image.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import type { Machine } from '../stream/machine.ts';
import type {
  AnswerContext,
  EncodedAnswer,
  EncodedCall,
  Frame,
  RequestHead,
  TargetFacts,
  Understanding,
} from './dialect.ts';

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

/**
 * For upstreams that generate images asynchronously: how the first answer names the job, and how later ones report its
 * state.
 */
export interface ImageJob {
  readonly pollEveryMs: number;
  /** Where to poll, from the host's answer to the submission; or why there is no job. */
  begun(body: Json, target: TargetFacts): JobPlace | { readonly fault: Fault };
  read(body: Json): 'waiting' | 'done';
}

/** Paths relative to the host's base URL: to poll a job the gateway never follows a URL from an answer. */
export type JobPlace = {
  readonly path: string;
  /** Path of the images once the job is done, if they are not in the answer that says so. */
  readonly resultPath?: string;
};

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
  readonly job?: ImageJob;
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
