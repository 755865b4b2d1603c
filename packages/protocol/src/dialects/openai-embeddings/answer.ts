/** Answers in both directions: a list of vectors by index, and usage with the prompt only. */
import type { EmbedAnswer, EmbedVector } from '../../canonical/embedding.ts';
import { GatewayError } from '../../canonical/gateway-error.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, objectAt } from '../../canonical/json.ts';
import { inputTokens, type Usage } from '../../canonical/usage.ts';
import { base64OfFloats } from '../../passes/float32.ts';
import type { AnswerContext, EncodedAnswer } from '../dialect.ts';
import { vectorOf } from '../embedding-input.ts';

const NO_VECTORS = { kind: 'upstream-broken', message: 'The upstream provider sent no vectors.' } as const;

export function decodeAnswer(body: Json): EmbedAnswer {
  const wire = isJsonObject(body) ? body : {};
  const data = arrayAt(wire, 'data').filter(isJsonObject);
  if (data.length === 0) throw new GatewayError(NO_VECTORS);
  const vectors = inOrder(data).map((entry) => ({ values: vectorOf(entry['embedding']) }));
  return { vectors, usage: readUsage(wire) };
}

/** By index if every vector has a distinct one; else in the order received. */
function inOrder(data: readonly JsonObject[]): readonly JsonObject[] {
  const places = new Map(data.map((entry) => [numberAt(entry, 'index'), entry]));
  const sorted = data.map((_, index) => places.get(index)).filter((entry) => entry !== undefined);
  return sorted.length === data.length ? sorted : data;
}

/** Some hosts report only the total, which is the same: embeddings have no output tokens. */
export function readUsage(wire: JsonObject): Usage {
  const usage = objectAt(wire, 'usage');
  const prompt = numberAt(usage, 'prompt_tokens') ?? numberAt(usage, 'total_tokens');
  return prompt !== undefined && Number.isSafeInteger(prompt) && prompt >= 0 ? { prompt } : {};
}

export function writeUsage(usage: Usage): JsonObject {
  const tokens = inputTokens(usage);
  return { prompt_tokens: tokens, total_tokens: tokens };
}

export const encodeAnswer = ({ vectors, usage }: EmbedAnswer, context: AnswerContext): EncodedAnswer => ({
  body: {
    object: 'list',
    data: writeVectors(vectors, context.responseOptions.embed?.encoding === 'base64'),
    model: context.model,
    usage: writeUsage(usage),
  },
  losses: [],
});

export const writeVectors = (vectors: readonly EmbedVector[], asBase64: boolean): readonly JsonObject[] =>
  vectors.map(({ values }, index) => ({
    object: 'embedding',
    index,
    embedding: asBase64 ? base64OfFloats(values) : values,
  }));
