/**
 * The interface of a wire format. The server half talks to callers and is strict; the client half talks to upstreams
 * and is lenient; the verbatim lane lists every change that is made when both ends use this dialect.
 */
import type { TextAnswer } from '../canonical/answer.ts';
import type { TextCall } from '../canonical/call.ts';
import type { MediaBlock, MediaKind } from '../canonical/content.ts';
import type { DialectId } from '../canonical/dialect-id.ts';
import type { Event } from '../canonical/events.ts';
import type { Fault } from '../canonical/fault.ts';
import type { FieldLoss, Spelling, Stances } from '../canonical/fields.ts';
import type { ImageLimits } from '../canonical/image-limits.ts';
import type { Json, JsonObject } from '../canonical/json.ts';
import type { Loss } from '../canonical/loss.ts';
import type { ModelCard } from '../canonical/model-card.ts';
import type { RoutingPreferences } from '../canonical/routing-preferences.ts';
import type { Sealed, SealOwner } from '../canonical/sealed.ts';
import type { Tokenizer } from '../canonical/tokenizer.ts';
import type { Usage } from '../canonical/usage.ts';
import type { ToolNames } from '../passes/tool-names.ts';
import type { Machine } from '../stream/machine.ts';
import type { FormFile, FormPart } from './forms.ts';
import type { ResponseOptions } from './response-options.ts';

export type { EmbedOptions, ImageOptions, RerankOptions, ResponseOptions } from './response-options.ts';

/**
 * Matched by the upstream's code, or by its message if it has no code. Never a bare "signature": requests are signed,
 * too.
 */
export type SealRefusal = { readonly code: string } | { readonly message: RegExp };

export type Frame = { readonly event?: string; readonly data: string };

/** A change to a top-level member of a JSON text: `value` is JSON text, undefined removes the member. */
export type Edit =
  | { readonly name: string; readonly value: string | undefined }
  | { readonly name: string; readonly renameTo: string };

/**
 * Envelopes for opaque provider state that travels through a caller of another dialect or host. An interface, because
 * this package contains no cryptography: an envelope is signed for one account, and a caller cannot forge it.
 */
export interface Sealing {
  wrap(seal: Sealed): string;
  /** The seal inside one of the gateway's envelopes; undefined if the text is not one, or was tampered with. */
  unwrap(text: string): Sealed | undefined;
  /** Is this text one of the gateway's envelopes, valid or not? */
  isEnvelope(text: string): boolean;
}

/** What is known about a request apart from its body. */
export type RequestHead = {
  /** Model and streaming, for dialects that put them in the path. */
  readonly model?: string;
  readonly stream?: boolean;
  /** The form of the dialect that the path names, if it has several. */
  readonly form?: string;
  header(name: string): string | undefined;
  readonly sealing?: Sealing;
  /** The caller prefers an error to any dropped or changed parameter. */
  readonly strict?: boolean;
  readonly bareEnums?: boolean;
  /** Return a streamed answer as one JSON array instead of events. */
  readonly asArray?: boolean;
  /**
   * Present where answers can be stored: members of the response object that say what it belongs to. References in the
   * body have been replaced by then.
   */
  readonly state?: JsonObject;
  /** Where nothing is stored: the response that the request continued, by what its connection remembers. */
  readonly previousId?: string;
  /** Files of a form; its other fields are in the body, where each file is replaced by `{ "file": <index> }`. */
  readonly files?: readonly FormFile[];
};

/** Values the gateway puts into an answer instead of the upstream's. */
export type AnswerContext = {
  readonly requestId: string;
  readonly model: string;
  readonly createdAtSeconds: number;
  readonly responseOptions: ResponseOptions;
  readonly sealing?: Sealing;
  /** Estimated input tokens, for formats that report them before the upstream does. */
  readonly estimateInput?: () => number;
  /** The caller's cost of this usage in USD, for callers who asked for it; undefined if a part of it has no price. */
  readonly costUsd?: (usage: Usage) => number | undefined;
  /** Tools as named upstream → the caller's own; turned back before anything is encoded. */
  readonly toolNames?: ToolNames;
};

/** A validated request. Its canonical form is built on first use: the verbatim lane never needs it. */
export type Understanding<C = TextCall, L = FieldLoss> = {
  readonly model: string;
  readonly stream: boolean;
  readonly responseOptions: ResponseOptions;
  /** Members that are accepted and never forwarded to any target. */
  readonly losses: readonly Loss[];
  /** Members that only upstreams of the same dialect accept. */
  readonly lossesElsewhere?: readonly Loss[];
  /** Paths of the members in `extras`, if they are not top-level. */
  readonly extraPaths?: () => readonly string[];
  /** Names of fields where this request has another one than the dialect's usual. */
  readonly spelling?: Partial<Spelling>;
  /** Nested members that the codec does not read; a rebuilt request loses them. */
  readonly unreadMembers?: (forSameDialect: boolean) => readonly Loss[];
  /** Media the target must be able to read, and their paths in the request. */
  readonly media: readonly { readonly kind: MediaKind; readonly path: string }[];
  readonly maxOutputTokens: number | undefined;
  readonly metadata: JsonObject | undefined;
  /** The end user's id as the caller sends it. */
  readonly user?: string | undefined;
  /** Routing preferences, if the body can contain them. */
  readonly routing?: RoutingPreferences | undefined;
  /** Headers that are forwarded only to upstreams of the same dialect. */
  readonly passHeaders?: PassHeaders;
  /** The same for one target, if it needs others. */
  readonly passHeadersTo?: (target: TargetFacts) => PassHeaders | undefined;
  /**
   * The same for hosts that read these headers from the body of a rebuilt request; the verbatim lane has its own edits.
   */
  readonly passMembers?: (target: TargetFacts) => JsonObject;
  /** Throws a GatewayError if the caller's dialect promises an error for something this model cannot do. */
  readonly judge?: (model: ModelFacts) => void;
  readonly call: () => C;
  /** The complete list of changes for a target of the same dialect, or the reason to rebuild the request. */
  readonly verbatim: (target: TargetFacts) => VerbatimRequest<L>;
};

/** Names and values. */
export type PassHeaders = readonly (readonly [name: string, value: string])[];

export type VerbatimRequest<L = FieldLoss> =
  | { readonly edits: readonly Edit[]; readonly losses: readonly L[] }
  | { readonly why: string };

/** Facts about the target's model, from the catalogue. */
export type ModelFacts = {
  readonly maxOutputTokens: number | undefined;
  /** The cap to send where a format requires one and the caller gave none; absent: `maxOutputTokens`. */
  readonly usualOutputTokens?: number;
  readonly temperature: boolean;
  /** False: a verbosity other than `medium` is refused; absent: what the host says holds. */
  readonly verbosity?: boolean;
  /** Absent: not published, or not supported here. */
  readonly tokenizer?: Tokenizer;
  readonly tools: boolean;
  readonly structuredOutput: boolean;
  /** Kinds of media the model reads; absent: not known, every kind. */
  readonly reads?: readonly MediaKind[];
  readonly thinking: {
    readonly kind: 'none' | 'budget' | 'effort' | 'level' | 'adaptive' | 'always';
    readonly canDisable: boolean;
    readonly levels: readonly string[];
    /** Bounds of the thinking budget in tokens, if the vendor publishes them. */
    readonly budgetMin?: number;
    readonly budgetMax?: number;
  };
  /** Highest temperature; absent: 2. */
  readonly temperatureMax?: number;
  /** Absent: text only. */
  readonly outputModalities?: readonly string[];
  /** Maximum number of candidates per call; absent: not known. */
  readonly candidatesMax?: number;
  /** Several candidates may be streamed. */
  readonly candidatesInStream?: boolean;
  /** The model supports the highest media resolution. Absent: derived from the generation of the model's thinking. */
  readonly ultraMediaResolution?: boolean;
  /** For embedding models: the vector length, and whether it can be shortened. */
  readonly embedding?: { readonly dimensions?: number; readonly shortens: boolean };
  /** For image models: this host's limits. */
  readonly image?: ImageLimits;
  /** For models that speak or listen: what this host charges by. Absent: it has no price. */
  readonly soundBy?: 'tokens' | 'pieces';
  /** Aspect ratios of generated images; absent: not known. */
  readonly aspectRatios?: readonly string[];
};

export type TargetFacts = {
  readonly upstreamModel: string;
  readonly model: ModelFacts;
  /** The host's quirks; only its dialect reads them. */
  readonly quirks: object;
  readonly sealOwner: SealOwner;
};

export type EncodedCall<L = FieldLoss> = {
  readonly body: JsonObject;
  readonly losses: readonly L[];
  /** Stop sequences the upstream does not support: the gateway watches for them itself. */
  readonly watchFor?: readonly string[];
  /** Tools that had to be changed: name as sent → the caller's own. */
  readonly toolNames?: ToolNames;
  /** Sent as a form instead of the body. */
  readonly form?: readonly FormPart[];
  /** Which of the offer's paths to use; absent: the default. */
  readonly action?: string;
  /** Appended to the path: for hosts that name what a body could name in their address. */
  readonly suffix?: string;
  /** For hosts that are brought a file first: what is asked of them then. */
  readonly order?: JsonObject;
};
export type EncodedAnswer = { readonly body: JsonObject; readonly losses: readonly Loss[] };
export type EncodedFault = { readonly status: number; readonly body: JsonObject };

/** How bodies of a dialect show that two prompts can share an upstream cache. */
export type PromptCaching = {
  /** Members that make up the prompt, in the order upstreams read them. */
  readonly prompt: readonly string[];
  /** The member with which callers group prompts. */
  readonly groupMember?: string;
  /** Matches the text of a body that requests caching; `longMark` matches one that requests it for an hour. */
  readonly mark?: RegExp;
  readonly longMark?: RegExp;
};

export interface ServerHalf {
  /** Throws a GatewayError with the caller's field name. */
  understand(body: JsonObject, head?: RequestHead): Understanding;
  encodeAnswer(answer: TextAnswer, context: AnswerContext): EncodedAnswer;
  eventEncoder(context: AnswerContext): Machine<Event, Frame>;
  encodeFault(fault: Fault, requestId: string): EncodedFault;
  /** The text that reports a failure in the middle of a stream. Nothing follows it. */
  streamFault(fault: Fault, requestId: string): string;
  /** A token-count request, decoded as the call it counts; absent if the protocol has none. */
  readonly count?: {
    understand(body: JsonObject, head: RequestHead): { readonly model: string; readonly call: () => TextCall };
    encode(inputTokens: number): JsonObject;
  };
  /** A keep-alive that clients of this dialect ignore. */
  keepAlive(context: AnswerContext): string;
  readonly spelling: Spelling;
  /** Does this dialect define this top-level member? Others are forwarded unchanged to hosts of the dialect. */
  readonly knows: (member: string) => boolean;
  readonly caching: PromptCaching;
  /** Members with which a caller allows the host to truncate a prompt longer than its context. */
  readonly shorteners?: readonly string[];
  /** Answers name the stop sequence that ended them. */
  readonly namesMatchedStop?: true;
}

export interface ClientHalf {
  /** Throws a GatewayError `unsupported` if dropping something would change the meaning. */
  encodeCall(call: TextCall, target: TargetFacts): EncodedCall;
  decodeAnswer(body: Json, target: TargetFacts): TextAnswer;
  eventDecoder(target: TargetFacts): Machine<Frame, Event>;
  /** Parts of a complete answer that `decodeAnswer` cannot read; for streams the decoder reports them. */
  answerLosses(body: Json): readonly Loss[];
  decodeFault(status: number, body: Json | undefined): Fault;
  /** Must this file be sent as bytes, because the upstream would not fetch it? Absent: never. */
  readonly needsBytes?: (block: MediaBlock, target: TargetFacts) => boolean;
  /** The output token limit does not include reasoning at this host. Absent: it does. */
  readonly reasoningBesideCap?: (target: TargetFacts) => boolean;
  /** A token-count request and the number in its answer; for hosts that offer a path for it. */
  readonly count?: {
    encode(call: TextCall, target: TargetFacts): JsonObject;
    decode(body: Json | undefined): number | undefined;
  };
  /** The errors with which upstreams of this dialect report that they cannot read a seal. */
  readonly sealRefusals: readonly SealRefusal[];
}

/** What to do with one parsed frame or answer: change top-level members, or drop it. */
export type Patch = { readonly kind: 'pass'; readonly edits: readonly Edit[] } | { readonly kind: 'drop' };

export type Reading = {
  readonly patch: Patch;
  /** Frames the caller must get before this one, which the upstream omitted. */
  readonly before?: readonly Frame[];
  /** The frame's event name, if the upstream sent none. */
  readonly event?: string;
  readonly usage?: Usage;
  /** True if the upstream reported no usage and this is the gateway's own count. */
  readonly usageEstimated?: boolean;
  /** Characters the model produced in this frame, for metering streams without usage. */
  readonly producedCharacters?: number;
  readonly fault?: Fault;
  /** Keep-alive only: no content, no usage, no end. */
  readonly quiet?: true;
  /** No later frame belongs to the answer. */
  readonly last?: boolean;
  /** The last frame, unless another one follows: sent with that one, or with the end of the stream. */
  readonly closing?: boolean;
  /** Losses in the answer, in the caller's field names; each is reported once. */
  readonly losses?: readonly Loss[];
  /**
   * Text that is in this frame as one plain JSON string, so that frames that differ only in it can be edited without
   * parsing.
   */
  readonly hole?: { readonly text: string; readonly copies: number };
};

export interface VerbatimFrames {
  read(frame: Frame): Reading;
  /** In a format without a last frame: all that an answer needs was read, though more may follow. */
  readonly isWhole?: boolean;
  /** Frames to write after the upstream has ended, and the fault if it ended too early. */
  end(): { readonly frames: readonly Frame[]; readonly fault?: Fault };
}

export interface VerbatimLane {
  answer(body: Json, context: AnswerContext, target: TargetFacts): Reading;
  frames(context: AnswerContext, target: TargetFacts): VerbatimFrames;
}

/** A wire format for text as hosts speak it. Other operations have their own interfaces in `media-dialects.ts`. */
export interface HostDialect {
  readonly id: DialectId;
  readonly operation: 'text';
  /** Tool arguments are JSON values in bodies, so a parser may change their numbers. */
  readonly argumentsAsValues?: true;
  readonly stances: Stances;
  /** A host's complete quirks, from those it sets explicitly. */
  quirks(own: object): object;
  readonly client: ClientHalf;
  /** Absent: no caller speaks it. */
  readonly server?: ServerHalf;
}

/** A wire format that callers speak, too. */
export interface Dialect extends HostDialect {
  /** Clients of this protocol also break lines at U+0085, U+2028 and U+2029: streams escape them. */
  readonly escapesLineBreakers?: true;
  /** The first events of a stream repeat instructions and tools of the request. */
  readonly repeatsRequest?: true;
  readonly server: ServerHalf;
  readonly verbatim: VerbatimLane;
  /** Hosts of another dialect may have this one as well, on the path of an action. */
  readonly beside?: { readonly dialect: DialectId; readonly action: string };
}

// Everything a protocol does apart from a call and its answer: errors, model lists, rate-limit headers, request rules.

export type RateFigure = { readonly limit: number; readonly remaining: number; readonly resetMs: number };
/** What remains of the closest per-minute limits, for callers who schedule requests. */
export type RateNote = { readonly requests?: RateFigure; readonly tokens?: RateFigure };

export type ModelListQuery = ReadonlyMap<string, string>;

export interface ProtocolAdapter {
  encodeFault(fault: Fault, requestId: string): EncodedFault;
  /** Throws a GatewayError `malformed` for invalid paging parameters. */
  encodeModels(cards: readonly ModelCard[], query: ModelListQuery): object;
  encodeModel(card: ModelCard): object;
  /** Names and values alternate. */
  rateHeaders(measure: keyof RateNote, figure: RateFigure, nowMs: number): readonly string[];
  /** A body without a content type is refused. */
  readonly needsContentType: boolean;
}
