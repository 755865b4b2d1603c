/** Reranking as Text Embeddings Inference has it: one model a server, `texts`, and a bare list. Only hosts speak it. */
import { type FieldTable, type RerankField, type RerankLoss, stancesIn } from '../../canonical/fields.ts';
import { isJsonArray, type Json } from '../../canonical/json.ts';
import type { RerankAnswer, RerankCall } from '../../canonical/rerank.ts';
import type { EncodedCall } from '../dialect.ts';
import type { RerankDialect } from '../media-dialects.ts';
import { decodeRerankFault, readScores, rerankLosses } from '../rerank-scores.ts';

const fields: FieldTable<RerankField> = {
  'rerank.query': ['native', 'query'],
  'rerank.documents': ['mapped', 'texts'],
  'rerank.topN': ['gateway', 'top_n'],
  'rerank.maxTokensPerDoc': ['dropped', 'max_tokens_per_doc'],
  'rerank.priority': ['dropped', 'priority'],
  extras: ['dropped', 'extra fields'],
};

/** Texts that are too long are cut, as every other host does; by default this server refuses them. */
function encodeCall(call: RerankCall): EncodedCall<RerankLoss> {
  const { query, documents } = call;
  const body = { query, texts: documents, truncate: true };
  return { body, losses: rerankLosses(call, [], 'tei-rerank') };
}

const decodeAnswer = (body: Json): RerankAnswer => ({
  scores: readScores(isJsonArray(body) ? body : [], 'score'),
  usage: {},
});

export const teiRerank: RerankDialect = {
  id: 'tei-rerank',
  operation: 'rerank',
  stances: stancesIn(fields),
  quirks: (own) => own,
  client: { encodeCall, decodeAnswer, decodeFault: decodeRerankFault, sealRefusals: [] },
};
