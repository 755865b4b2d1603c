/**
 * What a wire format owes the house. The server half speaks to callers and is strict; the client half speaks to
 * upstreams and is lenient; the verbatim lane says, completely, what is changed when both ends speak this dialect.
 */
import type { TextAnswer } from '../canonical/answer.ts';
import type { TextCall } from '../canonical/call.ts';
import type { MediaBlock, MediaKind } from '../canonical/content.ts';
import type { DialectId } from '../canonical/dialect-id.ts';
import type { Event } from '../canonical/events.ts';
import type { Fault } from '../canonical/fault.ts';
import type { FieldLoss, Spelling, Stances } from '../canonical/fields.ts';
import type { ImageFile, ImageFormat, ImageTraits, RawBytes } from '../canonical/image.ts';
import type { ImageLimits } from '../canonical/image-limits.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import type { Loss } from '../canonical/loss.ts';
import type { RoutingPreferences } from '../canonical/routing-preferences.ts';
import type { Sealed, SealOwner } from '../canonical/sealed.ts';
import type { Tokenizer } from '../canonical/tokenizer.ts';
import type { Usage } from '../canonical/usage.ts';
import type { Machine } from '../stream/machine.ts';
import type { SealRefusal } from './seal-refusals.ts';

export type Frame = { readonly event?: string; readonly data: string };

/** A change to a top-level member of a JSON text: `value` is JSON text, undefined removes. */
export type Edit =
  | { readonly name: string; readonly value: string | undefined }
  | { readonly name: string; readonly renameTo: string };

/** What a caller wants of the answer, beyond its content. */
export type ResponseOptions = {
  readonly usageInStream: boolean;
  readonly withCost: boolean;
  readonly hideReasoning: boolean;
  readonly logprobs: boolean;
  /** Enum words without their type's prefix, for callers whose SDK only knows them so. */
  readonly bareEnums?: boolean;
  /** The answer must be one of these words, bare; hosts that can only be told so by a schema wrap it in an object. */
  readonly enumValues?: readonly string[];
  /** At most one tool call, even from an upstream that makes more. */
  readonly oneToolCall?: boolean;
  /** Present on embedding calls, and on no other. */
  readonly embed?: EmbedOptions;
  /** Present on image calls, and on no other. */
  readonly image?: ImageOptions;
  /** Members of the request that the answer repeats, where the dialect's answers do. */
  readonly echo?: JsonObject;
};

export type EmbedOptions = {
  /** Vectors as numbers, or as base64 of little-endian 32-bit floats. */
  readonly encoding: 'float' | 'base64';
  /** Which of the dialect's forms the caller speaks, where it has several. */
  readonly form?: string;
  /** How many vectors are owed. */
  readonly inputs: number;
  /** Our own count of the inputs' tokens, for upstreams that report none. */
  readonly estimatedTokens: number;
};

export type ImageOptions = {
  readonly action: 'generation' | 'edit';
  readonly count: number;
  /** An address instead of bytes. */
  readonly asUrl: boolean;
  readonly format: ImageFormat | undefined;
  /** Why an image was held back in the upstream's own words, and not only that it was. */
  readonly blockReasons: boolean;
  /** What was asked for, to be told where the upstream tells nothing. */
  readonly traits: ImageTraits;
};

/**
 * Envelopes for opaque provider state that has to travel through a caller of another dialect or host. A port, because
 * this package knows no cryptography: an envelope is signed for one account and cannot be forged by a caller.
 */
export interface Sealing {
  wrap(seal: Sealed): string;
  /** The seal inside one of our envelopes; undefined when the text is none, or was tampered with. */
  unwrap(text: string): Sealed | undefined;
  /** Is this text one of our envelopes, valid or not? */
  isEnvelope(text: string): boolean;
}

/** What is known of a request beside its body. */
export type RequestHead = {
  /** Model and streaming where the path, not the body, says them. */
  readonly model?: string;
  readonly stream?: boolean;
  /** Which of a dialect's forms the path names, where it has several. */
  readonly form?: string;
  header(name: string): string | undefined;
  readonly sealing?: Sealing;
  /** The caller wants a refusal rather than any liberty. */
  readonly strict?: boolean;
  readonly bareEnums?: boolean;
  /** A streamed answer as one JSON array instead of events. */
  readonly asArray?: boolean;
  /** Files of a form; its fields stand in the body, and those that are files hold `{ "file": <index> }`. */
  readonly files?: readonly FormFile[];
};

export type FormFile = RawBytes & { readonly name: string; readonly mimeType?: string };

/** What the gateway puts into an answer in place of the upstream's own. */
export type AnswerContext = {
  readonly requestId: string;
  readonly model: string;
  readonly createdAtSeconds: number;
  readonly responseOptions: ResponseOptions;
  readonly sealing?: Sealing;
  /** About how many tokens went in, for formats that tell it before the upstream does. */
  readonly estimateInput?: () => number;
  /** What so much usage costs the caller, for callers who asked; undefined where some of it has no price. */
  readonly costUsd?: (usage: Usage) => number | undefined;
  /** Names of tools as the upstream knows them → the caller's own; given back before anything is encoded. */
  readonly toolNames?: ReadonlyMap<string, string>;
};

/** A checked request. Its canonical form is made on first use: the verbatim lane never needs it. */
export type Understanding<C = TextCall, L = FieldLoss> = {
  readonly model: string;
  readonly stream: boolean;
  readonly responseOptions: ResponseOptions;
  /** Accepted and never forwarded, whatever the target. */
  readonly losses: readonly Loss[];
  /** What only upstreams of the same dialect can be given. */
  readonly lossesElsewhere?: readonly Loss[];
  /** Members deep inside that the codec does not read, which a request loses once it is rebuilt. */
  readonly unreadMembers?: (forSameDialect: boolean) => readonly Loss[];
  /** Media the target must be able to read, with the place it was found. */
  readonly media: readonly { readonly kind: MediaKind; readonly path: string }[];
  readonly maxOutputTokens: number | undefined;
  readonly metadata: JsonObject | undefined;
  /** The end user, as the caller names him. */
  readonly user?: string | undefined;
  /** Which hosts and models to ask, where the body can say so. */
  readonly routing?: RoutingPreferences | undefined;
  /** Headers that mean something to an upstream of the same dialect, and to no other. */
  readonly passHeaders?: readonly (readonly [name: string, value: string])[];
  /** The same for hosts that read such headers in the body, where it was rebuilt: the verbatim lane has its own edits. */
  readonly passMembers?: (target: TargetFacts) => JsonObject;
  /** Throws a GatewayError where the caller's dialect promises an error for what this model cannot do. */
  readonly judge?: (model: ModelFacts) => void;
  readonly call: () => C;
  /** The complete list of changes for a target of the same dialect, or why the request must be rebuilt for it. */
  readonly verbatim: (target: TargetFacts) => VerbatimRequest<L>;
};

export type VerbatimRequest<L = FieldLoss> =
  | { readonly edits: readonly Edit[]; readonly losses: readonly L[] }
  | { readonly why: string };

/** What is known of the model behind a target, from the catalogue. */
export type ModelFacts = {
  readonly maxOutputTokens: number | undefined;
  readonly temperature: boolean;
  /** Absent: not published, or not known here. */
  readonly tokenizer?: Tokenizer;
  readonly tools: boolean;
  readonly structuredOutput: boolean;
  readonly thinking: {
    readonly kind: 'none' | 'budget' | 'effort' | 'level' | 'adaptive' | 'always';
    readonly canDisable: boolean;
    readonly levels: readonly string[];
    /** Bounds of a thinking budget in tokens, where the model's maker names them. */
    readonly budgetMin?: number;
    readonly budgetMax?: number;
  };
  /** Highest temperature; absent: 2. */
  readonly temperatureMax?: number;
  /** Absent: text only. */
  readonly outputModalities?: readonly string[];
  /** Most answers to one call; absent: not known. */
  readonly candidatesMax?: number;
  /** More than one answer may be streamed. */
  readonly candidatesInStream?: boolean;
  /** The finest resolution of media input is offered. Absent: by the generation of the model's thinking. */
  readonly ultraMediaResolution?: boolean;
  /** Of embedding models: the length of their vectors, and whether shorter ones can be asked for. */
  readonly embedding?: { readonly dimensions?: number; readonly shortens: boolean };
  /** Of models that make images: what this host takes and gives. */
  readonly image?: ImageLimits;
  /** Aspect ratios of generated images; absent: not known. */
  readonly aspectRatios?: readonly string[];
};

export type TargetFacts = {
  readonly upstreamModel: string;
  readonly model: ModelFacts;
  /** The dialect's own quirk record of the host; only that dialect reads it. */
  readonly quirks: object;
  readonly sealOwner: SealOwner;
};

export type EncodedCall<L = FieldLoss> = {
  readonly body: JsonObject;
  readonly losses: readonly L[];
  /** Stop sequences the upstream cannot be told of: the gateway must look for them itself. */
  readonly watchFor?: readonly string[];
  /** Names of tools that had to be written otherwise: as sent → the caller's own. */
  readonly toolNames?: ReadonlyMap<string, string>;
  /** Sent as a form in place of the body. */
  readonly form?: readonly FormPart[];
  /** Which of the offer's paths it goes to; absent: the usual one. */
  readonly action?: string;
};
export type FormPart =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly file: ImageFile; readonly filename: string; readonly mimeType: string };
export type EncodedAnswer = { readonly body: JsonObject; readonly losses: readonly Loss[] };
export type EncodedFault = { readonly status: number; readonly body: JsonObject };

/** How bodies of a dialect show that two prompts may share a cache upstream. */
export type PromptCaching = {
  /** Members that make up the prompt, in the order upstreams read them. */
  readonly prompt: readonly string[];
  /** A member by which callers say that prompts belong together. */
  readonly groupMember?: string;
  /** Stands in the text of a body that asks for caching; and in one that asks for an hour of it. */
  readonly mark?: RegExp;
  readonly longMark?: RegExp;
};

export interface ServerHalf {
  /** Throws a GatewayError naming the field in the caller's spelling. */
  understand(body: JsonObject, head?: RequestHead): Understanding;
  encodeAnswer(answer: TextAnswer, context: AnswerContext): EncodedAnswer;
  eventEncoder(context: AnswerContext): Machine<Event, Frame>;
  encodeFault(fault: Fault, requestId: string): EncodedFault;
  /** The text that tells a caller, in the middle of a stream, that it failed. Nothing follows it. */
  streamFault(fault: Fault, requestId: string): string;
  /** A request to count tokens, as the call it counts; absent where the protocol has none. */
  readonly count?: {
    understand(body: JsonObject, head: RequestHead): { readonly model: string; readonly call: () => TextCall };
    encode(inputTokens: number): JsonObject;
  };
  /** A sign of life this dialect's clients ignore. */
  keepAlive(context: AnswerContext): string;
  readonly spelling: Spelling;
  /** Has this top-level member a meaning here? Others are forwarded to hosts of the dialect as they came. */
  readonly knows: (member: string) => boolean;
  readonly caching: PromptCaching;
  /** Members by which a caller lets the host shorten a prompt that is longer than its context. */
  readonly shorteners?: readonly string[];
  /** Answers name the stop sequence that ended them. */
  readonly namesMatchedStop?: true;
}

export interface ClientHalf {
  /** Throws a GatewayError `unsupported` where leaving something out would change the meaning. */
  encodeCall(call: TextCall, target: TargetFacts): EncodedCall;
  decodeAnswer(body: Json, target: TargetFacts): TextAnswer;
  eventDecoder(target: TargetFacts): Machine<Frame, Event>;
  /** What a whole answer holds that `decodeAnswer` cannot read; streams tell it by their decoder. */
  answerLosses(body: Json): readonly Loss[];
  decodeFault(status: number, body: Json | undefined): Fault;
  /** Must this file be handed over as bytes, because the upstream would not fetch it? Absent: never. */
  readonly needsBytes?: (block: MediaBlock, target: TargetFacts) => boolean;
  /** The cap on output leaves reasoning out at this host. Absent: reasoning is within it. */
  readonly reasoningBesideCap?: (target: TargetFacts) => boolean;
  /** A request that only counts its input, and the figure in the answer; for hosts that offer a path for it. */
  readonly count?: {
    encode(call: TextCall, target: TargetFacts): JsonObject;
    decode(body: Json | undefined): number | undefined;
  };
  /** How upstreams of this dialect say that they cannot read a seal. */
  readonly sealRefusals: readonly SealRefusal[];
}

/** What happens to one frame or answer whose meaning has been looked at: top-level members change, or it is not for the caller. */
export type Patch = { readonly kind: 'pass'; readonly edits: readonly Edit[] } | { readonly kind: 'drop' };

export type Reading = {
  readonly patch: Patch;
  /** Frames the caller must have before this one, which the upstream left out. */
  readonly before?: readonly Frame[];
  /** The frame's name, where the upstream sent it without one. */
  readonly event?: string;
  readonly usage?: Usage;
  /** True when the upstream gave no usage and what stands here is our own count. */
  readonly usageEstimated?: boolean;
  /** Characters the model produced in this frame, for metering streams whose usage never comes. */
  readonly producedCharacters?: number;
  readonly fault?: Fault;
  /** A sign of life and no more: no content, no usage, no end. */
  readonly quiet?: true;
  /** Nothing after this frame belongs to the answer. */
  readonly last?: boolean;
  /** What the caller must do without, in the caller's spelling; told once each. */
  readonly losses?: readonly Loss[];
  /** Text that stands in this frame as one plain JSON string, so that frames alike but for it can be edited unparsed. */
  readonly hole?: { readonly text: string; readonly copies: number };
};

export interface VerbatimFrames {
  read(frame: Frame): Reading;
  /** Frames to write once the upstream has ended, and the fault if it ended too early. */
  end(): { readonly frames: readonly Frame[]; readonly fault?: Fault };
}

export interface VerbatimLane {
  answer(body: Json, context: AnswerContext, target: TargetFacts): Reading;
  frames(context: AnswerContext, target: TargetFacts): VerbatimFrames;
}

/** A wire format for text. Other operations have dialects of their own, e.g. `embed-dialect.ts`. */
export interface Dialect {
  readonly id: DialectId;
  readonly operation: 'text';
  /** Clients of this protocol break lines at U+0085, U+2028 and U+2029 too: streams spell them as escapes. */
  readonly escapesLineBreakers?: true;
  /** Tool arguments stand in bodies as values, so that their numbers pass through a parser. */
  readonly argumentsAsValues?: true;
  readonly stances: Stances;
  /** The whole quirk record of a host, from what it says differs. */
  quirks(own: object): object;
  readonly server: ServerHalf;
  readonly client: ClientHalf;
  readonly verbatim: VerbatimLane;
}
