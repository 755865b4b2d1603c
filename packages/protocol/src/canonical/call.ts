/** A text call in canonical form. Every dialect declares a stance for every field here. */
import type { Block, CacheHint, Turn } from './content.ts';
import type { DialectId, Extras } from './dialect-id.ts';
import type { Json, JsonObject } from './json.ts';
import type { Sealed } from './sealed.ts';

export type Sampling = {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly candidates?: number;
  readonly logitBias?: Readonly<Record<string, number>>;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
  readonly verbosity?: 'low' | 'medium' | 'high';
};

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export type Reasoning = {
  /** Absent: the caller did not switch reasoning on or off. */
  readonly enabled?: boolean;
  readonly effort?: Effort;
  /** Upper bound for thinking; -1 lets the model decide. */
  readonly budgetTokens?: number;
  readonly show?: 'full' | 'summary' | 'none';
};

export type Tool =
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly description?: string;
      /** JSON Schema. Absent: the tool takes no arguments. */
      readonly parameters?: JsonObject;
      readonly strict?: boolean;
      /** A tool of this kind, for a host without it: calls in the answer are turned back. */
      readonly standsFor?: 'custom';
      readonly cache?: CacheHint;
      readonly extras?: Extras;
    }
  | {
      readonly kind: 'custom';
      readonly name: string;
      readonly description?: string;
      readonly format?: JsonObject;
      readonly cache?: CacheHint;
      readonly extras?: Extras;
    }
  | {
      readonly kind: 'built-in';
      /** The dialect that defines this tool; other dialects have no tool of that name. */
      readonly dialect: DialectId;
      readonly family:
        | 'bash'
        | 'text-editor'
        | 'code'
        | 'url-context'
        | 'maps'
        | 'file-search'
        | 'computer'
        | 'retrieval'
        | 'other';
      readonly name: string;
      readonly version?: string;
      readonly settings: JsonObject;
      readonly cache?: CacheHint;
      readonly extras?: Extras;
    };

export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'any' | 'validated' }
  | { readonly mode: 'one'; readonly name: string }
  | { readonly mode: 'some'; readonly names: readonly string[]; readonly required: boolean };

export type OutputFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | {
      readonly kind: 'schema';
      readonly schema: JsonObject;
      readonly name?: string;
      readonly description?: string;
      readonly strict?: boolean;
    }
  | { readonly kind: 'enum'; readonly values: readonly string[] };

export type WebSearch = {
  /** The caller listed web search as one tool among others; it is not the purpose of the call. */
  readonly amongTools?: true;
  readonly maxUses?: number;
  readonly allowedDomains?: readonly string[];
  readonly blockedDomains?: readonly string[];
  readonly contextSize?: 'low' | 'medium' | 'high';
  readonly location?: {
    readonly city?: string;
    readonly region?: string;
    readonly country?: string;
    readonly timezone?: string;
  };
};

export type Safety = { readonly category: string; readonly threshold: string; readonly method?: string };

export type TextCall = {
  readonly operation: 'text';
  readonly model: string;
  readonly stream: boolean;
  readonly system: readonly Block[];
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly sampling: Sampling;
  readonly reasoning?: Reasoning;
  readonly output?: OutputFormat;
  readonly modalities?: readonly ('text' | 'image' | 'audio')[];
  readonly imageOutput?: JsonObject;
  readonly speech?: JsonObject;
  readonly mediaResolution?: 'low' | 'medium' | 'high' | 'ultra';
  readonly audioTimestamp?: boolean;
  readonly cachedContent?: Sealed;
  readonly autoCache?: CacheHint;
  readonly safety?: readonly Safety[];
  readonly webSearch?: WebSearch;
  /** Kept with the request record; never shown to a model. */
  readonly metadata?: Readonly<Record<string, Json>>;
  readonly usageWanted: { readonly inStream: boolean; readonly withCost: boolean };
  readonly extras: Extras;
};
