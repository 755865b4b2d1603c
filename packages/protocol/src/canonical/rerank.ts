/** A call that orders documents by how well they answer a query, and its answer. */
import type { Extras } from './dialect-id.ts';
import type { Usage } from './usage.ts';

export type RerankCall = {
  readonly operation: 'rerank';
  readonly model: string;
  readonly query: string;
  /** Texts, in the caller's order: answers name them by their places. */
  readonly documents: readonly string[];
  /** Only the best of them. Absent: all. */
  readonly topN?: number;
  /** Documents are cut to this many tokens. Absent: as the host does. */
  readonly maxTokensPerDoc?: number;
  /** 0 is served first. */
  readonly priority?: number;
  readonly extras: Extras;
};

export type RerankScore = { readonly index: number; readonly score: number };

/** As the host ordered them: the best one first. */
export type RerankAnswer = { readonly id?: string; readonly scores: readonly RerankScore[]; readonly usage: Usage };

/** A search unit is a query with this many documents, at hosts that count so. */
const DOCUMENTS_PER_UNIT = 100;
/** Longer documents are cut into pieces that count as documents of their own; the query is repeated in each. */
const TOKENS_PER_PIECE = 500;
/** A query that fills a piece alone leaves its documents this much of it. */
const LEAST_TOKENS_OF_DOCUMENT = 100;

/** For a host that does not report them. */
export const searchUnits = (documents: number): number => Math.max(1, Math.ceil(documents / DOCUMENTS_PER_UNIT));

/** No host counts more: a piece of a document has at least one byte for each of its tokens. */
export function mostSearchUnits({ query, documents }: Pick<RerankCall, 'query' | 'documents'>): number {
  const room = Math.max(LEAST_TOKENS_OF_DOCUMENT, TOKENS_PER_PIECE - BYTES_PER_CHARACTER * query.length);
  const pieces = documents.reduce(
    (sum, document) => sum + Math.max(1, Math.ceil((BYTES_PER_CHARACTER * document.length) / room)),
    0,
  );
  return searchUnits(pieces);
}

/** A UTF-16 unit is at most three bytes of UTF-8. */
const BYTES_PER_CHARACTER = 3;
