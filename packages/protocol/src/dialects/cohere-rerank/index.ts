/** Reranking in the format that most hosts have taken over, both halves. */
import { type FieldTable, type RerankField, type RerankLoss, spellingIn, stancesIn } from '../../canonical/fields.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../canonical/json.ts';
import { mostSearchUnits, type RerankAnswer, type RerankCall, searchUnits } from '../../canonical/rerank.ts';
import type { Usage } from '../../canonical/usage.ts';
import { estimateRerankTokens } from '../../passes/estimate-tokens.ts';
import type { AnswerContext, EncodedAnswer, EncodedCall, RequestHead, TargetFacts } from '../dialect.ts';
import { NO_TEXT_OPTIONS, type RerankDialect, type RerankUnderstanding } from '../media-dialects.ts';
import { countOf, decodeRerankFault, readScores, rerankLosses } from '../rerank-scores.ts';
import { checkRerank, decodeCall } from './check.ts';

// How one host's reranking differs from the common subset: a closed, flat record, read by this folder only.

export interface CohereRerankQuirks {
  /** `max_tokens_per_doc` is understood. */
  readonly maxTokensPerDoc: boolean;
  /** `priority` is understood. */
  readonly priority: boolean;
  /** `return_documents: false` has to be sent, or each answer repeats the documents. */
  readonly documentsOff: boolean;
}

const COMMON: CohereRerankQuirks = { maxTokensPerDoc: false, priority: false, documentsOff: false };

const quirksOf = ({ quirks }: TargetFacts): CohereRerankQuirks => ({ ...COMMON, ...quirks });

const fields: FieldTable<RerankField> = {
  'rerank.query': ['native', 'query'],
  'rerank.documents': ['native', 'documents'],
  'rerank.topN': ['native', 'top_n'],
  'rerank.maxTokensPerDoc': ['native', 'max_tokens_per_doc'],
  'rerank.priority': ['native', 'priority'],
  extras: ['dropped', 'extra fields'],
};

function encodeCall(call: RerankCall, target: TargetFacts): EncodedCall<RerankLoss> {
  const quirks = quirksOf(target);
  const { query, documents, topN, maxTokensPerDoc, priority, extras } = call;
  const body: JsonObject = {
    ...extras['cohere-rerank'],
    model: target.upstreamModel,
    query,
    documents,
    ...(topN !== undefined && { top_n: Math.min(topN, documents.length) }),
    ...(quirks.maxTokensPerDoc && maxTokensPerDoc !== undefined && { max_tokens_per_doc: maxTokensPerDoc }),
    ...(quirks.priority && priority !== undefined && { priority }),
    ...(quirks.documentsOff && { return_documents: false }),
  };
  const carried = (['maxTokensPerDoc', 'priority'] as const).filter((name) => quirks[name]);
  return { body, losses: rerankLosses(call, carried, 'cohere-rerank') };
}

function decodeAnswer(body: Json): RerankAnswer {
  const wire = isJsonObject(body) ? body : {};
  const id = stringAt(wire, 'id');
  return {
    ...(id !== undefined && { id }),
    scores: readScores(arrayAt(wire, 'results'), 'relevance_score'),
    usage: readUsage(wire),
  };
}

/** Units that were billed; elsewhere tokens, under one of several names. */
function readUsage(wire: JsonObject): Usage {
  const billed = objectAt(objectAt(wire, 'meta'), 'billed_units');
  const usage = objectAt(wire, 'usage');
  const units = countOf(numberAt(billed, 'search_units'));
  const tokens =
    countOf(numberAt(usage, 'total_tokens')) ??
    countOf(numberAt(usage, 'prompt_tokens')) ??
    countOf(numberAt(billed, 'input_tokens'));
  return { ...(units !== undefined && { searchUnits: units }), ...(tokens !== undefined && { prompt: tokens }) };
}

function encodeAnswer({ id, scores, usage }: RerankAnswer, context: AnswerContext): EncodedAnswer {
  const texts = context.responseOptions.rerank?.texts;
  const { searchUnits: units, prompt } = usage;
  const billed = {
    ...(units !== undefined && { search_units: units }),
    ...(prompt !== undefined && { input_tokens: prompt }),
  };
  return {
    body: {
      id: id ?? context.requestId,
      model: context.model,
      results: scores.map(({ index, score }) => ({
        index,
        relevance_score: score,
        ...(texts !== undefined && { document: { text: texts[index] ?? '' } }),
      })),
      meta: { api_version: { version: '2' }, ...(Object.keys(billed).length > 0 && { billed_units: billed }) },
      // Where clients of other hosts that took over the format look.
      ...(prompt !== undefined && { usage: { prompt_tokens: prompt, total_tokens: prompt } }),
    },
    losses: [],
  };
}

function understand(body: JsonObject, _head?: RequestHead): RerankUnderstanding {
  const checked = checkRerank(body);
  const { wire, documents } = checked;
  const { query } = wire;
  let call: RerankCall | undefined;
  return {
    model: wire.model,
    stream: false,
    responseOptions: {
      ...NO_TEXT_OPTIONS,
      rerank: {
        documents: documents.length,
        topN: Math.min(wire.top_n ?? documents.length, documents.length),
        ...(wire.return_documents === true && { texts: documents }),
        estimatedTokens: estimateRerankTokens({ query, documents }),
        estimatedUnits: searchUnits(documents.length),
        mostUnits: mostSearchUnits({ query, documents }),
      },
    },
    losses: [],
    media: [],
    maxOutputTokens: undefined,
    metadata: undefined,
    call: () => (call ??= decodeCall(checked)),
    verbatim: () => ({ why: 'requests for reranking are always rebuilt' }),
  };
}

export const cohereRerank: RerankDialect & { readonly server: NonNullable<RerankDialect['server']> } = {
  id: 'cohere-rerank',
  operation: 'rerank',
  stances: stancesIn(fields),
  quirks: (own) => ({ ...COMMON, ...own }),
  server: { understand, encodeAnswer, spelling: spellingIn(fields) },
  client: { encodeCall, decodeAnswer, decodeFault: decodeRerankFault, sealRefusals: [] },
};
