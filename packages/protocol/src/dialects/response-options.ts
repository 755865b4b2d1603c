/** What callers ask of a response apart from its content: common options, and those of single operations. */
import type { ImageFormat, ImageTraits } from '../canonical/image.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { SpeechFormat, TranscriptForm } from '../canonical/sound.ts';

/** The caller's options for the response, apart from its content. */
export type ResponseOptions = {
  readonly usageInStream: boolean;
  readonly withCost: boolean;
  readonly hideReasoning: boolean;
  readonly logprobs: boolean;
  /** Enum values without their type prefix, for callers whose SDK accepts only these. */
  readonly bareEnums?: boolean;
  /** The answer must be one of these words, unquoted; hosts that only support schemas wrap it in an object. */
  readonly enumValues?: readonly string[];
  /** At most one tool call, even if the upstream returns more. */
  readonly oneToolCall?: boolean;
  /** More than one candidate was requested. */
  readonly severalCandidates?: true;
  /** Sound is asked for, alone or beside text. */
  readonly sound?: 'alone' | 'too';
  /** Present only on embedding calls. */
  readonly embed?: EmbedOptions;
  /** Present only on calls for reranking. */
  readonly rerank?: RerankOptions;
  /** Present only on calls for moderation: how many results are asked for. */
  readonly moderate?: { readonly results: number };
  /** Present only on image calls. */
  readonly image?: ImageOptions;
  /** Present only on calls for speech. */
  readonly speech?: SpeechOptions;
  /** Present only on calls for the words of a recording. */
  readonly transcript?: TranscriptOptions;
  /** Members of the request that the response repeats, in dialects that do so. */
  readonly echo?: JsonObject;
};

export type EmbedOptions = {
  /** Vectors as numbers, or as base64 of little-endian 32-bit floats. */
  readonly encoding: 'float' | 'base64';
  /** The form of the dialect the caller uses, if it has several. */
  readonly form?: string;
  /** Number of vectors to return. */
  readonly inputs: number;
  /** The gateway's own token count of the inputs, for upstreams that report none. */
  readonly estimatedTokens: number;
};

export type RerankOptions = {
  /** Number of documents, and how many of them to return. */
  readonly documents: number;
  readonly topN: number;
  /** Texts to return beside their scores, if the caller wants them. */
  readonly texts?: readonly string[];
  /** The gateway's own counts, for upstreams that report none, and the most units that any host counts. */
  readonly estimatedTokens: number;
  readonly estimatedUnits: number;
  readonly mostUnits: number;
};

export type ImageOptions = {
  readonly action: 'generation' | 'edit';
  readonly count: number;
  /** Return a URL instead of bytes. */
  readonly asUrl: boolean;
  readonly format: ImageFormat | undefined;
  /** Return the upstream's reason for withholding an image, not only the fact. */
  readonly blockReasons: boolean;
  /** The requested values, returned if the upstream reports none. */
  readonly traits: ImageTraits;
};

export type SpeechOptions = {
  readonly format: SpeechFormat;
  /** The caller reads events instead of bytes. */
  readonly asEvents: boolean;
};

export type TranscriptOptions = {
  readonly form: TranscriptForm;
  readonly times: readonly ('word' | 'segment')[];
  readonly translates: boolean;
};
