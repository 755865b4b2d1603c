/** Answers in both directions. Upstream answers may have any of the forms; callers get the one they used. */
import type { EmbedAnswer, EmbedVector } from '../../canonical/embedding.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, objectAt } from '../../canonical/json.ts';
import type { Loss } from '../../canonical/loss.ts';
import { inputTokens, type Usage } from '../../canonical/usage.ts';
import type { AnswerContext, EncodedAnswer } from '../dialect.ts';
import { vectorOf } from '../embedding-input.ts';

const NO_VECTORS = { kind: 'upstream-broken', message: 'The upstream provider sent no vectors.' } as const;

export function decodeAnswer(body: Json): EmbedAnswer {
  const wire = isJsonObject(body) ? body : {};
  const vectors = embeddingsIn(wire).map(decodeVector);
  if (vectors.length === 0) throw new GatewayError(NO_VECTORS);
  return { vectors, usage: usageOf(wire, vectors) };
}

function embeddingsIn(wire: JsonObject): readonly JsonObject[] {
  const single = objectAt(wire, 'embedding');
  if (single !== undefined) return [single];
  const predicted = arrayAt(wire, 'predictions').map((each) =>
    isJsonObject(each) ? (each['embeddings'] ?? null) : null,
  );
  return (predicted.length > 0 ? predicted : arrayAt(wire, 'embeddings')).filter(isJsonObject);
}

function decodeVector(embedding: JsonObject): EmbedVector {
  const statistics = objectAt(embedding, 'statistics');
  const tokens = countOf(numberAt(statistics, 'token_count') ?? numberAt(statistics, 'tokenCount'));
  return {
    values: vectorOf(embedding['values']),
    ...(tokens !== undefined && { inputTokens: tokens }),
    ...(statistics?.['truncated'] === true && { truncated: true }),
  };
}

const countOf = (count: number | undefined): number | undefined =>
  count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;

/** One count for all, or one per input; empty if the host reports neither. */
function usageOf(wire: JsonObject, vectors: readonly EmbedVector[]): Usage {
  const total = countOf(numberAt(objectAt(wire, 'usageMetadata'), 'promptTokenCount'));
  if (total !== undefined) return { prompt: total };
  let prompt = 0;
  for (const { inputTokens: tokens } of vectors) {
    if (tokens === undefined) return {};
    prompt += tokens;
  }
  return { prompt };
}

/** Usage only, for answers that are passed on unchanged. */
export const readUsage = (wire: JsonObject): { readonly usage: Usage; readonly inputs: number } => {
  const embeddings = embeddingsIn(wire);
  return { usage: usageOf(wire, embeddings.map(decodeVector)), inputs: embeddings.length };
};

const TOKEN_COUNT = 'predictions.embeddings.statistics.token_count';

export function encodeAnswer({ vectors, usage }: EmbedAnswer, context: AnswerContext): EncodedAnswer {
  const total = inputTokens(usage);
  const usageMetadata = { promptTokenCount: total, totalTokenCount: total };
  switch (context.responseOptions.embed?.form) {
    case 'predict': {
      const known = vectors.every(({ inputTokens: tokens }) => tokens !== undefined);
      const losses: Loss[] = known || vectors.length === 1 ? [] : [{ path: TOKEN_COUNT, why: 'approximated' }];
      return { body: { predictions: predictionsOf(vectors, total) }, losses };
    }
    case 'batchEmbedContents':
      return { body: { embeddings: vectors.map(({ values }) => ({ values })), usageMetadata }, losses: [] };
    default:
      return { body: { embedding: { values: vectors[0]?.values ?? [] }, usageMetadata }, losses: [] };
  }
}

/** Clients add these counts up, so if only the sum is known it is split evenly: at least the sum is right. */
function predictionsOf(vectors: readonly EmbedVector[], total: number): readonly JsonObject[] {
  const share = Math.floor(total / vectors.length);
  return vectors.map(({ values, inputTokens: tokens, truncated = false }, position) => ({
    embeddings: {
      values,
      statistics: {
        token_count: tokens ?? share + (position === 0 ? total - share * vectors.length : 0),
        truncated,
      },
    },
  }));
}
