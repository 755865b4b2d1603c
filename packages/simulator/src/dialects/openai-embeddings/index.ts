// OpenAI's embeddings, simulated by the vendor `openai` and, with fewer features, by `compatible`.
import { parseObject } from '../../json-text.ts';
import { asNumber, asText, type JsonRecord } from '../../json-value.ts';
import { countWords, makeVector } from '../../vectors.ts';
import type { DialectOptions, Reply, SimulatedDialect, UnderstoodRequest, VendorRequest } from '../dialect.ts';
import { checkHead } from '../openai-chat/check.ts';
import { type ChatProfile, profileOf } from '../openai-chat/profiles.ts';
import { badRequest } from '../openai-chat/refusal.ts';
import { refused, statusReply } from '../openai-chat/status-replies.ts';
import { json, replyOnly } from '../replies.ts';
import { checkBody } from './check.ts';
import { findEmbeddingFamily } from './models.ts';

const DEFAULT_DIMENSIONS = 16;

export const openaiEmbeddings: SimulatedDialect = {
  name: 'openai-embeddings',
  vendors: ['openai', 'compatible'],
  paths: [/^\/v1\/embeddings$/u],
  understand,
};

function understand(request: VendorRequest, options: DialectOptions): UnderstoodRequest {
  const profile = profileOf(request.vendor);
  const early = checkHead(request, profile, options);
  if (early !== undefined) return refused(early, profile);
  const body = parseObject(request.body);
  if (body === undefined)
    return refused(badRequest('We could not parse the JSON body of your request.', null), profile);
  const refusal = options.lenient ? undefined : checkBody(body, profile);
  if (refusal !== undefined) return refused(refusal, profile, body);
  const inputs = inputsOf(body['input']);
  const promptTokens = inputs.reduce((total, input) => total + input.tokens, 0);
  return {
    kind: 'reply',
    reply: answer(body, inputs, promptTokens, profile),
    renderer: replyOnly((fault) => statusReply(fault, profile)),
    body,
    model: asText(body['model']),
    promptTokens,
  };
}

interface Input {
  readonly text: string;
  readonly tokens: number;
}

function inputsOf(input: unknown): readonly Input[] {
  if (typeof input === 'string') return [{ text: input, tokens: countWords(input) }];
  const list = Array.isArray(input) ? input : [];
  if (typeof list[0] === 'number') return [{ text: list.join(','), tokens: list.length }];
  return list.flatMap((each) => inputsOf(each));
}

function answer(body: JsonRecord, inputs: readonly Input[], promptTokens: number, profile: ChatProfile): Reply {
  const model = asText(body['model']);
  const dimensions =
    asNumber(body['dimensions']) ?? findEmbeddingFamily(model, profile.vendor)?.dimensions ?? DEFAULT_DIMENSIONS;
  const data = inputs.map(({ text }, index) => {
    const vector = makeVector(model, text, dimensions);
    return { object: 'embedding', index, embedding: body['encoding_format'] === 'base64' ? base64(vector) : vector };
  });
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  return json(200, { object: 'list', data, model, usage }, profile.answerHeaders);
}

function base64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * Float32Array.BYTES_PER_ELEMENT);
  return bytes.toString('base64');
}
