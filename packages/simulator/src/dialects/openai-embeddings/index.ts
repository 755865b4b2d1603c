// OpenAI's embeddings, simulated by the vendor `openai` and, with fewer features, by `compatible`.
import { parseObject } from '../../json-text.ts';
import { asNumber, asText } from '../../json-value.ts';
import { countWords, makeVector } from '../../vectors.ts';
import type { VendorRequest } from '../../wire.ts';
import type { DialectOptions, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { checkHead } from '../openai-chat/check.ts';
import { profileOf } from '../openai-chat/profiles.ts';
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
  const model = asText(body['model']);
  const dimensions =
    asNumber(body['dimensions']) ?? findEmbeddingFamily(model, profile.vendor)?.dimensions ?? DEFAULT_DIMENSIONS;
  const isBase64 = body['encoding_format'] === 'base64';
  const data = inputs.map(({ text }, index) => {
    const vector = makeVector(model, text, dimensions);
    return {
      object: 'embedding',
      index,
      embedding: isBase64 ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector,
    };
  });
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  const reply = json(200, { object: 'list', data, model, usage }, profile.answerHeaders);
  return {
    kind: 'reply',
    reply,
    renderer: replyOnly((fault) => statusReply(fault, profile)),
    body,
    model,
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
  return list.flatMap(inputsOf);
}
