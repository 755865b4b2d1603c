/** Reranking with other names: `top_k`, and the scores in a list called `data`. Only hosts speak it. */
import { type FieldTable, type RerankField, type RerankLoss, stancesIn } from '../../canonical/fields.ts';
import { arrayAt, isJsonObject, type Json, numberAt, objectAt } from '../../canonical/json.ts';
import type { RerankAnswer, RerankCall } from '../../canonical/rerank.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import type { RerankDialect } from '../media-dialects.ts';
import { countOf, decodeRerankFault, readScores, rerankLosses } from '../rerank-scores.ts';

const fields: FieldTable<RerankField> = {
  'rerank.query': ['native', 'query'],
  'rerank.documents': ['native', 'documents'],
  'rerank.topN': ['mapped', 'top_k'],
  'rerank.maxTokensPerDoc': ['dropped', 'max_tokens_per_doc'],
  'rerank.priority': ['dropped', 'priority'],
  extras: ['dropped', 'extra fields'],
};

function encodeCall(call: RerankCall, { upstreamModel }: TargetFacts): EncodedCall<RerankLoss> {
  const { query, documents, topN } = call;
  const body = {
    model: upstreamModel,
    query,
    documents,
    ...(topN !== undefined && { top_k: Math.min(topN, documents.length) }),
  };
  return { body, losses: rerankLosses(call, [], 'voyage-rerank') };
}

function decodeAnswer(body: Json): RerankAnswer {
  const wire = isJsonObject(body) ? body : {};
  const tokens = countOf(numberAt(objectAt(wire, 'usage'), 'total_tokens'));
  return {
    scores: readScores(arrayAt(wire, 'data'), 'relevance_score'),
    usage: tokens === undefined ? {} : { prompt: tokens },
  };
}

export const voyageRerank: RerankDialect = {
  id: 'voyage-rerank',
  operation: 'rerank',
  stances: stancesIn(fields),
  quirks: (own) => own,
  client: { encodeCall, decodeAnswer, decodeFault: decodeRerankFault, sealRefusals: [] },
};
