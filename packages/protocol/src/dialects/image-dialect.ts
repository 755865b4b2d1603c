/**
 * What a wire format for images owes the house. Requests are always rebuilt: files, sizes and counts mean something else at
 * every host, so there is no verbatim lane. Many formats are spoken by hosts only, and have no server half.
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
  /** Whose request this is by its body, where several dialects share one path; absent or undefined: this one's. */
  siblingFor?(body: JsonObject): DialectId | undefined;
  /** Throws a GatewayError naming the field in the caller's spelling. */
  understand(body: JsonObject, head?: RequestHead): ImageUnderstanding;
  /** Throws a GatewayError `refused` where nothing is left to answer with. */
  encodeAnswer(answer: ImageAnswer, context: AnswerContext): EncodedAnswer;
  /** Absent where the protocol does not stream images. */
  readonly streaming?: {
    eventEncoder(context: AnswerContext): Machine<ImageEvent, Frame>;
    /** The text that tells a caller, in the middle of a stream, that it failed. Nothing follows it. */
    streamFault(fault: Fault): string;
    /** A sign of life this protocol's clients ignore. */
    readonly keepAlive: string;
  };
  readonly spelling: ImageSpelling;
}

/** Where an upstream makes images in its own time: how its first answer names the job, and what later ones say of it. */
export interface ImageJob {
  readonly pollEveryMs: number;
  /** Where to ask, from what the host said when the job was taken; or why there is no job. */
  begun(body: Json, target: TargetFacts): JobPlace | { readonly fault: Fault };
  read(body: Json): 'waiting' | 'done';
}

/** Paths below the host's base address: an address from an answer is never gone to. */
export type JobPlace = {
  readonly path: string;
  /** Where the images are once the job is done, if not in the answer that says so. */
  readonly resultPath?: string;
};

export interface ImageClientHalf {
  /** Throws a GatewayError `unsupported` where leaving something out would change the image. */
  encodeCall(call: ImageCall, target: TargetFacts): EncodedCall<ImageLoss>;
  decodeAnswer(body: Json, target: TargetFacts): ImageAnswer;
  /** What a mask marks for editing, where that is not what is transparent; such masks are made before `encodeCall`. */
  readonly editsWhere?: 'white';
  /** A wished quality reaches the host, which may charge by it. Absent: it never does. */
  takesQuality?(target: TargetFacts): boolean;
  /** An answer in a failure's clothes: the image is held back, and `decodeAnswer` can say why. */
  isBlocked?(status: number, body: Json | undefined): boolean;
  /** Absent where hosts of this format do not stream images. */
  readonly streaming?: {
    streams(target: TargetFacts): boolean;
    eventDecoder(target: TargetFacts): Machine<Frame, ImageEvent>;
  };
  readonly job?: ImageJob;
  decodeFault(status: number, body: Json | undefined): Fault;
  /** Nothing in an image call bears a seal. */
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
