// Scores derived only from the words of a query and a document, and the counts that hosts bill.
import { countWords, makeVector } from '../../vectors.ts';

export interface Ranked {
  readonly index: number;
  readonly score: number;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/\S+/gu) ?? []);

/** The share of the query's words that a document has, and a trace of its own so that no two are equal. */
function scoreOf(model: string, query: string, document: string): number {
  const own = wordsOf(document);
  const asked = [...wordsOf(query)];
  const shared = asked.filter((word) => own.has(word)).length / Math.max(1, asked.length);
  const trace = Math.abs(makeVector(model, `${query}\n${document}`, 2)[0] ?? 0);
  return 0.9 * shared + 0.0999 * trace || 0;
}

/** The best first. */
export const ranked = (model: string, query: string, documents: readonly string[]): readonly Ranked[] =>
  documents
    .map((document, index) => ({ index, score: scoreOf(model, query, document) }))
    .sort((one, other) => other.score - one.score);

const DOCUMENTS_PER_UNIT = 100;
const WORDS_PER_PIECE = 500;

/** A document that is longer than a piece with its query counts as several. */
export function unitsOf(query: string, documents: readonly string[]): number {
  const room = Math.max(1, WORDS_PER_PIECE - countWords(query));
  const pieces = documents.reduce((sum, document) => sum + Math.max(1, Math.ceil(countWords(document) / room)), 0);
  return Math.ceil(pieces / DOCUMENTS_PER_UNIT);
}

/** The query is read with each document. */
export const tokensOf = (query: string, documents: readonly string[]): number =>
  documents.reduce((sum, document) => sum + countWords(query) + countWords(document), 0);
