/** An embedding call and its answer, as meaning: inputs go in, one vector for each comes out, in order. */
import type { Extras } from './dialect-id.ts';
import type { Usage } from './usage.ts';

/** What the vectors are wanted for; some models make different ones for each. */
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
  /** Usually one; several are read as one text, in a way only their own dialect's models know. */
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
  /** Length of the vectors, where the model can make shorter ones than its own. */
  readonly dimensions?: number;
  /** Whether an input that is too long is cut; absent: as the model does. */
  readonly truncate?: boolean;
  readonly extras: Extras;
};

export type EmbedVector = {
  readonly values: readonly number[];
  /** Tokens of this input alone, where the upstream says so. */
  readonly inputTokens?: number;
  readonly truncated?: boolean;
};

export type EmbedAnswer = { readonly vectors: readonly EmbedVector[]; readonly usage: Usage };
