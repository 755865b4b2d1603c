/** Reranking as Bedrock's agent runtime has it: the model is an ARN inside the body. Only hosts speak it. */
import { type FieldTable, type RerankField, type RerankLoss, stancesIn } from '../../canonical/fields.ts';
import { arrayAt, isJsonObject, type Json } from '../../canonical/json.ts';
import type { RerankAnswer, RerankCall } from '../../canonical/rerank.ts';
import type { EncodedCall, TargetFacts } from '../dialect.ts';
import { type RerankDialect, refuseInput } from '../media-dialects.ts';
import { decodeRerankFault, readScores, rerankLosses } from '../rerank-scores.ts';

const fields: FieldTable<RerankField> = {
  'rerank.query': ['mapped', 'query'],
  'rerank.documents': ['mapped', 'documents'],
  'rerank.topN': ['mapped', 'top_n'],
  'rerank.maxTokensPerDoc': ['dropped', 'max_tokens_per_doc'],
  'rerank.priority': ['dropped', 'priority'],
  extras: ['dropped', 'extra fields'],
};

/** More sources are refused by the host. */
const MAX_SOURCES = 1000;

function encodeCall(call: RerankCall, { upstreamModel }: TargetFacts): EncodedCall<RerankLoss> {
  const { query, documents, topN = documents.length } = call;
  if (documents.length > MAX_SOURCES)
    throw refuseInput(`has more than the ${MAX_SOURCES} documents this model takes at once`, 'documents');
  const body = {
    queries: [{ type: 'TEXT', textQuery: { text: query } }],
    sources: documents.map((text) => ({
      type: 'INLINE',
      inlineDocumentSource: { type: 'TEXT', textDocument: { text } },
    })),
    rerankingConfiguration: {
      type: 'BEDROCK_RERANKING_MODEL',
      bedrockRerankingConfiguration: {
        numberOfResults: Math.min(topN, documents.length),
        modelConfiguration: { modelArn: upstreamModel },
      },
    },
  };
  return { body, losses: rerankLosses(call, [], 'bedrock-rerank') };
}

const decodeAnswer = (body: Json): RerankAnswer => ({
  scores: readScores(arrayAt(isJsonObject(body) ? body : {}, 'results'), 'relevanceScore'),
  usage: {},
});

export const bedrockRerank: RerankDialect = {
  id: 'bedrock-rerank',
  operation: 'rerank',
  stances: stancesIn(fields),
  quirks: (own) => own,
  client: { encodeCall, decodeAnswer, decodeFault: decodeRerankFault, sealRefusals: [] },
};
