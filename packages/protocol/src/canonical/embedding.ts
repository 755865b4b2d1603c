/** An embedding call and its answer in canonical form: one vector per input, in the same order. */
import type { Extras } from './dialect-id.ts';
import type { Usage } from './usage.ts';

/** The purpose of the vectors; some models return different vectors for each. */
export const EMBED_TASKS = [
  'retrieval-query',
  'retrieval-document',
  'similarity',
  'classification',
  'clustering',
  'question-answering',
  'fact-verification',
  'code-retrieval-query',
] as const;

export type EmbedTask = (typeof EMBED_TASKS)[number];

export type EmbedText = {
  readonly kind: 'text';
  /** Usually one. The dialect's own models read several as one input. */
  readonly texts: readonly string[];
  readonly task?: EmbedTask;
  readonly title?: string;
};

export type EmbedTokens = { readonly kind: 'tokens'; readonly tokens: readonly number[] };

export type EmbedInput = EmbedText | EmbedTokens;

export type EmbedCall = {
  readonly operation: 'embed';
  readonly model: string;
  readonly inputs: readonly EmbedInput[];
  /** Vector length, for models that can shorten their vectors. */
  readonly dimensions?: number;
  /** Whether to truncate an input that is too long. Absent: the model's default. */
  readonly truncate?: boolean;
  readonly extras: Extras;
};

export type EmbedVector = {
  readonly values: readonly number[];
  /** Tokens of this input alone, if the upstream reports them. */
  readonly inputTokens?: number;
  readonly truncated?: boolean;
};

export type EmbedAnswer = { readonly vectors: readonly EmbedVector[]; readonly usage: Usage };
