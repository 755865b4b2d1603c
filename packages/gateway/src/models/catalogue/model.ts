// A model of the catalogue after every check: immutable values, exact prices.

import type { ImageLimits, Modality, OutputModality, Tokenizer, VideoLimits } from '@trivium/protocol/canonical';
import type { PricedEndpoint } from '../../kernel/price.ts';

/** Limits, their source, and whether they have not been verified against the host yet. */
type SourcedImageLimits = ImageLimits & { readonly source?: string; readonly unverified?: boolean };
type SourcedVideoLimits = VideoLimits & { readonly source?: string; readonly unverified?: boolean };

/** How a host handles data. Absent: unknown, which is never taken for a promise. */
export interface DataFacts {
  /** Region, e.g. `eu`. */
  readonly region?: string;
  /** How many days it stores requests and answers; 0: not at all. */
  readonly retentionDays?: number;
  /** Whether it may train models on them. */
  readonly trains?: boolean;
}

export interface Endpoint extends DataFacts, PricedEndpoint {
  /** Together with `dialect` this identifies one offer of one host. */
  readonly provider: string;
  readonly dialect: string;
  readonly upstreamModel: string;
  /** Present only if the host differs from the model. */
  readonly contextLength?: number;
  readonly maxOutputTokens?: number;
  readonly inputModalities?: readonly Modality[];
  /** For endpoints that make images. */
  readonly image?: SourcedImageLimits;
  /** For endpoints that make videos. */
  readonly video?: SourcedVideoLimits;
  /** The catalogue states that no price is known. */
  readonly unpriced?: true;
  readonly priceBasis?: string;
  readonly source?: string;
}

interface Thinking {
  readonly kind: 'none' | 'budget' | 'effort' | 'level' | 'adaptive' | 'always';
  readonly canDisable?: boolean;
  readonly levels?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

interface Capabilities {
  readonly tools: boolean;
  readonly structuredOutput: boolean;
  /** False when the vendor rejects or ignores a temperature. */
  readonly temperature: boolean;
  /** False when the vendor rejects a verbosity other than `medium`; absent: what the host says holds. */
  readonly verbosity?: boolean;
  readonly promptCache: 'none' | 'auto' | 'explicit';
  readonly tokenizer?: Tokenizer;
  readonly thinking: Thinking;
  /** Of the images it makes; absent: unknown, any of the format's. */
  readonly aspectRatios?: readonly string[];
}

/** For embedding models. */
interface Embedding {
  /** Length of a vector if the caller does not ask for a shorter one. */
  readonly dimensions?: number;
  readonly shortens: boolean;
}

export interface Model {
  /** `<owner>/<name>` */
  readonly id: string;
  readonly owner: string;
  /** Its maker's own ids, the simplest first, without an owner; and further names, with or without one. */
  readonly aliases: readonly string[];
  readonly displayName: string;
  readonly description: string;
  /** YYYY-MM-DD */
  readonly createdDay: string;
  /** YYYY-MM-DD: announced shutdown; the model is still served until the catalogue marks it as retired. */
  readonly retiring?: string;
  /** For a retired model: the id of the one its maker names as replacement. */
  readonly successor?: string;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: readonly OutputModality[];
  readonly reasoning: boolean;
  readonly contextLength?: number;
  readonly maxOutputTokens?: number;
  readonly capabilities: Capabilities;
  readonly embedding?: Embedding;
  /** In order of preference. */
  readonly endpoints: readonly Endpoint[];
}

/** `<owner>/*` covers every model of that owner which is not listed, and is not listed itself. */
export const isWildcard = (id: string): boolean => id.endsWith('/*');

/** Whether an endpoint can be used now: its dialect is supported, its host is known and has credentials. */
export type Callable = (endpoint: Endpoint) => boolean;
